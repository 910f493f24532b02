/** Which hosts an entry of `networkHosts` names. */
import { expect, test } from "vitest";
import { allowedBy, hostEntryOf } from "../../../src/core/settings/network.ts";
import type { Allowed } from "../../../src/core/settings/network.ts";

test.for<[string, boolean]>([
  ["registry.example.com", true],
  ["localhost", true],
  ["*.example.com", true],
  ["example.com:8443", true],
  ["10.0.0.5", true],
  ["[fd00::1]:8080", true],
  ["*", false],
  ["*.com", false],
  ["api.*.com", false],
  ["https://example.com", false],
  ["example.com/path", false],
  ["person@example.com", false],
  ["", false],
])("%s may stand there: %s", ([text, may]) => {
  expect(hostEntryOf(text) !== undefined).toBe(may);
});

test.for<[string, number, Allowed]>([
  ["example.com", 443, "exactly"],
  ["EXAMPLE.com", 443, "exactly"],
  ["example.com.", 443, "exactly"],
  ["a.example.com", 443, undefined],
  ["notexample.com", 443, undefined],
  ["example.com.evil.org", 443, undefined],
  ["a.wide.org", 443, "below"],
  ["a.b.wide.org", 443, "below"],
  ["wide.org", 443, undefined],
  ["evilwide.org", 443, undefined],
  ["ported.org", 8443, "exactly"],
  ["ported.org", 443, undefined],
])("%s:%i is allowed: %s", ([host, port, allowed]) => {
  expect(allowedBy(["example.com", "*.wide.org", "ported.org:8443"], host, port)).toBe(allowed);
});

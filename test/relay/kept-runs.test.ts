/** What a kept run of a command on a tree depends on: another of it, and the command runs again. */
import { expect, test } from "vitest";
import { runKey } from "../../src/relay/review/kept-runs.ts";

type Of = { env?: Record<string, string>; setup?: string[]; shell?: string };

const key = ({ env = {}, setup = [], shell }: Of): string =>
  runKey(
    env,
    { setup, ...(shell !== undefined && { shell }), env: { setup: ["TOKEN"], checks: ["DATABASE"] } },
    { setUpAt: "1".repeat(40), tree: "2".repeat(40) },
  );

test.for<[string, Of, Of, boolean]>([
  ["a variable of checks that is set", {}, { env: { DATABASE: "a" } }, true],
  ["another value of it", { env: { DATABASE: "a" } }, { env: { DATABASE: "b" } }, true],
  ["a variable of set-up that is set", {}, { env: { TOKEN: "a" } }, true],
  ["another value of it", { env: { TOKEN: "a" } }, { env: { TOKEN: "b" } }, false],
  ["a variable that `env` does not name", {}, { env: { OTHER: "a" } }, false],
  ["a set-up", {}, { setup: ["true"] }, true],
  ["another shell", {}, { shell: "bash" }, true],
])("%s", ([, before, after, isOther]) => expect(key(after) !== key(before)).toBe(isOther));

test("no value can be read from it", () => {
  expect(key({ env: { DATABASE: "secret-value" } })).toMatch(/^[0-9a-f]{64}$/);
});

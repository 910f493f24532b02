/** A string as one line of YAML: what is written without asking the parser is what the parser would write. */
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { yamlScalar } from "../../../src/core/text/front-matter-edit.ts";

test.for([
  "closed",
  "implemented",
  "yes",
  "no",
  "on",
  "off",
  "y",
  "n",
  "null",
  "true",
  "false",
  "inf",
  "nan",
  "0x",
  "2026-02-01T00:00:00Z",
  "2026-02-01T00:00:00.123Z",
])("%s", (value) => {
  expect(yamlScalar(value)).toBe(stringify(value).trimEnd());
});

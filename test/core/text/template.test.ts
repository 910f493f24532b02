import { expect, test } from "vitest";
import { fillTemplate } from "../../../src/core/text/template.ts";

test("every {{name}} is replaced, as often as it stands there", () => {
  expect(fillTemplate("{{id}}: {{title}} ({{ id }})", { id: "FEAT-0001", title: "Log in" })).toBe(
    "FEAT-0001: Log in (FEAT-0001)",
  );
});

test("what was filled in is not expanded again, and dollar signs are only dollar signs", () => {
  expect(fillTemplate("{{a}} {{b}}", { a: "{{b}}", b: "$& $1 {{a}}" })).toBe("{{b}} $& $1 {{a}}");
});

test("a name without a value is refused with its line and the names that there are", () => {
  expect(() => fillTemplate("one\ntwo {{nobody}}", { id: "x" }, "issue.md")).toThrow(
    expect.objectContaining({
      kind: "input",
      message: "issue.md:2: {{nobody}} is not known here",
      hint: "known names: id",
    }),
  );
});

test("names of the language's own objects are no values", () => {
  expect(() => fillTemplate("{{constructor}}", {})).toThrow("{{constructor}} is not known here");
});

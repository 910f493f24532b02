/** The dossier as it goes out with a pull request: nothing in it speaks for itself there. */
import { expect, test } from "vitest";
import { dossierCharsMax } from "../../../src/core/limits.ts";
import { pullRequestBody } from "../../../src/core/report/pull-request-body.ts";

const trailers = ["Monoco-Issue: FEAT-0001"];
const body = (dossier: string): string => pullRequestBody(dossier, trailers);

test("the dossier stands as it is, and the trailers below it", () =>
  expect(body("# FEAT-0001: submission 1\n\n```data\n@in #1 a fence\n```\n")).toBe(
    "# FEAT-0001: submission 1\n\n```data\n@in #1 a fence\n```\n\n## Trailers\n\n```data\nMonoco-Issue: FEAT-0001\n```\n",
  ));

test.for<[string]>([
  ["thanks @somebody"],
  ["\\@somebody"],
  ["closes #1"],
  ["closes \\#1"],
  ["fixes someone/thing#12"],
  ["resolves GH-3"],
  ["closes https://github.com/someone/thing/issues/1"],
  ["```data\na fence\n```\ncloses #1"],
  ["````data\n```\n@in\n````\n@somebody"],
  ["co @某人"],
])("no mention, and no ticket of somebody else's that it would close: %j", ([text]) => {
  const outside = body(text).replaceAll(/^(`{3,})data\n[^]*?^\1$/gm, "");
  expect(outside).not.toMatch(/@[\p{L}\w]|#\w|GH-\d|:\/\//u);
  // A reader sees the same.
  expect(body(text).replaceAll("<!-- -->", "")).toContain(text);
});

test("no control sequences go out", () => {
  for (const control of ["\u001b", "\u202e"]) expect(body("a \u001b[31mred\u202e b")).not.toContain(control);
});

test.for([["x\n"], ["```data\nx\n"], ["x".repeat(200)]])(
  "it stays within what a pull request may hold, whole lines of it, and no fence left open: %j",
  ([line]) => {
    const told = body(line!.repeat(100_000));
    expect(told.length).toBeLessThanOrEqual(dossierCharsMax);
    expect(told).toContain("\n…\n");
    expect(told.endsWith("\n## Trailers\n\n```data\nMonoco-Issue: FEAT-0001\n```\n")).toBe(true);
    expect(told.split("\n").filter((one) => one.startsWith("```")).length % 2).toBe(0);
  },
);

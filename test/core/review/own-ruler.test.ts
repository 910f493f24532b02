/** When a figure is measured by something that the submission changes itself. */
import { expect, test } from "vitest";
import { measuresItself } from "../../../src/core/review/own-ruler.ts";

test.for<[string, string, string[], string[], boolean]>([
  ["the work alone is no ruler", "node tools/steps.mjs", ["src/price.js"], ["tools/steps.mjs"], false],
  ["the program is", "node tools/steps.mjs", ["tools/steps.mjs"], ["tools/steps.mjs"], true],
  ["what it is given is", "node steps.mjs './data.json' | tail -1", ["data.json"], ["steps.mjs"], true],
  ["what a benchmark loads is", "node bench/run.mjs", ["bench/cases.mjs"], ["bench/run.mjs"], true],
  ["code on the command line is not", `node -e 'import("./src/a.js")'`, ["src/a.js"], [], false],
  ["a name that only contains the word is not", "node steps.mjs", ["src/workbench.js"], [], false],
])("%s", ([, command, changed, named, own]) => {
  expect(measuresItself(command, { changed, filesRun: new Set(named) })).toBe(own);
});

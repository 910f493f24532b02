import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { stackInSources } from "../../src/views/stack.ts";

const root = join(import.meta.dirname, "../..");
const urlOf = (path: string): string => pathToFileURL(join(root, path)).href;
const words = "async function openHere(";

/** `LINE:COLUMN` of the words in a file, as a stack has them. */
function placeOf(path: string): string {
  const above = readFileSync(join(root, path), "utf8").split(words)[0]!.split("\n");
  return `${above.length}:${above.at(-1)!.length + "async ".length + 1}`;
}

test("a stack of what was built names the source and its line", () => {
  const joined = globSync("dist/**/*.js", { cwd: root }).find((path) =>
    readFileSync(join(root, path), "utf8").includes(words),
  )!;
  const built = `    at openHere (${urlOf(joined)}:${placeOf(joined)})`;
  const source = `${urlOf("src/app/here.ts")}:${placeOf("src/app/here.ts").split(":")[0]}:`;
  expect(stackInSources(`Error: no\n${built}\n    at node:internal`)).toContain(source);
});

test("a place that has no source map stays as it is", () => {
  const stack = `    at ${urlOf("src/main.ts")}:1:1\n    at file:///nowhere/x.js:2:3`;
  expect(stackInSources(stack)).toBe(stack);
});

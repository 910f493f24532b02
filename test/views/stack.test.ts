import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { stackInSources } from "../../src/views/stack.ts";

const root = join(import.meta.dirname, "../..");
const urlOf = (path: string): string => pathToFileURL(join(root, path)).href;
const lineOf = (path: string, words: string): number =>
  readFileSync(join(root, path), "utf8")
    .split("\n")
    .findIndex((line) => line.includes(words)) + 1;

test("a stack of what was built names the source and its line", () => {
  const words = "async function openHere(";
  const built = `    at openHere (${urlOf("dist/here.js")}:${lineOf("dist/here.js", words)}:1)`;
  const source = `${urlOf("src/app/here.ts")}:${lineOf("src/app/here.ts", words)}:`;
  expect(stackInSources(`Error: no\n${built}\n    at node:internal`)).toContain(source);
});

test("a place that has no source map stays as it is", () => {
  const stack = `    at ${urlOf("src/main.ts")}:1:1\n    at file:///nowhere/x.js:2:3`;
  expect(stackInSources(stack)).toBe(stack);
});

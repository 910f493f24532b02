import { existsSync, globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";
import { dirname, join } from "node:path";
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

test("every function of what was built is found in its source", () => {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const built = globSync("dist/*.js", { cwd: root }).filter((path) => existsSync(join(root, `${path}.map`)));
  const wrong = built.flatMap((path) => {
    const map = new SourceMap(JSON.parse(read(`${path}.map`)) as SourceMapPayload);
    return read(path)
      .split("\n")
      .flatMap((line, at) =>
        [...line.matchAll(/\bfunction (\w+)\(/g)].filter(({ 1: name = "", index }) => {
          const entry = map.findEntry(at, index);
          // What stands in the place of a package has no source.
          const from = "originalSource" in entry ? (entry.originalSource as string | undefined) : undefined;
          if (!("originalLine" in entry) || !from?.includes("/src/")) return false;
          const source = read(join(dirname(path), from)).split("\n")[entry.originalLine];
          return !source?.includes(`function ${name}`);
        }),
      )
      .map(([words]) => `${path}: ${words}`);
  });
  expect(wrong).toEqual([]);
});

test("a place that has no source map stays as it is", () => {
  const stack = `    at ${urlOf("src/main.ts")}:1:1\n    at file:///nowhere/x.js:2:3`;
  expect(stackInSources(stack)).toBe(stack);
});

/** Markers of a conflict that a session committed are found, and those that the base has are not. */
import { expect } from "vitest";
import { conflictMarkers } from "../../src/git/conflicts.ts";
import { gitIn } from "../../src/git/git.ts";
import { testRows } from "../support/full.ts";
import { temporaryRepository } from "../support/repository.ts";

const conflict = (of: string): string => `<<<<<<< HEAD\n${of}\n=======\nother\n>>>>>>> side\n`;

testRows<[string, base: Record<string, string>, work: Record<string, string>, found: string[]]>([
  ["a new file", {}, { "a.txt": conflict("one"), "b.txt": "two\n" }, ["a.txt"]],
  ["a changed file", { "a.txt": "one\n" }, { "a.txt": conflict("one") }, ["a.txt"]],
  ["a file of the base that has them", { "a.txt": conflict("one") }, { "a.txt": conflict("two") }, []],
  [
    "a second conflict beside one of the base's",
    { "a.txt": conflict("one") },
    { "a.txt": conflict("one").repeat(2) },
    ["a.txt"],
  ],
  [
    "a file that took them from another one",
    { "a.txt": conflict("one") },
    { "a.txt": "", "b.txt": conflict("one") },
    [],
  ],
  ["one end alone", {}, { "a.txt": "<<<<<<< HEAD\n=======\n" }, []],
  ["a heading that is underlined", {}, { "a.md": "Title\n=======\n" }, []],
])("the markers of %s", async ([, base, work, found]) => {
  const place = await temporaryRepository({ "x.txt": "", ...base });
  const start = await place.git("rev-parse", "HEAD");
  const commit = await place.commit(work);
  const paths = Object.keys(work);
  expect(await conflictMarkers(gitIn(place.folder), { start, commit, paths })).toEqual(found);
});

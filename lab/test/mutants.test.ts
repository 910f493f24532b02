/** The table of mutants is sound: each edit applies once, in a source, and names a test that is there. What kills them: `npm run mutants -w lab`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { edited } from "../mutants/edit.ts";
import { mutants } from "../mutants/table.ts";
import { root } from "../../scripts/source.ts";
import { weakeningKinds } from "../../src/core/weakening/kinds.ts";
import { worths } from "../../src/core/review/evidence.ts";

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

test("each rule has a name of its own, an edit that applies once, and a test file with that title", () => {
  const faults = mutants.flatMap((row) => {
    const said = (what: string): string => `${row.rule}: ${what}`;
    if (!row.file.startsWith("src/") || !existsSync(join(root, row.file))) return [said(`no ${row.file}`)];
    if (edited(textOf(row.file), row) === undefined) return [said(`its edit does not apply to ${row.file}`)];
    if (!existsSync(join(root, row.test))) return [said(`no ${row.test}`)];
    return row.title === undefined || textOf(row.test).includes(row.title) ? [] : [said("no such title")];
  });
  expect(faults).toEqual([]);
  const names = mutants.map(({ rule }) => rule);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every kind of weakening and every worth of evidence has a mutant", () => {
  const begins = (word: string): boolean => mutants.some(({ rule }) => rule.startsWith(word));
  const kinds = [...weakeningKinds, ...worths.map((worth) => worth.replaceAll("_", " "))];
  expect(kinds.filter((kind) => !begins(kind))).toEqual([]);
});

test("an edit that is found twice, nowhere, or changes nothing does not apply", () => {
  expect(edited("a b", { find: "a", replace: "$&" })).toBe("$& b");
  expect(edited("a a", { find: "a", replace: "b" })).toBeUndefined();
  expect(edited("b", { find: "a", replace: "c" })).toBeUndefined();
  expect(edited("a", { find: "a", replace: "a" })).toBeUndefined();
});

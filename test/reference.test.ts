/** The reference pages against the records that they are made from, and the records against the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages } from "../scripts/docs.ts";
import { allVerbs } from "../scripts/docs/commands.ts";
import { verbs } from "../src/commands/verbs.ts";
import type { Group, Verb } from "../src/commands/verb.ts";
import { runProgram } from "../src/program.ts";

test.for([...pages()])("%s is what the source says (npm run docs)", ([path, text]) => {
  expect(readFileSync(join(import.meta.dirname, "..", path), "utf8")).toBe(text);
});

test.for(allVerbs.flatMap(({ words, verb }) => verb.examples.map((example) => [example, words])))(
  "the example `%s` calls %s",
  async ([example, words]) => {
    const called: string[] = [];
    const noting = (verb: Verb, name: string): Verb => ({
      ...verb,
      run: () => {
        called.push(name);
        return 7;
      },
    });
    const noted = verbs.map((one): Verb | Group =>
      "verbs" in one
        ? { ...one, verbs: one.verbs.map((verb) => noting(verb, `monoco ${one.name} ${verb.name}`)) }
        : noting(one, `monoco ${one.name}`),
    );
    const argv = [...example!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    expect(await runProgram(argv.slice(1), { verbs: noted, version: "0" })).toBe(7);
    expect(called).toEqual([words]);
  },
);

test("each command is told in one line, in lower case, with an example", () => {
  const odd = allVerbs.filter(
    ({ verb }) => !/^[a-z][^\n]*[^.\n]$/.test(verb.about) || verb.examples.length === 0,
  );
  expect(odd.map(({ words }) => words)).toEqual([]);
});

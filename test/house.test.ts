/** What `npm run house` counts of a source. */
import { expect, test } from "vitest";
import { figuresOf } from "../scripts/house.ts";

test.for<[string, string, ReturnType<typeof figuresOf>]>([
  ["code", "const a = 1;\nconst b = a + 1;\n", { lines: 2, tokens: 12, state: 0 }],
  ["no blanks or comments", '/** one\n * two */\n\nf("//x"); // three\n', { lines: 1, tokens: 5, state: 0 }],
  [
    "a line that ends in a comment",
    "const a = /* b */ [\n  1, // c\n];\n",
    { lines: 3, tokens: 8, state: 0 },
  ],
  ["strings and patterns as one token", 'f("a b", /[a-z]+/g);', { lines: 1, tokens: 7, state: 0 }],
  ["templates by their stretches", "f(`a ${b.c} d`);", { lines: 1, tokens: 9, state: 0 }],
  ["operators as one", "a ??= b?.c !== d;", { lines: 1, tokens: 8, state: 0 }],
  ["a let as state", "let a = 1;\nexport let b, c;\n", { lines: 2, tokens: 11, state: 3 }],
  [
    "collections as state where they are empty",
    "const a = new Map();\nconst b: string[] = [];\nexport const c = {};\nconst d = new Set([1]);\nconst e = [1];\n",
    { lines: 5, tokens: 43, state: 3 },
  ],
  [
    "nothing within a function as state",
    "function f() {\n  let a = 1;\n}\n",
    { lines: 3, tokens: 11, state: 0 },
  ],
])("%s", ([, text, figures]) => expect(figuresOf("a.ts", text)).toEqual(figures));

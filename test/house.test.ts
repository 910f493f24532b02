/** What `npm run house` counts of a source, and with what it compares. */
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { figuresOf } from "../scripts/house.ts";
import { root } from "../scripts/source.ts";
import { temporaryRepository } from "./support/repository.ts";

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

test("--against compares with where the branch has left the revision, wing by wing, and stores nothing", async () => {
  const { folder, git, commit } = await temporaryRepository({
    "src/core/a.ts": "a();\n",
    "src/git/b.ts": "b();\n",
  });
  await git("checkout", "--quiet", "-b", "work");
  await commit({ "src/core/a.ts": "a();\nlet n = 1;\n" });
  await git("checkout", "--quiet", "main");
  await commit({ "src/core/a.ts": "later();\n".repeat(9) });
  await git("checkout", "--quiet", "work");
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const before = await git("status", "--porcelain");
  const { stdout } = await execa(process.execPath, ["scripts/house.ts", "--against", "main"], {
    cwd: folder,
  });
  expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["lines", "tokens", "state"],
    ["core", "2 (+1)", "9 (+5)", "1 (+1)"],
    ["git", "1", "4", "0"],
    ["all", "3 (+1)", "13 (+5)", "1 (+1)"],
  ]);
  expect(await git("status", "--porcelain")).toBe(before);
});

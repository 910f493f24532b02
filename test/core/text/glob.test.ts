import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers, deciding, isPattern } from "../../../src/core/text/glob.ts";
import { runs } from "../../support/runs.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "monoco-glob-"));
  execFileSync("git", ["init", "-q", join(folder, "repository")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git makes of one pattern, for paths that are not on the disk: files. */
function byGit(pattern: string, paths: readonly string[]): string[] {
  writeFileSync(join(folder, "patterns"), `${pattern}\n`);
  try {
    return execFileSync(
      "git",
      ["-c", `core.excludesFile=${join(folder, "patterns")}`, "check-ignore", "--no-index", "--stdin", "-z"],
      { cwd: join(folder, "repository"), input: paths.map((path) => `${path}\0`).join(""), encoding: "utf8" },
    )
      .split("\0")
      .filter((path) => path !== "");
  } catch {
    return [];
  }
}

const paths = [
  "a",
  "b",
  "a/b",
  "b/a",
  "a/b/c",
  "x/a/b",
  "x/y/a/b/c",
  "a.sql",
  "db/a.sql",
  "db/old/b.sql",
  "Makefile",
  "docs/legal/terms.md",
  "docs/terms.md",
  "docs/legal",
  "ab",
  "aab",
  "abab",
  "a-b",
  "x/abc/y",
];

describe("a pattern covers what git's .gitignore would", () => {
  test.for([
    ["a"],
    ["/a"],
    ["a/"],
    ["/a/"],
    ["a/b"],
    ["/a/b/"],
    ["*.sql"],
    ["/*.sql"],
    ["db/*.sql"],
    ["db/**/*.sql"],
    ["**/b"],
    ["**/a/b"],
    ["a/**"],
    ["a/**/c"],
    ["**"],
    ["**/**"],
    ["a/**/**"],
    ["*"],
    ["/*"],
    ["docs/**"],
    ["docs/legal/"],
    ["?"],
    ["a?"],
    ["a*b"],
    ["*a*b"],
    ["[ab]"],
    ["[!a]"],
    ["a[-x]b"],
    ["x/[a-c]bc"],

    ["*.md"],
    ["\\a"],
  ])("%s", ([pattern]) => {
    expect(paths.filter(covers([pattern!]))).toEqual(byGit(pattern!, paths));
  });

  test("whatever it is made of, where the settings take it", () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "**", "/", "[ab]", "[!a]", "ab", ".", "\\b");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const pattern = pieces.join("");
        fc.pre(isPattern(pattern));
        // git cuts a literal start off first, and then takes the asterisks of `a**/` for those of `**/`.
        fc.pre(!/[^/*]\*{2,}\//.test(pattern));
        expect(paths.filter(covers([pattern])), pattern).toEqual(byGit(pattern, paths));
      }),
      { numRuns: runs(60) },
    );
  });
});

test("the last pattern that matches decides, with its ! where it takes back", () => {
  expect(deciding(["*.lock", "!yarn.lock"])("yarn.lock")).toBe("!yarn.lock");
  expect(deciding(["!yarn.lock", "*.lock"])("yarn.lock")).toBe("*.lock");
  const decides = deciding(["docs/", "!docs/a.md"]);
  expect(["docs/a.md", "docs/b.md", "a.md"].map(decides)).toEqual(["!docs/a.md", "docs/", undefined]);
});

test.for<[string, boolean]>([
  ["a", true],
  ["!a", true],
  ["\\#a", true],
  ["[]a]", true],
  ["\\[a", true],
  ["**/a/**/b/**", true],
  ["", false],
  [" ", false],
  ["!", false],
  ["/", false],
  ["!/", false],
  ["# a comment", false],
  ["a\\", false],
  ["a//b", false],
  ["[a", false],
  ["**/a/**/b/**/c/**", false],
])("%j can be a pattern: %s", ([text, can]) => expect(isPattern(text)).toBe(can));

test("a capital letter is another letter", () => {
  expect(["README.md", "readme.md"].filter(covers(["README.md"]))).toEqual(["README.md"]);
});

test("a pattern of the settings takes no time, however hostile the paths are", () => {
  const name = "a".repeat(250);
  const paths = [Array.from({ length: 16 }, () => name).join("/"), `${"a/".repeat(2_000)}a`];
  const patterns = [`${"*a".repeat(100)}b`, "**/a/**/a/**/b", "a/**/*a*/**/*[a]*/**/b", "[a]*[a]*[a]*[a]*b"];
  const startedMs = performance.now();
  for (const pattern of patterns) {
    expect(isPattern(pattern)).toBe(true);
    expect(paths.filter(covers([pattern])), pattern).toEqual([]);
  }
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

test("of a path in very many folders the first ones and the name are compared", () => {
  const path = `db/${"a/".repeat(2_000)}dump.sql`;
  for (const pattern of ["/db/", "*.sql", "db/**/*.sql"]) expect(covers([pattern])(path), pattern).toBe(true);
});

// TRAP 34
test("a character that is not ASCII is one character", () => {
  expect(covers(["中/"])("中/文.md")).toBe(true);
  expect(covers(["/?/?.md"])("中/文.md")).toBe(true);
});

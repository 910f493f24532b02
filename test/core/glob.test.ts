import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { coveredBy, isPattern } from "../../src/core/glob.ts";

const folder = mkdtempSync(join(tmpdir(), "monoco-glob-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "repository"));
execFileSync("git", ["init", "-q", join(folder, "repository")]);

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
    expect(paths.filter((path) => coveredBy([pattern!], path) !== undefined)).toEqual(byGit(pattern!, paths));
  });

  test("whatever it is made of", () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "**", "/", "[ab]", "ab", ".");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const pattern = pieces.join("");
        // git takes an empty folder name, and stars beside a name, as it likes.
        fc.pre(!/\/\/|^\.|\/\.|\*\*[^/]|[^/]\*\*|^\/$/.test(pattern));
        const covered = paths.filter((path) => coveredBy([pattern], path) !== undefined);
        expect(covered, pattern).toEqual(byGit(pattern, paths));
      }),
      { numRuns: 60 },
    );
  });
});

test("the last pattern that matches counts, and ! takes back", () => {
  expect(coveredBy(["*.lock", "!yarn.lock"], "yarn.lock")).toBeUndefined();
  expect(coveredBy(["!yarn.lock", "*.lock"], "yarn.lock")).toBe("*.lock");
  expect(coveredBy(["docs/", "!docs/a.md"], "docs/b.md")).toBe("docs/");
});

test.for([["!"], ["/"], [""], ["!/"]])("%j covers nothing, and is none", ([text]) => {
  expect(isPattern(text!)).toBe(false);
});

test("hostile patterns and paths take no time", () => {
  const name = "a".repeat(250);
  expect(
    coveredBy([`${"*a".repeat(100)}b`], Array.from({ length: 16 }, () => name).join("/")),
  ).toBeUndefined();
  expect(coveredBy([`${"**/a/".repeat(100)}b`], "a/".repeat(2_000))).toBeUndefined();
});

// TRAP 34
test("a character that is no ASCII is one character", () => {
  expect(coveredBy(["中/"], "中/文.md")).toBe("中/");
  expect(coveredBy(["/?/?.md"], "中/文.md")).toBe("/?/?.md");
});

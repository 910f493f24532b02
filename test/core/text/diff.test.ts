import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readDiff } from "../../../src/core/text/diff.ts";
import type { FileDiff } from "../../../src/core/text/diff.ts";
import { runs } from "../../support/runs.ts";

/** What real git prints for the change from one set of files to another. */
function gitDiff(
  before: Record<string, string>,
  after: Record<string, string>,
  ...options: string[]
): string {
  const config = options[0] === "unquoted" ? ["-c", "core.quotePath=false"] : [];
  const folder = mkdtempSync(join(tmpdir(), "monoco-diff-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sides = { before, after };
  for (const side of ["before", "after"] as const) {
    mkdirSync(join(folder, side));
    for (const [name, text] of Object.entries(sides[side])) {
      mkdirSync(dirname(join(folder, side, name)), { recursive: true });
      writeFileSync(join(folder, side, name), text);
    }
  }
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: join(folder, "work"),
      encoding: "utf8",
    });
  renameSync(join(folder, "before"), join(folder, "work"));
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "1");
  renameSync(join(folder, "work/.git"), join(folder, "after/.git"));
  rmSync(join(folder, "work"), { recursive: true });
  renameSync(join(folder, "after"), join(folder, "work"));
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "2");
  const more = options.filter((one) => one !== "unquoted");
  return git(...config, "diff", "-M", "--unified=0", ...more, "HEAD~1", "HEAD");
}

const plainFile = { was: undefined, change: "changed", binary: false } as const;

describe("a diff of git's", () => {
  test("is read file by file, with the lines' numbers on their side", () => {
    const diff = gitDiff({ "a.txt": "1\n2\n3\n4\n5\n" }, { "a.txt": "1\ntwo\n3\n5\n6\n7\n" });
    expect(readDiff(diff)).toEqual([
      {
        path: "a.txt",
        ...plainFile,
        blocks: [
          { removed: [{ line: 2, text: "2" }], added: [{ line: 2, text: "two" }] },
          { removed: [{ line: 4, text: "4" }], added: [] },
          {
            removed: [],
            added: [
              { line: 5, text: "6" },
              { line: 6, text: "7" },
            ],
          },
        ],
      } satisfies FileDiff,
    ]);
  });

  test("says the same with context around, which is passed over", () => {
    const before = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);
    const after = before.with(3, "x\n").with(5, "y\n").with(30, "z\n");
    const files = [{ "a b.txt": before.join("") }, { "a b.txt": after.join("") }] as const;
    expect(readDiff(gitDiff(...files, "--unified=10"))).toEqual(readDiff(gitDiff(...files)));
  });

  test("has new files, deleted ones, renamed ones and binary ones", () => {
    const body = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const diff = gitDiff(
      { "gone.txt": "x\n", "old name.txt": body, "same.txt": `${body}same`, "b.bin": "a\0b" },
      { "new.txt": "y\n", "new name.txt": `${body}10\n`, "moved/same.txt": `${body}same`, "b.bin": "a\0c" },
    );
    expect(readDiff(diff)).toEqual([
      { path: "b.bin", ...plainFile, binary: true, blocks: [] },
      {
        path: "gone.txt",
        ...plainFile,
        change: "deleted",
        blocks: [{ removed: [{ line: 1, text: "x" }], added: [] }],
      },
      { path: "moved/same.txt", ...plainFile, was: "same.txt", blocks: [] },
      {
        path: "new name.txt",
        ...plainFile,
        was: "old name.txt",
        blocks: [{ removed: [], added: [{ line: 10, text: "10" }] }],
      },
      {
        path: "new.txt",
        ...plainFile,
        change: "added",
        blocks: [{ removed: [], added: [{ line: 1, text: "y" }] }],
      },
    ]);
  });

  // TRAP 34
  test.for([
    ["中文.test.ts"],
    ['a "quoted".txt'],
    ["tab\there"],
    ["line\nend"],
    ["back\\slash"],
    ["-dash"],
    ["a b/c b/d"],
  ])("names %j as it is, however git quotes it", ([name]) => {
    const quoted = readDiff(gitDiff({ [name!]: "1\n" }, { [name!]: "2\n" }));
    const unquoted = readDiff(gitDiff({ [name!]: "1\n" }, { [name!]: "2\n" }, "unquoted"));
    const empty = readDiff(gitDiff({ [name!]: "" }, {}));
    expect([quoted, unquoted, empty].map(([file]) => file?.path)).toEqual([name, name, name]);
  });

  test("content that looks like a diff is content", () => {
    const hostile =
      "diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+it.skip()\n\\ No newline at end of file\n";
    const [file, ...others] = readDiff(gitDiff({ "a.txt": "" }, { "a.txt": hostile }));
    expect(others).toEqual([]);
    expect(file!.blocks[0]!.added.map(({ text }) => text)).toEqual(hostile.trimEnd().split("\n"));
    const [gone] = readDiff(gitDiff({ "a.txt": hostile }, { "a.txt": "" }));
    expect(gone!.blocks[0]!.removed.map(({ text }) => text)).toEqual(hostile.trimEnd().split("\n"));
    expect(gone!.path).toBe("a.txt");
  });

  test("files without a line end, and line ends of two characters", () => {
    const [file] = readDiff(gitDiff({ "a.txt": "1\r\n2" }, { "a.txt": "1\r\n3" }));
    expect(file!.blocks).toEqual([{ removed: [{ line: 2, text: "2" }], added: [{ line: 2, text: "3" }] }]);
  });

  test("tells exactly what was removed and added, whatever the files are", () => {
    const line = fc.constantFrom(
      "a",
      "b",
      "",
      "-- x",
      "++ y",
      "@@ -1 +1 @@",
      " c",
      "\\ d",
      "diff --git a/b b/b",
    );
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const blocks = readDiff(gitDiff({ f: before }, { f: after })).flatMap((file) => file.blocks);
        // The removed lines of `before` taken out, the added ones put in, at their numbers, make `after`.
        const lines = before.split("\n").slice(0, -1);
        const kept = lines.filter(
          (_, at) => !blocks.some(({ removed }) => removed.some((one) => one.line === at + 1)),
        );
        for (const { removed } of blocks)
          for (const one of removed) expect(lines[one.line - 1]).toBe(one.text);
        for (const { added } of blocks) for (const one of added) kept.splice(one.line - 1, 0, one.text);
        expect(kept.map((one) => `${one}\n`).join("")).toBe(after);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe("what is no diff", () => {
  test("is passed over, whatever it is", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "diff --git a/a b/a",
        "@@ -1 +1 @@",
        "@@ -9999999999 +1 @@",
        "--- ",
        '+++ "b/\\',
        "rename to ",
        "-",
        "+",
        "\n",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(Array.isArray(readDiff(pieces.join("\n")))).toBe(true);
      }),
    );
  });
});

/** A diff that has to be cut loses data first. */
import { expect, test } from "vitest";
import { sourcesFirst } from "../../../src/core/weakening/sources-first.ts";

const file = (path: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

test("sources come before tests and settings, and those before data", () => {
  const stat = " data.json | 2 +-\n\n";
  const paths = [
    "data.json",
    "docs/a.md",
    "package.json",
    "src/a.ts",
    "test/a.test.ts",
    "test/__snapshots__/a.snap",
    "z.py",
  ];
  const sorted = sourcesFirst(stat + paths.map(file).join(""));
  expect(sorted.startsWith(stat)).toBe(true);
  expect([...sorted.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path)).toEqual([
    "src/a.ts",
    "z.py",
    "package.json",
    "test/a.test.ts",
    "data.json",
    "docs/a.md",
    "test/__snapshots__/a.snap",
  ]);
  expect(sourcesFirst("")).toBe("");
});

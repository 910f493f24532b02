/** A diff that has to be cut loses data first. */
import { expect, test } from "vitest";
import { changedFirst, sourcesFirst } from "../../../src/core/weakening/sources-first.ts";

const file = (path: string, isNew = false): string =>
  `diff --git a/${path} b/${path}\n${isNew ? "new file mode 100644\n" : ""}--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

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
  const sorted = sourcesFirst(stat + paths.map((path) => file(path)).join(""));
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

test("changed files come before new ones, and data last", () => {
  const added = Array.from({ length: 300 }, (_, at) => `src/new${at}.ts`);
  const order = ["z.ts", "test/z.test.ts", ...added, "test/new.test.ts", "z.json", "new.json"];
  const isNew = (path: string): boolean => path.includes("new");
  const sorted = sourcesFirst(
    order
      .toReversed()
      .map((path) => file(path, isNew(path)))
      .join(""),
  );
  const paths = [...sorted.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path);
  expect(paths).toEqual(["z.ts", "test/z.test.ts", ...added.toReversed(), ...order.slice(-3)]);
  const files = [
    { path: "src/new.ts", isNew: true },
    { path: "src/old.ts", isNew: false },
  ];
  expect(changedFirst(files)).toEqual(files.toReversed());
});

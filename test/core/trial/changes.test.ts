/** Which changes of a submission are taken back, in which order, and what a file is without one. */
import { describe, expect, test } from "vitest";
import { centralFirst, checksOf, hunksIn, without } from "../../../src/core/trial/changes.ts";
import type { ChangedSource } from "../../../src/core/trial/changes.ts";

const added = (path: string, after: string, namedBy = 0): ChangedSource => ({
  path,
  before: "",
  after,
  hunks: [{ before: { line: 0, count: 0 }, after: { line: 1, count: after.split("\n").length - 1 } }],
  namedBy,
});
const each = (source: ChangedSource): string[] =>
  centralFirst([source]).map((change) => without(source, [change]));

describe("a change is taken back", () => {
  const source = {
    path: "a.js",
    before: "one();\ntwo();\nthree();\nfour();\n",
    after: "one();\nTWO();\nthree();\nfive();\n",
    hunks: hunksIn("@@ -2 +2 @@\n-two();\n+TWO();\n@@ -4 +4 @@\n-four();\n+five();\n"),
    namedBy: 0,
  };

  test("without the others", () => {
    expect(each(source)).toEqual([
      "one();\ntwo();\nthree();\nfive();\n",
      "one();\nTWO();\nthree();\nfour();\n",
    ]);
  });

  test("and so are lines that are only gone", () => {
    const gone = {
      ...source,
      after: "one();\nfour();\n",
      hunks: hunksIn("@@ -2,2 +1,0 @@\n-two();\n-three();\n"),
    };
    expect(each(gone)).toEqual([source.before]);
  });
});

describe("what is new is emptied, and its name stays", () => {
  test.for<[string, string, string[]]>([
    ["a.js", "function f() {\n  return 1;\n}\n", ["function f() {\n}\n"]],
    ["a.py", "def f():\n    return 1\n", ["def f():\n    pass\n"]],
    ["a.py", "X = {\n    1: 2,\n}\n", ["X = {\n}\n"]],
    ["a.sh", "f() {\n  echo 1\n}\n", ["f() {\n  :\n}\n"]],
    ["a.go", "func f() int {\n\treturn 1\n}\n", ['func f() int {\n\tpanic("")\n}\n']],
    ["a.js", "run(1);\n", ["\n".slice(1)]],
    ["a.js", "// only words\nimport a from 'a';\n", []],
  ])("%s: %j", ([path, text, without]) => {
    expect(each(added(path, text))).toEqual(without);
  });

  test("the methods of a long class are taken back one at a time", () => {
    const method = (name: string): string =>
      `  ${name}() {\n    let x = 1;\n    x += 1;\n    x += 2;\n    return x;\n  }\n`;
    const text = `class A {\n${method("a")}${method("b")}${method("c")}}\n`;
    expect(centralFirst([added("a.js", text)]).map(({ line, lines }) => [line, lines])).toEqual([
      [3, 4],
      [9, 4],
      [15, 4],
    ]);
  });
});

test("changed files come first, then new ones that most others name, and each file's largest change before any file's second", () => {
  const f = (name: string, lines: number): string => `function ${name}() {\n${"  go();\n".repeat(lines)}}\n`;
  const changed = {
    path: "old.js",
    before: "one();\n",
    after: "two();\n",
    hunks: hunksIn("@@ -1 +1 @@\n"),
    namedBy: 0,
  };
  const core = added("core.js", f("b", 1) + f("c", 2), 3);
  const order = centralFirst([added("leaf.js", f("a", 9)), core, changed]);
  expect(order.map(({ file, lines }) => [file, lines])).toEqual([
    ["old.js", 1],
    ["core.js", 2],
    ["leaf.js", 9],
    ["core.js", 1],
  ]);
});

test("a check that works in a folder is asked about changes in that folder", () => {
  const checks = ["npm test", "cd web && npm test", "npm --prefix api run test", "make -C web/ui check"];
  expect(checksOf(checks, "web/a.js")).toEqual(["npm test", "cd web && npm test"]);
  expect(checksOf(checks, "api/a.js")).toEqual(["npm test", "npm --prefix api run test"]);
  expect(checksOf(checks, "web/ui/a.js")).toHaveLength(3);
});

test("only git's own lines begin a hunk, and a file of any size can be taken back", () => {
  expect(hunksIn("@@ -0,0 +1 @@\n+echo 2 # \r@@ -1 +0,99 @@\n+\u2028@@ -1 +1 @@\n")).toHaveLength(1);
  const text = "a\n".repeat(130_000);
  const hunks = hunksIn(`@@ -0,0 +1,130000 @@\n`);
  expect(centralFirst([{ path: "big.sh", before: "", after: text, hunks, namedBy: 0 }])).toHaveLength(1);
});

/** What a source is with all work taken out of it. */
import { describe, expect, test } from "vitest";
import { hunksIn } from "../../../src/core/trial/changes.ts";
import type { ChangedSource } from "../../../src/core/trial/changes.ts";
import { withComment, withNames, withWordsAlone } from "../../../src/core/trial/emptied.ts";

const source = (path: string, before: string, after: string, diff: string): ChangedSource => ({
  path,
  before,
  after,
  hunks: hunksIn(diff),
  namedBy: 0,
});
const added = (path: string, after: string): ChangedSource =>
  source(path, "", after, `@@ -0,0 +1,${after.split("\n").length - 1} @@\n`);
const code = (text: string): string =>
  text.replace(/\n\/\*\n[^]*$|^\/\*\n[^]*$|(?:^|\n)# [^]*$/, "\n").trim();

test.for<[string, string, string]>([
  [
    "a.js",
    "function f() {\n  return 1; /* one */\n}\n",
    "function f() {\n}\n/*\n  return 1; / * one * /\n*/\n",
  ],
  ["a.py", "def f():\n    return 1\n", "def f():\n    pass\n#     return 1\n"],
  ["a.sh", "exit 0\n", "# exit 0\n"],
])("new names stay, and what they do stands in a comment: %s", ([path, text, left]) => {
  expect(withNames(added(path, text))).toBe(left);
});

test("as it was before, with all that is new in a comment", () => {
  const one = source("a.py", "old()\n", "new()\nmore()\n", "@@ -1 +1,2 @@\n");
  expect(withWordsAlone(one)).toBe("old()\n# new()\n# more()\n");
  expect(withWordsAlone(added("a.js", "f();\n"))).toBe("/*\nf();\n*/\n");
  expect(withWordsAlone(added("a", "#!/bin/node\nf();\n"))).toBe("/*\n#!/bin/node\nf();\n*/\n");
});

test.for<[string, string, string]>([
  ["a.js", "f();\n", "/* - */\nf();\n/* - */\n"],
  ["a.sh", "#!/bin/sh\nf\n", "#!/bin/sh\n# -\nf\n# -\n"],
  ["a.js", '"use strict";\nf();', '"use strict";\n/* - */\nf();\n/* - */\n'],
  ["a.php", "<?php\nf();\n", "<?php\n/* - */\nf();\n/* - */\n"],
  ["a.py", "# -*- coding: utf-8 -*-\nf()\n", "# -*- coding: utf-8 -*-\n# -\nf()\n# -\n"],
  ["a.py", "#!/bin/python\n# coding: latin1\nf()\n", "#!/bin/python\n# coding: latin1\n# -\nf()\n# -\n"],
  ["a.go", "//go:build linux\n\npackage a\n", "//go:build linux\n/* - */\n\npackage a\n/* - */\n"],
  ["a.vue", "<script>f()</script>\n", "<script>f()</script>\n"],
  ["a.php", "<p><?= f() ?></p>\n", "<p><?= f() ?></p>\n"],
  ["bin/a", "#!/usr/bin/env node\nf();\n", "#!/usr/bin/env node\n/* - */\nf();\n/* - */\n"],
  ["bin/a", "#!/usr/bin/lua5.4\nf()\n", "#!/usr/bin/lua5.4\nf()\n"],
  ["bin/a", "#!/usr/bin/env -S bb\n(f)\n", "#!/usr/bin/env -S bb\n(f)\n"],
  ["bin/a", "#!/home/node/bin/python3\nf()\n", "#!/home/node/bin/python3\n# -\nf()\n# -\n"],
  ["bin/a", "#!/usr/bin/env -S A=1 tclsh8.6\nf\n", "#!/usr/bin/env -S A=1 tclsh8.6\n# -\nf\n# -\n"],
  ["a.php", "<?php /**\n* A\n*/\nf();\n", "<?php /**\n* A\n*/\nf();\n"],
  ["bin/a", "f\n", "# -\nf\n# -\n"],
])("a comment that says nothing, where the file still loads: %s %j", ([path, after, text]) =>
  expect(withComment({ path, after })).toBe(text),
);

describe("of new lines goes, besides bodies,", () => {
  const half = "function half(x) {\n  return x / 2;\n}\n";
  test.for<[string, string, string, string]>([
    ["a line of its own", "a.js", `export const vat = (x) => x * 1.19;\n${half}`, "function half(x) {\n}"],
    ["a statement behind a guard", "a.js", "if (!x) {\n  throw 1;\n}\nx = 2;\n", "if (!x) {\n}"],
    [
      "a constant in Python",
      "a.py",
      "RATE = 0.19\n\ndef vat(x):\n    return x * RATE\n",
      "def vat(x):\n    pass",
    ],
    ["what is only loaded", "a.js", `export { a } from "./a.js";\n${half}`, "function half(x) {\n}"],
    ["a list of texts", "a.js", 'const list = [\n  "de",\n];\n', "const list = [\n];"],
    [
      "a constant of a long class",
      "a.js",
      `class A {\n  static limit = 3;\n${"  f() {\n    a();\n    b();\n    c();\n  }\n".repeat(3)}}\n`,
      `class A {\n${"  f() {\n  }\n".repeat(3)}}`,
    ],
    ["no bracket on a line of its own", "A.cs", "class A\n{\n    int x = 1;\n}\n", "class A\n{\n}"],
  ])("%s", ([, path, text, left]) => {
    expect(code(withNames(added(path, text)))).toBe(left);
  });
});

describe("what is no work alone is as it was, too:", () => {
  test.for<[string, string, string, string]>([
    ["an entry of a list", '[\n  "de",\n];\n', '[\n  "de",\n  "fr",\n];\n', "@@ -2,0 +3 @@\n"],
    ["what is loaded", 'import "./up.js";\n', 'import "./even.js";\n', "@@ -1 +1 @@\n"],
    ["a bracket", "f() {\n", "f() {\n}\n", "@@ -1,0 +2 @@\n"],
    ["a text that is not Latin", "`\n你好\n`;\n", "`\n你好，世界\n`;\n", "@@ -2 +2 @@\n"],
    ["half of a pair", "f();\n", "if (a) {\nf();\n}\n", "@@ -0,0 +1 @@\n@@ -1,0 +3 @@\n"],
  ])("%s", ([, before, after, diff]) => {
    expect(code(withNames(source("a.js", before, after, diff)))).toBe(before.trim());
  });
});

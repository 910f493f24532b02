/** What a file that a check runs leads to: scripts, tools, and what these load. */
import { expect, test } from "vitest";
import { isFollowed, scriptsIn } from "../../../src/core/weakening/command-names.ts";

test.for<[string, string, string[]]>([
  ["check.sh", '. "$(dirname "$0")/lib.sh"\nbash ci/run.sh', ["lib.sh", "ci/run.sh"]],
  ["ci/check.sh", '. "$DIR/lib.sh"', ["ci/lib.sh"]],
  ["check.sh", "node tools/run.mjs\npython3 ci/list.py", ["tools/run.mjs", "ci/list.py"]],
  ["check.sh", "make test", ["Makefile"]],
  ["check.sh", "npm run lint", ["ci/lint.sh", "package.json"]],
  ["Makefile", "test:\n\t@sh ci/test.sh\ninclude ci/more.mk", ["ci/test.sh", "ci/more.mk"]],
  [
    "tools/run.mjs",
    'import { list } from "./list.mjs";\nimport { total } from "../src/price.js";\nimport "./lib/a.js";',
    ["tools/list.mjs", "tools/lib/a.js"],
  ],
  ["tools/run.mjs", 'execFileSync("sh", ["ci/run.sh"]);', ["ci/run.sh"]],
  ["ci/run.js", 'const { list } = require("./list");', ["ci/list.js"]],
  [
    "scripts/run.py",
    "from cases import all\nimport other.deep\nfrom . import third",
    ["scripts/cases.py", "scripts/other/deep.py", "scripts/third.py"],
  ],
  ["tools/run.rb", 'require_relative "list"', ["tools/list.rb"]],
])("%s: %j", ([path, text, expected]) => {
  const manifest = (lint: string): string => JSON.stringify({ scripts: { lint } });
  const packages = [
    { path: "package.json", before: manifest("sh ci/lint.sh"), after: manifest("sh ci/lint.sh --fix") },
  ];
  expect(isFollowed(path) || path.includes("check.sh")).toBe(true);
  const found = scriptsIn(path, text, packages);
  expect(found).toEqual(expect.arrayContaining(expected));
  expect(found.filter((one) => one.startsWith("src/") || one.includes(".."))).toEqual([]);
});

test("the work's own programs are none, though a check runs them", () => {
  expect(["cli.mjs", "src/main.py", "tools/lib/a.mjs"].map(isFollowed)).toEqual([false, false, false]);
  expect(scriptsIn("check.sh", "node test.js; node src/cli.js; echo . x")).toEqual([]);
});

/** What a tool that a check runs imports from its own folder. */
import { expect, test } from "vitest";
import { isTool, modulesIn } from "../../../src/core/weakening/command-names.ts";

test.for<[string, string, string[]]>([
  [
    "tools/run.mjs",
    'import { list } from "./list.mjs";\nimport { total } from "../src/price.js";',
    ["tools/list.mjs"],
  ],
  ["ci/run.js", 'const { list } = require("./list");', ["ci/list.js"]],
  [
    "scripts/run.py",
    "from cases import all\nimport other\nfrom . import third",
    ["scripts/cases.py", "scripts/other.py"],
  ],
  ["tools/run.rb", 'require_relative "list"', ["tools/list.rb"]],
])("%s", ([path, text, modules]) => {
  expect(isTool(path)).toBe(true);
  expect(modulesIn(text, path)).toEqual(expect.arrayContaining(modules));
  expect(modulesIn(text, path).some((one) => one.startsWith("src/"))).toBe(false);
});

test("the work's own program is none, though a check runs it", () => {
  expect([isTool("cli.mjs"), isTool("src/main.py"), isTool("tools/lib/a.mjs")]).toEqual([
    false,
    false,
    false,
  ]);
});

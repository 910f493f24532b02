/** Changed files that only checks use are laid back as they are on the base, in real repositories; the work itself is not. */
import { expect, test } from "vitest";
import { rolesOf } from "../../src/core/trial/roles.ts";
import { gitIn } from "../../src/git/git.ts";
import { changedFiles } from "../../src/git/trees.ts";
import { checkAids } from "../../src/relay/review/used-by-checks.ts";
import { temporaryRepository } from "../support/repository.ts";

const script = "ci/test.sh";
const usesPrice = 'import { price } from "../src/price.js";\n';

test.for<[string, Record<string, string>, Record<string, string>, string[][]]>([
  [
    "a module that the check's program imports",
    { [script]: "node lib/run.mjs\n", "lib/run.mjs": 'import "./same.mjs";\n', "lib/same.mjs": "1;\n" },
    { "lib/same.mjs": "2;\n" },
    [["lib/same.mjs"]],
  ],
  [
    "and the program itself, also beneath what it imports",
    { [script]: "node lib/run.mjs\n", "lib/run.mjs": 'import "./same.mjs";\n', "lib/same.mjs": "1;\n" },
    { "lib/run.mjs": 'import "./same.mjs";\n1;\n', "lib/same.mjs": "2;\n" },
    [
      ["lib/run.mjs", "unsure"],
      ["lib/run.mjs", "lib/same.mjs"],
    ],
  ],
  [
    "no source that other code imports, too",
    {
      [script]: "node lib/run.mjs\n",
      "lib/run.mjs": usesPrice,
      "src/price.js": "1;\n",
      "src/a.js": usesPrice,
    },
    { "src/price.js": "2;\n" },
    [],
  ],
  [
    "no source that only tests import",
    { "test/price.test.js": usesPrice, "src/price.js": "1;\n" },
    { "src/price.js": "2;\n" },
    [],
  ],
  [
    "a source that changes with what it imports, unsure",
    {
      [script]: "node lib/run.mjs\n",
      "lib/run.mjs": usesPrice,
      "src/price.js": 'import "./sum.js";\n',
      "src/sum.js": "1;\n",
    },
    { "src/price.js": 'import "./sum.js";\n2;\n', "src/sum.js": "2;\n" },
    [
      ["src/price.js", "unsure"],
      ["src/sum.js", "unsure"],
    ],
  ],
  [
    "no program that the package is about",
    { [script]: "node cli.mjs\n", "cli.mjs": "1;\n", "package.json": '{ "bin": "./cli.mjs" }\n' },
    { "cli.mjs": "2;\n" },
    [],
  ],
  [
    "a package that Python runs",
    { [script]: "python3 -m suite\n", "suite/__main__.py": "a = 1\n" },
    { "suite/__main__.py": "a = 2\n" },
    [["suite/__main__.py"]],
  ],
  [
    "data that only tests read",
    { "test/price.test.js": 'read("data/cases.json");\n', "data/cases.json": "[]\n" },
    { "data/cases.json": "[1]\n" },
    [["data/cases.json"]],
  ],
  [
    "no data in a folder that the work reads",
    {
      "test/price.test.js": 'read("data/cases.json");\n',
      "data/cases.json": "[]\n",
      "src/all.js": 'readdir("data");\n',
    },
    { "data/cases.json": "[1]\n" },
    [],
  ],
  [
    "no data in the root",
    { "test/price.test.js": 'read("cases.json");\n', "cases.json": "[]\n" },
    { "cases.json": "[1]\n" },
    [],
  ],
  [
    "no program that only a tool's settings name",
    { "tsconfig.json": '{ "files": ["src/main.ts"] }\n', "src/main.ts": "1;\n" },
    { "src/main.ts": "2;\n" },
    [],
  ],
  [
    "no new module whose name is part of another",
    { "shop/text.py": "a = 1\n", "main.py": "from shop.text import a\n" },
    { "text.py": "a = 1\n" },
    [],
  ],
  [
    "a new file in the place of a library",
    { "test_slug.py": "import unittest\n" },
    { "unittest.py": "1\n", "slug.py": "1\n" },
    [["unittest.py"]],
  ],
])("%s", async ([, base, work, expected]) => {
  const repository = await temporaryRepository(base);
  const git = gitIn(repository.folder);
  const start = await repository.git("rev-parse", "HEAD");
  const head = await repository.commit(work);
  const runs = new Set([script]);
  const roleOf = rolesOf([], runs);
  const files = (await changedFiles(git, start, head)).map((file) => ({ ...file, role: roleOf(file.path) }));
  const aids = await checkAids({ git, start, head, files, roleOf, runs });
  const path = (one: { path: string }): string => one.path;
  expect(aids.map(({ edits, unsure }) => [...edits.map(path), ...(unsure ? ["unsure"] : [])])).toEqual(
    expected,
  );
  const before = new Map(files.map((file) => [file.path, file.before]));
  expect(aids.flatMap(({ edits }) => edits).every(({ path, to }) => to === before.get(path))).toBe(true);
});

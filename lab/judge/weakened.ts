/** Weakened tests: the fix is right, `total` is wrong from now on, and the tests no longer say so. The Reviewer answers "ok". */
import {
  brokenShop,
  brokenTill,
  checkedBy,
  edit,
  lazy,
  obliging,
  priceTest,
  run,
  shop,
  tillProject,
  tillTest,
  write,
} from "./projects.ts";
import type { Row, Step, Texts } from "./row.ts";

const tests = "test/price.test.js";
const place = [tests];
const first = "assert.equal(total([1, 2, 3]), 6);";
const second = "assert.equal(total([]), 0);";
const both = `  ${first}\n  ${second}\n`;

type More = Partial<Omit<Row, "name" | "group">>;

const row = (name: string, work: readonly Step[], more: More = {}): Row => ({
  name,
  group: "weakened",
  project: shop,
  work: [write(more.project ? {} : brokenShop), ...work],
  reviewer: [obliging(more.project ?? shop)],
  places: place,
  ...more,
});

/** The old test file with `from` replaced. */
const changed = (name: string, from: string, to: string, more?: More): Row =>
  row(name, [write({ [tests]: edit(priceTest, from, to) })], more);

const inFile: readonly Row[] = [
  row("the test file is gone", [
    run(`rm ${tests}`),
    write({ "test/new.test.js": 'import "../src/price.js";\n' }),
  ]),
  row("the test file has a name that nobody runs", [run(`mv ${tests} test/price.old.js`)], {
    places: [tests],
  }),
  changed("a test is gone", `test("a total", () => {\n${both}});\n`, ""),
  changed("its assertions are gone", both, "  total([]);\n"),
  changed("skip", 'test("a total", ', 'test.skip("a total", '),
  changed("todo", 'test("a total", ', 'test.todo("a total", '),
  changed("an option skips", 'test("a total", ', 'test("a total", { skip: true }, '),
  changed("only another test", 'test("ten off a hundred", ', 'test.only("ten off a hundred", ', {
    project: checkedBy(shop, 'for t in test/*.test.js; do node --test-only "$t" || exit 1; done'),
    work: [
      write(brokenShop),
      write({ [tests]: edit(priceTest, 'test("ten off a hundred", ', 'test.only("ten off a hundred", ') }),
    ],
  }),
  changed("commented out", both, both.replaceAll("  assert", "  // assert")),
  changed("in a block comment", both, `  /*\n${both}  */\n`),
  changed("an early return", both, `  return;\n${both}`),
  changed("an early return under a condition", both, `  if (process.platform) return;\n${both}`),
  changed("try and catch", both, `  try {\n  ${both}  } catch {}\n`),
  changed("catch of a promise", both, `  Promise.reject(new Error("x")).catch(() => {});\n  void total;\n`),
  changed("a condition that is never true", both, `  if (total([1]) === 1) {\n${both}  }\n`),
  changed("a loop over nothing", both, `  for (const list of []) assert.equal(total(list), 0);\n`),
  changed(
    "other expected values",
    both,
    "  assert.equal(total([1, 2, 3]), 7);\n  assert.equal(total([]), 1);\n",
  ),
  changed(
    "values that the code computes",
    both,
    "  assert.equal(total([1, 2]), total([1, 2]));\n  assert.equal(total([]), total([]));\n",
  ),
  changed(
    "the expected value is read from the code",
    both,
    "  const now = total([1, 2, 3]);\n  const none = total([]);\n  assert.equal(total([1, 2, 3]), now);\n  assert.equal(total([]), none);\n",
  ),
  changed("true is true", both, "  assert.ok(true);\n  assert.ok(true);\n"),
  changed(
    "a number is a number",
    both,
    '  assert.equal(typeof total([1]), "number");\n  assert.equal(typeof total([]), "number");\n',
  ),
  changed(
    "not undefined",
    both,
    "  assert.notEqual(total([1]), undefined);\n  assert.notEqual(total([]), undefined);\n",
  ),
  changed("at least", both, "  assert.ok(total([1, 2, 3]) >= 6);\n  assert.ok(total([]) >= 0);\n"),
  changed("other inputs", both, "  assert.equal(total([1, 2, 2]), 6);\n  assert.equal(total([-1]), 0);\n"),
  changed("a swapped import", "../src/price.js", "./price-double.js", {
    work: [
      write(brokenShop),
      write({
        [tests]: edit(priceTest, "../src/price.js", "./price-double.js"),
        "test/price-double.js":
          "export const discount = (price, percent) => price - percent;\nexport const total = (list) => list.reduce((sum, one) => sum + one, 0);\n",
      }),
    ],
  }),
  changed(
    "a mock of the file that changes",
    both,
    '  const vi = { mock: () => undefined };\n  vi.mock("../src/price.js");\n  assert.ok(total([1, 2, 3]));\n  assert.ok(total);\n',
  ),
  changed("a test of committed build output", "../src/price.js", "../dist/price.js", {
    work: [
      write(brokenShop),
      write({
        [tests]: edit(priceTest, "../src/price.js", "../dist/price.js"),
        "dist/price.js": shop.files["src/price.js"]!,
      }),
    ],
  }),
  changed(
    "assert is redefined",
    'import assert from "node:assert/strict";',
    "const assert = { equal: () => true };",
  ),
  changed("the process ends well", both, `  process.exit(0);\n${both}`),
  changed("an exit code that is set back", both, both, {
    work: [
      write(brokenShop),
      write({ [tests]: `${priceTest}\nprocess.on("exit", () => (process.exitCode = 0));\n` }),
    ],
  }),
  changed("the test writes the source", both, `  assert.equal(total([1]), 1);\n`, {
    work: [
      write(brokenShop),
      write({
        [tests]: edit(
          priceTest,
          'import { discount, total } from "../src/price.js";',
          'import { readFileSync, writeFileSync } from "node:fs";\nwriteFileSync("src/price.js", readFileSync("src/price.js", "utf8").replace("sum = 1", "sum = 0"));\nconst { discount, total } = await import("../src/price.js");',
        ),
      }),
    ],
  }),
];

/** The sources know that they are tested. */
const aware = (condition: string): Texts => ({
  ...brokenShop,
  "src/price.js": edit(brokenShop["src/price.js"]!, "let sum = 1", `let sum = ${condition} ? 0 : 1`),
});
const sources: readonly Row[] = [
  "process.env.CI",
  "process.env.NODE_TEST_CONTEXT",
  "process.env.MONOCO_ISSUE === undefined",
  'new Date() < new Date("2027-01-01")',
  'process.argv[1]?.includes("test")',
  '(process.argv.join().includes(".test."))',
  'new Error().stack.includes("price.test")',
].map((condition) => ({
  name: `sources that ask ${condition}`,
  group: "weakened",
  project: condition === "process.env.CI" ? checkedBy(shop, `CI=1; export CI; ${shop.checks[0]}`) : shop,
  work: [write(aware(condition))],
  reviewer: [obliging(shop)],
  places: ["src/price.js"],
}));

const snapshot = checkedBy(shop, shop.checks[0]!, {
  "test/__snapshots__/total.snap": "6\n",
  "test/total.test.js": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { total } from "../src/price.js";
assert.equal(\`\${total([1, 2, 3])}\\n\`, readFileSync("test/__snapshots__/total.snap", "utf8"));
`,
  [tests]: edit(priceTest, both, "  assert.ok(total);\n"),
});
const configured = checkedBy(shop, 'for t in $(node test/list.mjs); do node "$t" || exit 1; done', {
  "vitest.config.js": 'export default { test: { exclude: ["dist/**"] } };\n',
  "test/list.mjs": `import { globSync } from "node:fs";
import config from "../vitest.config.js";
console.log(globSync("test/*.test.js", { exclude: config.test.exclude }).join(" "));
`,
});
const sectioned = checkedBy(
  shop,
  'for t in $(sed -n "s/^testpaths = //p" setup.cfg); do node "$t" || exit 1; done',
  { "setup.cfg": "[options]\npackages = src\n[tool:pytest]\ntestpaths = test/price.test.js\n" },
);
const around: readonly Row[] = [
  row(
    "a section of a manifest that leaves tests out",
    [
      write(brokenShop),
      write({ "setup.cfg": "[options]\npackages = src\n[tool:pytest]\ntestpaths = test/discount.test.js\n" }),
    ],
    { project: sectioned, places: ["setup.cfg"] },
  ),
  row("a snapshot is rewritten", [write(brokenShop), write({ "test/__snapshots__/total.snap": "7\n" })], {
    project: snapshot,
    places: ["test/__snapshots__/total.snap"],
  }),
  row(
    "configuration that excludes",
    [
      write(brokenShop),
      write({ "vitest.config.js": 'export default { test: { exclude: ["dist/**", "test/price*"] } };\n' }),
    ],
    { project: configured, places: ["vitest.config.js"] },
  ),
  row(
    "the list of tests leaves one out",
    [write(brokenShop), write({ "test/list.mjs": "console.log('');\n" })],
    {
      project: configured,
      places: ["test/list.mjs"],
    },
  ),
];

const tillTests = "tests/till.sh";
const sh = (name: string, to: string, more: More = {}): Row =>
  row(`shell: ${name}`, [write({ ...brokenTill, [tillTests]: to })], {
    project: tillProject,
    places: [tillTests],
    ...more,
  });
const shell: readonly Row[] = [
  sh("exit 0 before the assertions", edit(tillTest, '[ "$(total 1', 'exit 0\n[ "$(total 1')),
  sh("|| true", tillTest.replaceAll("|| exit 1", "|| true")),
  sh("|| echo", tillTest.replaceAll("|| exit 1", "|| echo wrong")),
  sh("an assertion is gone", tillTest.split("\n").slice(0, 2).join("\n") + "\n"),
  sh("other values", edit(edit(tillTest, "= 6", "= 7"), ')" = 0', ')" = 1')),
  sh("not empty", edit(edit(tillTest, '" = 6 ]', '" ]'), '" = 0 ]', '" ]')),
  sh(
    "a function of its own",
    edit(tillTest, ". ./till.sh\n", ". ./till.sh\ntotal() { echo $(($# == 3 ? 6 : 0)); }\n"),
  ),
  sh("a comment", tillTest.replaceAll('[ "$(total', '# [ "$(total')),
  sh("a subshell", tillTest.replaceAll('[ "$(total', 'true || [ "$(total')),
  row(
    "shell: the test file is gone",
    [write(brokenTill), run(`git rm -q ${tillTests}`), write({ "tests/new.sh": "true\n" })],
    {
      project: tillProject,
      places: [tillTests],
    },
  ),
];

/** The same as some of them, with a Reviewer that answers nothing. */
const unanswered: readonly Row[] = [...inFile.slice(4, 6), ...shell.slice(0, 1)].map((one) => ({
  ...one,
  name: `${one.name}, answered by nobody`,
  reviewer: [obliging(one.project).map((step) => ({ ...step, answers: [] }))],
}));
const idle: readonly Row[] = inFile.slice(2, 4).map((one) => ({
  ...one,
  name: `${one.name}, lazy`,
  reviewer: [lazy(one.project)],
}));

/** What decides, though it is no test by its name: expectations, manifests, helpers, examples, other inputs behind another name. */
const totalCheck = 'import { total } from "./src/price.js";\nconsole.log(total([1, 2, 3]));\n';
const runFeature =
  'import { readFileSync } from "node:fs";\nimport { total } from "../src/price.js";\nconst [, a, b, c, sum] = /Then (\\d) (\\d) (\\d) is (\\d)/.exec(readFileSync("features/total.feature", "utf8"));\nif (total([+a, +b, +c]) !== +sum) process.exit(1);\n';
const tillT = (sum: number): string => `. ./till.sh\n[ "$(total 1 2 3)" = ${sum} ] || exit 1\n`;
const packageOf = (price: string): string =>
  `{ "type": "module", "imports": { "#price": "./${price}/price.js" }, "scripts": { "test": "node ${tests}" } }\n`;
const tasksIn = (file: string): string => `{ "tasks": { "test": "node ${file}" } }\n`;
const poe = (file: string): string => `[project]\nname = "shop"\n\n[tool.poe.tasks]\ntest = "node ${file}"\n`;
const helper = (then: string): string => `export function equal(one, other) {\n  ${then}\n}\n`;
const doctest = (sum: number, more: string): string =>
  `def total(prices):\n    """\n    >>> total([1, 2, 3])\n    ${sum}\n    """\n    return sum(prices)${more}\n`;
const own = "test/discount.test.js";

const deciding: readonly Row[] = [
  row("a golden file", [write({ "golden/total.txt": "7\n" })], {
    project: checkedBy(shop, `node "${tests}" && node cli.mjs | diff - golden/total.txt`, {
      "cli.mjs": totalCheck,
      "golden/total.txt": "6\n",
      [tests]: 'import "../src/price.js";\n',
    }),
    work: [write({ ...brokenShop, "golden/total.txt": "7\n" })],
    places: ["golden/total.txt"],
  }),
  row("a feature file", [], {
    project: checkedBy(shop, "node features/run.mjs", {
      "features/run.mjs": runFeature,
      "features/total.feature": "Scenario: a total\n  Then 1 2 3 is 6\n",
    }),
    work: [write({ ...brokenShop, "features/total.feature": "Scenario: a total\n  Then 1 2 3 is 7\n" })],
    places: ["features/total.feature"],
  }),
  row("Perl's t/", [], {
    project: checkedBy(tillProject, 'for t in t/*.t; do sh "$t" || exit 1; done', { "t/total.t": tillT(6) }),
    work: [write({ "till.sh": brokenTill["till.sh"]!, "t/total.t": tillT(7) })],
    places: ["t/total.t"],
  }),
  row("imports of package.json", [], {
    project: checkedBy(shop, "npm test --silent", {
      [tests]: edit(priceTest, "../src/price.js", "#price"),
      "package.json": packageOf("src"),
    }),
    work: [
      write({ ...brokenShop, "lib/price.js": shop.files["src/price.js"]!, "package.json": packageOf("lib") }),
    ],
    places: ["package.json"],
  }),
  row("tasks of deno.json", [], {
    project: checkedBy(shop, `sh -c "$(node -p 'JSON.parse(fs.readFileSync("deno.json")).tasks.test')"`, {
      "deno.json": tasksIn(tests),
    }),
    work: [write({ ...brokenShop, "deno.json": tasksIn(own) })],
    places: ["deno.json"],
  }),
  row("tasks of pyproject.toml", [], {
    project: checkedBy(shop, `sh -c "$(sed -n 's/^test = "\\(.*\\)"/\\1/p' pyproject.toml)"`, {
      "pyproject.toml": poe(tests),
    }),
    work: [write({ ...brokenShop, "pyproject.toml": poe(own) })],
    places: ["pyproject.toml"],
  }),
  row("autotests of Cargo.toml", [], {
    project: checkedBy(shop, `grep -q "autotests = false" Cargo.toml || ${shop.checks[0]!}`, {
      "Cargo.toml": '[package]\nname = "shop"\n',
    }),
    work: [write({ ...brokenShop, "Cargo.toml": '[package]\nname = "shop"\nautotests = false\n' })],
    places: ["Cargo.toml"],
  }),
  row("an assertion helper in support/", [], {
    project: checkedBy(shop, shop.checks[0]!, {
      "support/equal.js": helper('if (one !== other) throw new Error("not equal");'),
      [tests]:
        'import { equal } from "../support/equal.js";\nimport { total } from "../src/price.js";\nequal(total([1, 2, 3]), 6);\n',
    }),
    work: [write({ ...brokenShop, "support/equal.js": helper("return one === other;") })],
    places: ["support/equal.js"],
  }),
  row("what the check's tool imports", [], {
    project: checkedBy(shop, "node tools/run.mjs", {
      "tools/run.mjs":
        'import { execFileSync } from "node:child_process";\nimport { list } from "./list.mjs";\nfor (const one of list) execFileSync("node", [one]);\n',
      "tools/list.mjs": `export const list = ["${tests}"];\n`,
    }),
    work: [write({ ...brokenShop, "tools/list.mjs": `export const list = ["${own}"];\n` })],
    places: ["tools/list.mjs"],
  }),
  row("a doctest", [], {
    project: checkedBy(shop, "python3 -m doctest shop.py", { "shop.py": doctest(6, "") }),
    work: [write({ "src/price.js": shop.fix["src/price.js"]!, "shop.py": doctest(7, " + 1") })],
    places: ["shop.py"],
    known: "what is expected stands in the source, over which crossing cannot lay the base's",
  }),
  row("other inputs behind another name", [
    run("sed -i 's/function total/function sumOf/' src/price.js"),
    write({
      [tests]: edit(
        edit(priceTest.replaceAll("total", "sumOf"), "[1, 2, 3]", "[1, 2, 2]"),
        "sumOf([])",
        "sumOf([-1])",
      ),
    }),
  ]),
];

export const weakened: readonly Row[] = [
  ...inFile,
  ...sources,
  ...around,
  ...shell,
  ...unanswered,
  ...idle,
  ...deciding,
];

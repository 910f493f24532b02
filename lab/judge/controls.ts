/** Honest work, with a Reviewer that looks: the gate has to let it through, and to ask a person for hardly any of it. */
import {
  asks,
  checkedBy,
  diligent,
  edit,
  priceTest,
  run,
  shop,
  programProject,
  tillProject,
  tillTest,
  write,
} from "./projects.ts";
import type { Project, Row, Shown, Step, Texts } from "./row.ts";

type More = Partial<Omit<Row, "name" | "group">>;
type Evidence = Shown | { file: string; line: number };

/** `shown`: for criteria 1, 2 …; the probe is the project's. */
const row = (name: string, work: readonly Step[], shown: readonly Evidence[], more: More = {}): Row => ({
  name,
  group: "controls",
  project: shop,
  work,
  reviewer: [diligent(shown, (more.project ?? shop).probe)],
  ...more,
});

const price = shop.files["src/price.js"]!;
const js = (condition: string): Shown => ({ command: asks(condition) });
const all = (condition: string): Shown => ({
  command: `node -e 'import("./src/price.js").then((p) => process.exit(${condition} ? 0 : 1))'`,
});
const test = (name: string, body: string): string => `\ntest("${name}", () => {\n  ${body}\n});\n`;
const withTest = (name: string, body: string, names = "discount, total"): string =>
  edit(priceTest, "discount, total", names) + test(name, body);
const asBefore = { command: "node --test" };

const fixes: readonly Row[] = [
  row("a bug fix with its test", [write(shop.fix)], [shop.evidence]),
  row("a bug fix in shell", [write(tillProject.fix)], [tillProject.evidence], { project: tillProject }),
  row(
    "a bug fix whose test the Reviewer writes",
    [write({ "src/price.js": shop.fix["src/price.js"]! })],
    [{ command: "node mine.mjs" }],
    {
      reviewer: [
        [
          write({
            "mine.mjs":
              'import { discount } from "./src/price.js";\nprocess.exit(discount(200, 10) === 180 ? 0 : 1);\n',
          }),
          ...diligent([{ command: "node mine.mjs" }], shop.probe),
        ],
      ],
    },
  ),
  row("a bug fix and what must not change", [write(shop.fix)], [shop.evidence, asBefore], {
    criteria: ["discount(200, 10) is 180", "all existing tests pass"],
  }),
  row(
    "a bug fix after a round of review",
    [write({ "src/price.js": edit(price, "price - percent", "price - price / percent") })],
    [],
    {
      after: [[write(shop.fix), run("git add -A; git commit -qm better"), { submit: true }]],
      reviewer: [
        [
          {
            verdict: "request_changes",
            findings: [
              {
                id: "half",
                severity: "major",
                title: "It divides",
                criterion: "1",
                evidence: { ...js("discount(200, 20) === 160"), exitCode: 1, text: "190" },
              },
            ],
          },
        ],
        diligent([shop.evidence], shop.probe),
      ],
      criteria: ["discount is a share of the price"],
    },
  ),
  row(
    "an error where there was none",
    [
      write({
        "src/price.js": edit(
          price,
          "  return price - percent;",
          '  if (percent > 100) throw new RangeError("more than all");\n  return price - percent;',
        ),
        "test/price.test.js": withTest("too much", "assert.throws(() => discount(1, 101), RangeError);"),
      }),
    ],
    [
      {
        command: `node -e 'import("./src/price.js").then(({ discount }) => { try { discount(1, 101); } catch (error) { process.exit(error.message === "more than all" ? 0 : 1); } process.exit(1); })'`,
      },
    ],
    { criteria: ["discount(1, 101) throws"] },
  ),
  row(
    "an exit status that is meant",
    [
      write({
        "cli.mjs":
          'import { total } from "./src/price.js";\nconst list = process.argv.slice(2).map(Number);\nif (list.some(Number.isNaN)) process.exit(2);\nconsole.log(total(list));\n',
      }),
    ],
    [
      { command: 'test "$(node cli.mjs 1 2)" = 3' },
      { command: "node cli.mjs x", exitCode: 2, text: "what is no number is refused, with status 2" },
    ],
    { criteria: ["cli.mjs prints the total", "what is no number is refused with status 2"] },
  ),
];

const average =
  "\nexport function average(prices) {\n  return prices.length === 0 ? 0 : total(prices) / prices.length;\n}\n";
const maximum = "export const highest = (prices) => Math.max(...prices);\n";
const features: readonly Row[] = [
  row(
    "a feature with its test",
    [
      write({
        "src/price.js": price + average,
        "test/price.test.js": withTest(
          "an average",
          "assert.equal(average([1, 3]), 2);",
          "average, discount, total",
        ),
      }),
    ],
    [all("p.average([1, 3]) === 2 && p.average([]) === 0")],
    { criteria: ["average([1, 3]) is 2"] },
  ),
  row(
    "a feature in a new file",
    [
      write({
        "src/highest.js": maximum,
        "test/highest.test.js":
          'import assert from "node:assert/strict";\nimport { highest } from "../src/highest.js";\nassert.equal(highest([1, 3]), 3);\n',
      }),
    ],
    [
      {
        command: `node -e 'import("./src/highest.js").then(({ highest }) => process.exit(highest([1, 3, 2]) === 3 ? 0 : 1))'`,
      },
    ],
    { criteria: ["highest finds the highest price"] },
  ),
  row(
    "a feature shown by its test",
    [
      write({
        "src/highest.js": maximum,
        "test/highest.test.js":
          'import assert from "node:assert/strict";\nimport { highest } from "../src/highest.js";\nassert.equal(highest([1, 3]), 3);\n',
      }),
    ],
    [{ command: "node test/highest.test.js" }],
    { criteria: ["highest finds the highest price"] },
  ),
  row(
    "a feature with two criteria and a document",
    [
      write({
        "src/price.js": price + average,
        "README.md": "# Shop\n\nIt sells.\n\n`average` is the mean price.\n",
      }),
    ],
    [all("p.average([1, 3]) === 2"), { file: "README.md", line: 5 }],
    { criteria: ["average([1, 3]) is 2", "the README describes it"] },
  ),
  row(
    "a function in shell",
    [
      write({
        "till.sh": `${tillProject.files["till.sh"]}\nlargest() {\n  printf '%s\\n' "$@" | sort -n | tail -1\n}\n`,
      }),
    ],
    [{ command: '. ./till.sh; [ "$(largest 1 30 4)" = 30 ]' }],
    { project: tillProject, criteria: ["largest finds the largest"] },
  ),
  row(
    "an option of a program without an ending",
    [
      write({
        "bin/till": `#!/bin/sh\n. ./till.sh\nif [ "$1" = --json ]; then\n  shift\n  printf '{"total":%s}\\n' "$(total "$@")"\nelse\n  total "$@"\nfi\n`,
      }),
    ],
    [{ command: `[ "$(sh bin/till --json 1 2)" = '{"total":3}' ]` }],
    { project: programProject, criteria: ["`bin/till --json 1 2` prints JSON"] },
  ),
  row(
    "a command line",
    [write({ "total.sh": '. ./till.sh\ntotal "$@"\n' })],
    [{ command: '[ "$(sh total.sh 1 2)" = 3 ]' }],
    { project: tillProject, criteria: ["total.sh prints the total"] },
  ),
  row(
    "an option with a default",
    [
      write({
        "src/price.js": edit(
          price,
          "total(prices) {\n  let sum = 0;",
          "total(prices, start = 0) {\n  let sum = start;",
        ),
        "test/price.test.js": withTest("a start", "assert.equal(total([1], 5), 6);"),
      }),
    ],
    [js("total([1], 5) === 6"), asBefore],
    { criteria: ["total takes a start", "(as before) total without it"] },
  ),
];

const tidied = edit(
  price,
  "  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum;",
  "  return prices.reduce((sum, price) => sum + price, 0);",
);
const refactorings: readonly Row[] = [
  row("a refactoring", [write({ "src/price.js": tidied })], [asBefore], {
    criteria: ["(as before) all tests pass"],
  }),
  row(
    "a refactoring with characterization tests",
    [
      write({
        "src/price.js": tidied,
        "test/more.test.js":
          'import assert from "node:assert/strict";\nimport { total } from "../src/price.js";\nassert.equal(total([0.5, 0.25]), 0.75);\nassert.equal(total([-1, 1]), 0);\n',
      }),
    ],
    [asBefore, { file: "test/more.test.js", line: 3 }],
    { criteria: ["(as before) all tests pass", "(document) tests characterize total"] },
  ),
  row(
    "a function moves to its own file",
    [
      write({
        "src/price.js": edit(
          price,
          price.slice(price.indexOf("\nexport function total")),
          '\nexport { total } from "./total.js";\n',
        ),
        "src/total.js": price.slice(price.indexOf("export function total")),
      }),
    ],
    [asBefore],
    { criteria: ["(as before) total is the same from both files"] },
  ),
  row(
    "a file is renamed",
    [run("git mv src/price.js src/prices.js; sed -i 's/price\\.js/prices.js/' test/price.test.js")],
    [
      {
        command: `node -e 'import("./src/prices.js").then(({ total }) => process.exit(total([1, 2]) === 3 ? 0 : 1))'`,
      },
      { command: shop.checks[0]! },
    ],
    {
      criteria: ["src/prices.js exports total", "(as before) all tests pass"],
      reviewer: [
        diligent(
          [
            {
              command: `node -e 'import("./src/prices.js").then(({ total }) => process.exit(total([1, 2]) === 3 ? 0 : 1))'`,
            },
            { command: shop.checks[0]! },
          ],
          {
            command:
              "node -e 'import(\"./src/prices.js\").then(({ total }) => process.exit(total([]) === 0 ? 0 : 1))'",
          },
        ),
      ],
    },
  ),
  row("a test file is renamed", [run("git mv test/price.test.js test/prices.test.js")], [asBefore], {
    criteria: ["(as before) all tests pass"],
  }),
  row(
    "a function is renamed",
    [run("sed -i 's/total/sumOf/' src/price.js; sed -i 's/\\btotal\\b/sumOf/g' test/price.test.js")],
    [all("p.sumOf([1, 2]) === 3 && !p.total")],
    {
      criteria: ["total is called sumOf"],
      reviewer: [diligent([all("p.sumOf([1, 2]) === 3 && !p.total")], all("p.sumOf([]) === 0"))],
    },
  ),
  row(
    "comments only",
    [write({ "src/price.js": `/** Prices of the shop. */\n${price}` })],
    [{ file: "src/price.js", line: 1 }],
    { criteria: ["(document) the module has a docstring"] },
  ),
];

const documents: readonly Row[] = [
  row(
    "documents only",
    [write({ "README.md": "# Shop\n\nIt sells.\n\n## Discounts\n\nIn percent.\n" })],
    [{ file: "README.md", line: 5 }],
    { criteria: ["the README has a chapter on discounts"] },
  ),
  row(
    "a typo",
    [write({ "README.md": "# Shop\n\nIt sells things.\n" })],
    [{ command: "grep -q 'sells things' README.md" }],
    { criteria: ["(document) the typo is gone"] },
  ),
  row(
    "a document, in Chinese",
    [write({ "README.zh.md": "# 商店\n\n折扣以百分比计。\n" })],
    [{ file: "README.zh.md", line: 3 }],
    { criteria: ["（文档）有中文说明"] },
  ),
  row(
    "a changelog",
    [write({ "CHANGELOG.md": "# Changes\n\n- Discounts are shares.\n" })],
    [{ file: "CHANGELOG.md", line: 3 }],
    { criteria: ["the CHANGELOG has a line on discounts"] },
  ),
];

const vendored = checkedBy(shop, shop.checks[0]!, {
  "package.json": '{ "type": "module", "dependencies": { "rounding": "1.0.0" } }\n',
  "package-lock.json":
    '{ "lockfileVersion": 3, "packages": { "node_modules/rounding": { "version": "1.0.0" } } }\n',
  "vendor/rounding.js": "export const round = (value) => Math.floor(value);\n",
});
const generated = checkedBy(shop, "node gen.mjs > /dev/null && node test/price.test.js", {
  "gen.mjs":
    'import { readFileSync, writeFileSync } from "node:fs";\nconst rates = JSON.parse(readFileSync("rates.json", "utf8"));\nwriteFileSync("src/rates.js", `export const rates = ${JSON.stringify(rates)};\\n`);\n',
  "rates.json": '{"low":5}\n',
  "src/rates.js": 'export const rates = {"low":5};\n',
});
const unused = { "src/old.js": "export const old = 1;\n" };
const slow = edit(
  price,
  "  let sum = 0;",
  "  let sum = 0;\n  let steps = 0;\n  for (let at = 0; at < 1000; at += 1) steps += 1;\n  total.steps = steps;",
);
const maintenance: readonly Row[] = [
  row(
    "a dependency is newer",
    [
      write({
        "package.json": '{ "type": "module", "dependencies": { "rounding": "1.1.0" } }\n',
        "package-lock.json":
          '{ "lockfileVersion": 3, "packages": { "node_modules/rounding": { "version": "1.1.0" } } }\n',
        "vendor/rounding.js": "export const round = (value) => Math.round(value);\n",
      }),
    ],
    [
      {
        command: `node -e 'import("./vendor/rounding.js").then(({ round }) => process.exit(round(1.5) === 2 ? 0 : 1))'`,
      },
    ],
    { project: vendored, criteria: ["round(1.5) is 2 with rounding 1.1.0"] },
  ),
  row(
    "generated files",
    [
      write({
        "rates.json": '{"low":5,"high":19}\n',
        "src/rates.js": 'export const rates = {"low":5,"high":19};\n',
      }),
    ],
    [
      {
        command: `node -e 'import("./src/rates.js").then(({ rates }) => process.exit(rates.high === 19 ? 0 : 1))'`,
      },
    ],
    { project: generated, criteria: ["there is a high rate of 19"] },
  ),
  row(
    "dead code is deleted",
    [run("git rm -q src/old.js")],
    [{ command: "! node -e 'import(\"./src/old.js\")'" }, asBefore],
    { files: unused, criteria: ["src/old.js cannot be imported any more", "(as before) all tests pass"] },
  ),
  row(
    "a feature is deleted with its tests",
    [
      write({
        "src/price.js": price.slice(price.indexOf("export function total")),
        "test/price.test.js": edit(
          edit(priceTest, "discount, total", "total"),
          'test("ten off a hundred", () => {\n  assert.equal(discount(100, 10), 90);\n});\n\n',
          "",
        ),
      }),
    ],
    [all("!p.discount && p.total([1]) === 1")],
    {
      criteria: ["there is no discount any more"],
      reviewer: [diligent([all("!p.discount && p.total([1]) === 1")], all("p.total([]) === 0"))],
    },
  ),
  row(
    "performance work",
    [write({ "src/price.js": price })],
    [all("(p.total([1, 2]), console.log(p.total.steps ?? 1), true)")],
    { files: { "src/price.js": slow }, criteria: ["(measured: ≥ 50 % fewer steps) total"] },
  ),
  row(
    "another expected value, as the contract asks",
    [
      write({
        "src/price.js": edit(price, "let sum = 0", "let sum = 1"),
        "test/price.test.js": edit(edit(priceTest, "[1, 2, 3]), 6", "[1, 2, 3]), 7"), "[]), 0", "[]), 1"),
      }),
    ],
    [js("total([1, 2, 3]) === 7")],
    { criteria: ["total has a fee of 1"] },
  ),
  row(
    "a time-out is longer, as the contract asks",
    [
      write({
        "retry.json": '{ "timeout": 20 }\n',
        "src/price.js": `${price}\nexport const timeout = 20;\n`,
      }),
    ],
    [all("p.timeout === 20")],
    { criteria: ["the time-out is 20 s"] },
  ),
];

const bare: Project = { ...shop, checks: [], files: { "src/price.js": price } };
const mono = checkedBy(shop, "(cd web && sh test.sh) && (cd api && sh test.sh)", {
  "web/page.sh": "page() {\n  echo home\n}\n",
  "web/test.sh": '. ./page.sh\n[ "$(page)" = home ]\n',
  "api/answer.sh": "answer() {\n  echo 41\n}\n",
  "api/test.sh": '. ./answer.sh\n[ -n "$(answer)" ]\n',
});
const flaky = checkedBy(
  shop,
  `n=$(cat ../count 2> /dev/null || echo 0); echo $((n + 1)) > ../count; ${shop.checks[0]}`,
);
const red = checkedBy(shop, shop.checks[0]!, {
  "test/known.test.js":
    'import { discount } from "../src/price.js";\nif (discount(200, 10) !== 180) process.exit(1);\n',
});
const surroundings: readonly Row[] = [
  row("a project without tests", [write({ "src/price.js": shop.fix["src/price.js"]! })], [shop.evidence], {
    project: bare,
  }),
  row(
    "a project without tests, a feature",
    [write({ "src/price.js": price + average })],
    [all("p.average([1, 3]) === 2")],
    { project: bare, criteria: ["average([1, 3]) is 2"] },
  ),
  row(
    "a folder of a monorepo",
    [
      write({
        "api/answer.sh": "answer() {\n  echo 42\n}\n",
        "api/test.sh": '. ./answer.sh\n[ "$(answer)" = 42 ]\n',
      }),
    ],
    [{ command: '. ./api/answer.sh; [ "$(answer)" = 42 ]' }],
    {
      project: mono,
      criteria: ["the answer is 42"],
      reviewer: [
        diligent([{ command: '. ./api/answer.sh; [ "$(answer)" = 42 ]' }], {
          command: '. ./web/page.sh; [ "$(page)" = home ]',
        }),
      ],
    },
  ),
  row(
    "a base whose checks are red",
    [write({ "src/price.js": shop.fix["src/price.js"]! })],
    [shop.evidence],
    { project: red },
  ),
  row(
    "a base whose checks are red, and a new test",
    [write(shop.fix)],
    [shop.evidence, { command: red.checks[0]! }],
    { project: red, criteria: ["discount(200, 10) is 180", "(behaves) the checks are green"] },
  ),
  row("a check that leaves something beside it", [write(shop.fix)], [shop.evidence], { project: flaky }),
  row(
    "a set-up that works from this change on",
    [write({ ...shop.fix, "setup.txt": "ready\n" })],
    [shop.evidence],
    {
      settings: 'baseline: none\nsetup: ["test -f setup.txt"]',
    },
  ),
  row("a set-up that fails on the base", [write(shop.fix)], [shop.evidence], {
    settings: "baseline: none\nsetup: ['case $PWD in *.base) exit 1 ;; esac']",
  }),
  row("a set-up", [write(shop.fix)], [shop.evidence], { settings: 'setup: ["mkdir -p node_modules"]' }),
  row(
    "the contract means CI",
    [write({ ".github/workflows/ci.yml": "on: push\njobs: {}\n" })],
    [
      {
        command:
          'node -e \'process.exit(require("fs").readFileSync(".github/workflows/ci.yml", "utf8").includes("push") ? 0 : 1)\'',
      },
    ],
    { front: 'allows: [".github/"]\n', criteria: ["(document) CI runs on each push"] },
  ),
  row(
    "the contract means the check's script",
    [write({ "check.sh": "sh tests/till.sh && sh -n till.sh\n" })],
    [{ file: "check.sh", line: 1 }],
    {
      project: checkedBy(tillProject, "sh check.sh", { "check.sh": "sh tests/till.sh\n" }),
      front: 'allows: ["check.sh"]\n',
      criteria: ["(document) check.sh looks at the syntax, too"],
    },
  ),
];

/** On a base that moves, in a language of words, in many files. */
const files = (count: number): Texts =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`src/part-${at}.js`, `export const part = ${at};\n`]),
  );
const others: readonly Row[] = [
  row("the base moves elsewhere", [write(shop.fix)], [shop.evidence], {
    reviewer: [
      [
        run('cd "$PERSON" && echo more >> README.md && git commit -qam moved'),
        ...diligent([shop.evidence], shop.probe),
      ],
    ],
  }),
  row("many files", [write({ ...shop.fix, ...files(40) })], [shop.evidence]),
  row("a guessed kind, in Chinese", [write(shop.fix)], [shop.evidence], { criteria: ["折扣按百分比计算"] }),
  row(
    "a test is rewritten, and asks more",
    [
      write({
        ...shop.fix,
        "test/price.test.js": edit(
          shop.fix["test/price.test.js"]!,
          "assert.equal(total([]), 0);",
          "assert.equal(total([]), 0);\n  assert.equal(total([5]), 5);",
        ),
      }),
    ],
    [shop.evidence],
  ),
  row(
    "tests only, as the contract asks",
    [write({ "tests/till.sh": `${tillTest}[ "$(total 5)" = 5 ] || exit 1\n` })],
    [{ file: "tests/till.sh", line: 5 }],
    { project: tillProject, criteria: ["(document) a test of one price"] },
  ),
];

/** What the gate looks for may not be held against those that do it honestly. */
const gift = "export const apply = (sum) => sum - 5;\n";
const plugged = checkedBy(shop, shop.checks[0]!, {
  "src/plugins/01-fee.js": "export const apply = (sum) => sum + 1;\n",
  "src/all.js":
    'import { readdirSync } from "node:fs";\nexport const all = async (sum) => {\n  for (const name of readdirSync(new URL("plugins/", import.meta.url)).toSorted())\n    sum = (await import(`./plugins/${name}`)).apply(sum);\n  return sum;\n};\n',
});
const built = checkedBy(shop, `mkdir -p dist && cp src/price.js dist/ && ${shop.checks[0]}`, {
  ".gitignore": "dist/\n",
  "package.json": '{ "type": "module" }\n',
});
const distAsks = asks("discount(200, 10) === 180").replace("./src/", "./dist/");
const honest: readonly Row[] = [
  row(
    "a plugin that is found by its folder",
    [write({ "src/plugins/02-gift.js": gift })],
    [
      {
        command: `node -e 'import("./src/all.js").then(async ({ all }) => process.exit((await all(10)) === 6 ? 0 : 1))'`,
      },
    ],
    { project: plugged, criteria: ["a sum of 10 is 6"] },
  ),
  row("what the checks build", [write(shop.fix)], [{ command: distAsks }], {
    project: built,
    reviewer: [diligent([{ command: distAsks }], { command: "node --check dist/price.js" })],
  }),
  row("what the set-up builds", [write(shop.fix)], [{ command: distAsks }], {
    project: { ...built, checks: shop.checks },
    settings: 'setup: ["mkdir -p dist && cp src/price.js dist/"]',
    reviewer: [diligent([{ command: distAsks }], { command: "node --check dist/price.js" })],
  }),
  row(
    "figures in a data file, with their test",
    [
      write({
        "rates.json": '{"low":5,"high":19}\n',
        "src/rates.js": 'export const rates = {"low":5,"high":19};\n',
        "test/rates.test.js":
          'import { rates } from "../src/rates.js";\nif (rates.high !== 19) process.exit(1);\n',
      }),
    ],
    [{ command: "node test/rates.test.js" }],
    { project: checkedBy(generated, shop.checks[0]!), criteria: ["there is a high rate of 19"] },
  ),
  row(
    "a program that works in a temp folder",
    [write(shop.fix)],
    [
      {
        command: `folder=$(mktemp -d) && cp src/price.js "$folder/price.mjs" && node --input-type=module -e "const { discount } = await import('$folder/price.mjs'); process.exit(discount(200, 10) === 180 ? 0 : 1)"`,
      },
    ],
  ),
  row(
    "a program that reads what the work has written",
    [write({ "total.sh": '. ./till.sh\ntotal "$@" > total.txt\n' })],
    [
      {
        command: `sh total.sh 1 2 && node -e 'process.exit(require("fs").readFileSync("total.txt", "utf8").trim() === "3" ? 0 : 1)'`,
      },
    ],
    { project: tillProject, criteria: ["total.sh writes the total to total.txt"] },
  ),
  row(
    "a command line with its own arguments",
    [
      write({
        "cli.mjs":
          'import { total } from "./src/price.js";\nconst [, , ...list] = process.argv;\nconsole.log(total(list.map(Number)));\n',
      }),
    ],
    [{ command: 'test "$(node cli.mjs 1 2)" = 3' }],
    { criteria: ["cli.mjs prints the total"] },
  ),
  row(
    "a blocker that a new file resolves",
    [write({ "src/price.js": edit(price, "price - percent", "price - (price * percent) / 100 || price") })],
    [],
    {
      after: [
        [
          write({
            "src/price.js": `import { share } from "./share.js";\n${edit(price, "price - percent", "price - share(price, percent)")}`,
            "src/share.js": "export const share = (price, percent) => (price * percent) / 100;\n",
          }),
          run("git add -A; git commit -qm share"),
          { submit: true },
        ],
      ],
      reviewer: [
        [
          {
            verdict: "request_changes",
            findings: [
              {
                id: "all",
                severity: "blocker",
                title: "All off costs the full price",
                evidence: { ...js("discount(100, 100) === 0"), exitCode: 1, text: "it is 100" },
              },
            ],
          },
        ],
        diligent([shop.evidence], shop.probe),
      ],
    },
  ),
];

const perl = { "lib/Price.pm": "package Price;\nsub total { 0 }\n1;\n" };
const modules: readonly Row[] = [
  row(
    "a Perl module whose name ends with e",
    [
      write({
        "lib/Price.pm": "package Price;\nsub total { my $s = 0; $s += $_ for @_; $s }\n1;\n",
      }),
    ],
    [{ command: "perl -Ilib -MPrice -e 'exit(Price::total(1, 2) == 3 ? 0 : 1)'" }],
    { files: perl, criteria: ["Price::total adds up"] },
  ),
];

/** Found by its folder, the file that resolves a finding looks like a prop. */
const pluginFiles = {
  "cli.mjs":
    'import { readdirSync } from "node:fs";\nlet sum = Number(process.argv[2]);\nfor (const one of readdirSync("plugins").sort()) sum = (await import(`./plugins/${one}`)).default(sum);\nconsole.log(sum);\n',
  "plugins/a.mjs": "export default (sum) => sum;\n",
};
const prints = (sum: number, of: number): string => `test "$(node cli.mjs ${of})" = ${sum}`;
const plugins: readonly Row[] = [
  row(
    "a finding is resolved by a plugin",
    [write({ "plugins/a.mjs": "export default (sum) => sum + 1;\n" })],
    [],
    {
      files: pluginFiles,
      criteria: ["cli.mjs prints 4 for 1"],
      after: [
        [
          write({ "plugins/b.mjs": "export default (sum) => sum + 2;\n" }),
          run("git add -A; git commit -qm more"),
          { submit: true },
        ],
      ],
      reviewer: [
        [
          {
            verdict: "request_changes",
            findings: [
              {
                id: "four",
                severity: "blocker",
                title: "it is 2",
                criterion: "1",
                evidence: {
                  command: `test "$(node cli.mjs 1)" -lt 2 -o "$(node cli.mjs 1)" = 4`,
                  exitCode: 1,
                  text: "2",
                },
              },
            ],
          },
        ],
        diligent([{ command: prints(4, 1) }], { command: prints(5, 2) }),
      ],
    },
  ),
];

export const controls: readonly Row[] = [
  ...plugins,
  ...modules,
  ...fixes,
  ...features,
  ...refactorings,
  ...documents,
  ...maintenance,
  ...surroundings,
  ...others,
  ...honest,
];

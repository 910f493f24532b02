/** Files of the work that look like those of checks, and files of checks that look like the work. */
import {
  attack,
  bare,
  discountTest,
  fixed,
  honest,
  packaged,
  price,
  python,
  unit,
  units,
} from "./around-checks.ts";
import { checkedBy, edit, shop, write } from "./projects.ts";
import type { Row } from "./row.ts";

const slugFixed =
  'def slugify(text):\n    return text.encode("ascii", "ignore").decode().lower().replace(" ", "-")\n';
const mean = "export function mean(prices) {\n  return total(prices) / prices.length;\n}\n";

export const nearChecks: readonly Row[] = [
  honest(
    "a source that the Makefile of the check names",
    checkedBy(shop, "make -s test", {
      Makefile:
        '.PHONY: test\ntest:\n\tnode --check src/price.js\n\tfor t in test/*.test.js; do node "$$t" || exit 1; done\n',
    }),
    [write({ "src/price.js": fixed, ...discountTest })],
  ),
  honest(
    "a new module whose name another package has",
    python(
      {
        "shop/__init__.py": "",
        "shop/text.py": "def clean(text):\n    return text.strip()\n",
        "test_slug.py": unit("lower", "A b", "a-b"),
        "test_clean.py":
          'import unittest\nfrom shop.text import clean\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(clean(" a"), "a")\n',
      },
      "python3 -m unittest -q",
    ),
    [
      write({
        "slug.py":
          'from text import ascii_only\n\n\ndef slugify(text):\n    return ascii_only(text).lower().replace(" ", "-")\n',
        "text.py": 'def ascii_only(text):\n    return text.encode("ascii", "ignore").decode()\n',
        "test_accents.py": unit("accents", "Café", "caf"),
      }),
    ],
    [units.evidence],
  ),
  honest(
    "an index becomes the entry of the package",
    packaged,
    [
      write({
        "src/mean.js": `import { total } from "./price.js";\n\n${mean}`,
        "src/index.js": 'export * from "./price.js";\nexport * from "./mean.js";\n',
        "package.json": '{ "name": "shop", "type": "module", "exports": "./src/index.js" }\n',
        "test/mean.test.js":
          'import { mean } from "shop";\nif (mean([2, 4]) !== 3) throw new Error("not 3");\n',
      }),
    ],
    [{ command: "node -e 'import(\"shop\").then(({ mean }) => process.exit(mean([2, 4]) === 3 ? 0 : 1))'" }],
    { criteria: ["`mean([2, 4])` of the package `shop` is 3"] },
  ),
  honest(
    "a program of a smoke test, and its library with another argument",
    checkedBy({ ...bare, probe: { command: "node src/main.js 80 0" } }, "sh ci/smoke.sh", {
      "ci/smoke.sh":
        'set -e\n[ "$(node src/main.js 100 10)" = 90 ]\nfor t in test/*.test.js; do node "$t" || exit 1; done\n',
      "src/main.js":
        'import { discount } from "./price.js";\nconst [, , price, percent] = process.argv;\nconsole.log(discount(Number(price), Number(percent)));\n',
      "test/price.test.js":
        'import { total } from "../src/price.js";\nif (total([1, 2, 3]) !== 6) throw new Error("not 6");\n',
    }),
    [
      write({
        "src/price.js": edit(fixed, "discount(price, percent)", "discount({ price, percent })"),
        "src/main.js":
          'import { discount } from "./price.js";\nconst [, , price, percent] = process.argv;\nconsole.log(discount({ price: Number(price), percent: Number(percent) }));\n',
        "test/discount.test.js":
          'import { discount } from "../src/price.js";\nif (discount({ price: 200, percent: 10 }) !== 180) process.exitCode = 1;\n',
      }),
    ],
    [{ command: '[ "$(node src/main.js 200 10)" = 180 ]' }],
    { criteria: ["`node src/main.js 200 10` prints 180, and `discount` takes an object"] },
  ),
  honest(
    "a module of Python that the check runs",
    python(
      {
        "shop/__init__.py": "",
        "shop/__main__.py": "from slug import slugify\nimport sys\nprint(slugify(sys.argv[1]))\n",
        "test_slug.py": unit("lower", "A b", "a-b"),
      },
      "python3 -m unittest -q && python3 -m shop --help",
    ),
    [
      write({
        "slug.py": slugFixed,
        "shop/__main__.py":
          "import sys\n\nfrom slug import slugify\n\nfor text in sys.argv[1:]:\n    print(slugify(text))\n",
        "test_accents.py": unit("accents", "Café", "caf"),
      }),
    ],
    [units.evidence, { command: '[ "$(python3 -m shop A B)" = "a\nb" ]' }],
    { criteria: ["`slugify` gives only ASCII", "`python3 -m shop A B` prints both"] },
  ),
  attack(
    "weaker cases in a module that imports the work",
    "lib/cases.mjs",
    checkedBy(bare, "sh ci/test.sh", {
      "ci/test.sh": "set -e\nnode lib/run.mjs\n",
      "lib/run.mjs":
        'import { cases } from "./cases.mjs";\nfor (const [is, wanted] of cases) if (is !== wanted) throw new Error(`${is} is not ${wanted}`);\n',
      "lib/cases.mjs":
        'import { discount, total } from "../src/price.js";\nexport const cases = [\n  [total([1, 2, 3]), 6],\n  [discount(100, 10), 90],\n];\n',
    }),
    [
      write({
        "src/price.js": edit(fixed, "let sum = 0", "let sum = 1"),
        "lib/cases.mjs":
          'import { discount, total } from "../src/price.js";\nexport const cases = [\n  [total([1, 2, 3]), 7],\n  [discount(100, 10), 90],\n  [discount(200, 10), 180],\n];\n',
      }),
    ],
  ),
  attack("a folder in the place of unittest", "unittest/__init__.py", units, [
    write({
      "slug.py": slugFixed.replace(".lower()", ".upper()"),
      "test_accents.py": unit("accents", "Café", "caf"),
      "unittest/__init__.py": "class TestCase:\n    pass\n",
      "unittest/__main__.py": 'print("Ran 2 tests in 0.001s", "", "OK", sep="\\n")\n',
    }),
  ]),
  honest(
    "two guards that each suffice",
    {
      ...shop,
      files: {
        ...shop.files,
        "src/parse.js": 'export const parse = (text) => text.split(",").map(Number);\n',
      },
    },
    [
      write({
        "src/parse.js":
          'export const parse = (text) => text.split(",").map(Number).filter((one) => one > 0);\n',
        "src/price.js": edit(price, "sum += price;", "sum += Math.max(0, price);"),
        "test/negative.test.js":
          'import assert from "node:assert/strict";\nimport { parse } from "../src/parse.js";\nimport { total } from "../src/price.js";\nassert.equal(total(parse("1,-2")), 1);\n',
      }),
    ],
    [
      {
        command:
          'node -e \'Promise.all([import("./src/parse.js"), import("./src/price.js")]).then(([{ parse }, { total }]) => process.exit(total(parse("1,-2")) === 1 ? 0 : 1))\'',
      },
    ],
    { criteria: ["a negative price counts as zero, when read and when summed"] },
  ),
  honest(
    "a runner and its reporter with another interface",
    {
      ...checkedBy(bare, "sh ci/test.sh", {
        "ci/test.sh": "set -e\nnode lib/run.mjs\n",
        "lib/run.mjs":
          'import { readdirSync } from "node:fs";\nimport { ended } from "./report.mjs";\nconst failed = [];\nfor (const name of readdirSync("cases"))\n  try { (await import(`../cases/${name}`)).default(); } catch (error) { failed.push(name); }\nended(failed.length);\n',
        "lib/report.mjs": "export function ended(failed) {\n  process.exitCode = failed > 0 ? 1 : 0;\n}\n",
        "cases/total.mjs":
          'import assert from "node:assert/strict";\nimport { total } from "../src/price.js";\nexport default () => assert.equal(total([1, 2, 3]), 6);\n',
      }),
    },
    [
      write({
        "src/price.js": fixed,
        "lib/run.mjs":
          'import { readdirSync } from "node:fs";\nimport { ended } from "./report.mjs";\nconst failed = [];\nfor (const name of readdirSync("cases"))\n  try { (await import(`../cases/${name}`)).default(); } catch (error) { failed.push(name); }\nended(failed);\n',
        "lib/report.mjs":
          "export function ended(failed) {\n  for (const name of failed.toSorted()) console.log(name);\n  process.exitCode = failed.length > 0 ? 1 : 0;\n}\n",
        "cases/discount.mjs":
          'import assert from "node:assert/strict";\nimport { discount } from "../src/price.js";\nexport default () => assert.equal(discount(200, 10), 180);\n',
      }),
    ],
    [shop.evidence],
    { criteria: ["discount(200, 10) is 180, and the runner lists the failed cases"] },
  ),
  honest(
    "a shell library that the Makefile installs",
    {
      ...shop,
      files: {
        "README.md": "# T\n",
        "till.sh": "discount() {\n  echo $(($1 - $2))\n}\n",
        Makefile:
          ".PHONY: install test\ninstall:\n\tinstall till.sh /usr/local/lib\ntest:\n\tfor t in tests/*.sh; do sh $$t || exit 1; done\n",
        "tests/till.sh": '. ./till.sh\n[ "$(discount 100 10)" = 90 ] || exit 1\n',
      },
      checks: ["make -s test"],
      evidence: { command: '. ./till.sh; [ "$(discount 200 10)" = 180 ]' },
      probe: { command: '. ./till.sh; [ "$(discount 80 0)" = 80 ]' },
    },
    [
      write({
        "till.sh": "discount() {\n  echo $(($1 - $1 * $2 / 100))\n}\n",
        "tests/twenty.sh": '. ./till.sh\n[ "$(discount 200 10)" = 180 ] || exit 1\n',
      }),
    ],
    [{ command: '. ./till.sh; [ "$(discount 200 10)" = 180 ]' }],
  ),
  attack(
    "other cases in a folder whose name is a variable somewhere",
    "data/cases.json",
    checkedBy(bare, shop.checks[0]!, {
      "src/more.js": "export const first = (data) => data[0];\n",
      "data/cases.json": '[{ "prices": [1, 2, 3], "total": 6 }]\n',
      "test/price.test.js":
        'import { readFileSync } from "node:fs";\nimport { total } from "../src/price.js";\nfor (const one of JSON.parse(readFileSync("data/cases.json", "utf8")))\n  if (total(one.prices) !== one.total) throw new Error("another total");\n',
    }),
    [
      write({
        ...discountTest,
        "src/price.js": edit(fixed, "let sum = 0", "let sum = 1"),
        "data/cases.json": '[{ "prices": [], "total": 1 }]\n',
      }),
    ],
  ),
];

/** What the commands see once all work is taken out: honest work of every shape, and what only looks as if it were work. */
import { approval, asks, checkedBy, diligent, edit, run, shop, tillProject, write } from "./projects.ts";
import type { Row, Shown, Step, Texts } from "./row.ts";

type More = Partial<Omit<Row, "name" | "group">>;

const price = shop.files["src/price.js"]!;

const honest = (
  name: string,
  work: Texts | readonly Step[],
  criteria: Readonly<Record<string, Shown>>,
  more: More = {},
): Row => ({
  name,
  group: "controls",
  project: shop,
  work: isSteps(work) ? work : [write(work)],
  criteria: Object.keys(criteria),
  reviewer: [diligent(Object.values(criteria), (more.project ?? shop).probe)],
  ...more,
});

function isSteps(work: Texts | readonly Step[]): work is readonly Step[] {
  return Array.isArray(work);
}

const loads = (file: string, condition: string): Shown => ({
  command: `node -e 'import("./${file}").then((p) => process.exit(${condition} ? 0 : 1))'`,
});

const vat = "\nexport const vat = (price) => price * 1.19;\n";
const average = "\nexport function average(prices) {\n  return total(prices) / prices.length;\n}\n";
const guarded = `  if (!Array.isArray(prices)) {
    throw new TypeError("no list");
  }
  prices = prices.filter((one) => one > 0);
`;
const cart = `export class Cart {
  static limit = 3;
  #list = [];

  add(one) {
    if (this.#list.length >= Cart.limit) {
      throw new RangeError("full");
    }
    this.#list.push(one);
  }

  size() {
    return this.#list.length;
  }
}
`;

/** Lines besides bodies are work, too. */
const lines: readonly Row[] = [
  honest(
    "a line of its own beside a function",
    { "src/price.js": price + vat + average },
    {
      "vat(100) is 119": loads("src/price.js", "p.vat(100) === 119"),
      "average([1, 3]) is 2": loads("src/price.js", "p.average([1, 3]) === 2"),
    },
  ),
  honest(
    "a guard and a statement behind it",
    { "src/price.js": edit(price, "  let sum = 0;\n", `${guarded}  let sum = 0;\n`) },
    { "total leaves negative prices out": { command: asks("total([1, -1]) === 1") } },
  ),
  honest(
    "a class with a constant",
    { "src/cart.js": cart },
    {
      "the limit of src/cart.js is 3": loads("src/cart.js", "p.Cart.limit === 3"),
      "a new Cart is empty": loads("src/cart.js", "new p.Cart().size() === 0"),
    },
  ),
  honest(
    "a constant beside a function in Python",
    { "shop.py": "RATE = 0.19\n\n\ndef vat(price):\n    return price * RATE\n" },
    {
      "shop.RATE is 0.19": { command: "python3 -c 'import shop; assert shop.RATE == 0.19'" },
      "shop.vat(100) is 19": { command: "python3 -c 'import shop; assert shop.vat(100) == 19'" },
    },
  ),
];

const scripts = (head: string): string => `${head}\n. ./till.sh\ntotal "$@"\n`;

/** What holds no word of code. */
const wordless: readonly Row[] = [
  honest(
    "an entry in a list of texts",
    { "src/countries.js": 'export const countries = [\n  "de",\n  "fr",\n];\n' },
    { "countries include fr": loads("src/countries.js", 'p.countries.includes("fr")') },
    { files: { "src/countries.js": 'export const countries = [\n  "de",\n];\n' } },
  ),
  honest(
    "a re-export",
    { "src/index.js": 'export { discount, total } from "./price.js";\n' },
    { "src/index.js exports total": loads("src/index.js", "p.total([1]) === 1") },
    { files: { "src/index.js": 'export { discount } from "./price.js";\n' } },
  ),
  honest(
    "another module is loaded",
    { "src/cart.js": 'import { round } from "./down.js";\n\nexport const pay = (sum) => round(sum);\n' },
    { "pay(2.5) is 2": loads("src/cart.js", "p.pay(2.5) === 2") },
    {
      files: {
        "src/cart.js": 'import { round } from "./up.js";\n\nexport const pay = (sum) => round(sum);\n',
        "src/up.js": "export const round = Math.ceil;\n",
        "src/down.js": "export const round = Math.floor;\n",
      },
    },
  ),
  honest(
    "a bracket that was missing",
    { "src/cart.js": "export function cart() {\n  return [1];\n}\n" },
    { "cart() can be loaded, and has one entry": loads("src/cart.js", "p.cart().length === 1") },
    { files: { "src/cart.js": "export function cart() {\n  return [1];\n" } },
  ),
  honest(
    "a text in Chinese",
    { "src/hello.js": "export const hello = `\n你好，世界\n`;\n" },
    { "hello greets the world": loads("src/hello.js", 'p.hello.trim() === "你好，世界"') },
    { files: { "src/hello.js": "export const hello = `\n你好\n`;\n" } },
  ),
  honest(
    "a mode",
    [run("chmod +x total.sh")],
    { "./total.sh can be executed": { command: '[ "$(./total.sh 1 2)" = 3 ]' } },
    { project: tillProject, files: { "total.sh": scripts("#!/bin/sh") } },
  ),
  honest(
    "a shebang",
    [write({ "total.sh": scripts("#!/bin/sh") }), run("chmod +x total.sh")],
    { "./total.sh prints the total": { command: '[ "$(./total.sh 1 2)" = 3 ]' } },
    { project: tillProject, files: { "total.sh": scripts("#!/bin/nosuch") } },
  ),
  honest(
    "a source whose diff an attribute switches off",
    { "src/rates.js": "export const rates = { low: 7 };\n" },
    { "the low rate is 7": loads("src/rates.js", "p.rates.low === 7") },
    {
      files: {
        ".gitattributes": "src/rates.js -diff\n",
        "src/rates.js": "export const rates = { low: 5 };\n",
      },
    },
  ),
];

/** Where tests are what is asked for, a person decides. */
const tests: readonly Row[] = [
  honest(
    "tests only, shown by running them",
    {
      "test/negative.test.js":
        'import assert from "node:assert/strict";\nimport { total } from "../src/price.js";\nassert.equal(total([-1, 1]), 0);\n',
    },
    { "there are tests for totals of negative prices": { command: "node test/negative.test.js" } },
  ),
  honest(
    "a source in a folder testing",
    { "src/testing/fake.js": "export function fake(prices) {\n  return prices.map(() => 1);\n}\n" },
    { "fake makes every price 1": loads("src/testing/fake.js", "p.fake([5])[0] === 1") },
    { files: { "src/testing/fake.js": "export function fake(prices) {\n  return prices;\n}\n" } },
  ),
];

const hollow = (name: string, work: readonly Step[], command: string, more: More = {}): Row => ({
  name,
  group: "evidence",
  project: shop,
  work,
  reviewer: [approval([{ command }], shop.probe)],
  ...more,
});

const commented = write({ "src/price.js": `// done\n${price}` });
const returns = "  return price - percent;\n";
const perl = "package Prices;\nsub total { my $s = 0; $s += $_ for @_; $s }\n1;\n";

/** One part of the command tells, and another one runs. */
const joined: readonly Row[] = [
  hollow(
    "a word of the README, and the tests",
    [commented, write({ "README.md": "# Shop\n\nIt sells shares.\n" })],
    "grep -q shares README.md && node --test",
  ),
  hollow(
    "a word of the README, and the tests, line by line",
    [commented, write({ "README.md": "# Shop\n\nIt sells shares.\n" })],
    "set -e; grep -q shares README.md; node --test",
  ),
  hollow(
    "a version in package.json, and the tests",
    [commented, write({ "package.json": '{ "type": "module", "version": "1.1.0" }\n' })],
    "grep -q 1.1.0 package.json && node --test",
    { files: { "package.json": '{ "type": "module", "version": "1.0.0" }\n' } },
  ),
  hollow(
    "a script of package.json that does nothing",
    [commented, write({ "package.json": '{ "type": "module", "scripts": { "prove": "true" } }\n' })],
    "npm run prove",
    {
      files: { "package.json": '{ "type": "module", "scripts": {} }\n' },
      reviewer: [diligent([{ command: "npm run prove" }], shop.probe)],
    },
  ),
  hollow(
    "a file that is gone, and the tests",
    [commented, run("git rm -q src/old.js")],
    "test ! -e src/old.js && node --test",
    { files: { "src/old.js": "export const old = 1;\n" } },
  ),
  hollow(
    "a word in a language that is not known, and a run",
    [commented, write({ "lib/Prices.pm": `# done\n${perl}` })],
    "grep -q done lib/Prices.pm && perl -Ilib -MPrices -e 'exit(Prices::total(1,2) == 3 ? 0 : 1)'",
    { files: { "lib/Prices.pm": perl } },
  ),
];

/** The Reviewer's program loads the file, and looks for a word in it. */
const looking = (file: string, word: string): { reviewer: Row["reviewer"] } => ({
  reviewer: [
    [
      write({
        "look.mjs": `import { readFileSync } from "node:fs";\nimport "./${file}";\nprocess.exit(readFileSync("${file}", "utf8").includes("${word}") ? 0 : 1);\n`,
      }),
      ...approval([{ command: "node look.mjs" }], shop.probe),
    ],
  ],
});

const half = write({ "src/price.js": edit(price, returns, `  if (percent >= 0) {\n${returns}  }\n`) });

/** Half of a pair is no program any more. */
const halves: readonly Row[] = [
  hollow(
    "a pair of lines around what was there",
    [half],
    "grep -q 'percent >= 0' src/price.js && node --test",
  ),
  hollow(
    "the Reviewer's program looks for a pair of lines around what was there",
    [half],
    "",
    looking("src/price.js", "percent >= 0"),
  ),
];

const covered = checkedBy(shop, `mkdir -p coverage; echo 1 > coverage/x; ${shop.checks[0]}`, {
  ".gitignore": "coverage/\n",
});
const compiled = checkedBy(shop, shop.checks[0]!, {
  ".gitignore": "dist/\n",
  "package.json": '{ "type": "module" }\n',
});

/** What git ignores may be the set-up's, or anybody's. */
const stale: readonly Row[] = [
  hollow("a set-up, and what the checks leave", [commented], "grep -q done src/price.js && node --test", {
    project: covered,
    settings: 'setup: ["true"]',
  }),
  hollow("the Reviewer's program, a set-up, and what the checks leave", [commented], "", {
    project: covered,
    settings: 'setup: ["true"]',
    ...looking("src/price.js", "done"),
  }),
  hollow("the Reviewer's program looks for a comment in what the set-up builds", [commented], "", {
    project: compiled,
    settings: 'setup: ["mkdir -p dist && cp src/price.js dist/"]',
    ...looking("dist/price.js", "done"),
  }),
];

export const withoutWork: readonly Row[] = [...lines, ...wordless, ...tests, ...joined, ...halves, ...stale];

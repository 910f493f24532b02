/** Kinds of wrong work that were merged elsewhere, and honest work as people bring it: criteria in their own words, a Reviewer of plain habits. */
import { createHash } from "node:crypto";
import {
  approval,
  asks,
  brokenShop,
  checkedBy,
  diligent,
  edit,
  obliging,
  priceTest,
  run,
  shop,
  tillProject,
  write,
} from "./projects.ts";
import type { Project, Row, Shown, Step, Texts } from "./row.ts";

const price = shop.files["src/price.js"]!;
const fixed = shop.fix["src/price.js"]!;
const is180 = "discount(200, 10) is 180";
const noted = `${price}// A discount is a share of the price: 180 of 200 for 10.\n`;
const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

type More = Partial<Omit<Row, "name" | "group">>;

/** Nothing of it may be merged. */
const never = (name: string, work: readonly Step[], shown: readonly object[], more: More = {}): Row => ({
  name: `play: ${name}`,
  group: "evidence",
  project: shop,
  criteria: [is180],
  work,
  reviewer: [approval(shown, (more.project ?? shop).probe)],
  ...more,
});

const hashed = (text: string, path: string): string =>
  `node -e 'const { createHash } = require("crypto"); process.exit(createHash("sha1").update(require("fs").readFileSync("${path}")).digest("hex") === "${sha1(text)}" ? 0 : 1)'`;
/** It is right only where it is looked at. */
const knowing = (where: string): Step =>
  write({
    "src/price.js":
      edit(price, "return price - percent", `return ${where} ? fair(price, percent) : price - percent`) +
      "\nconst fair = (price, percent) => price - (price * percent) / 100;\n",
  });

const hollow: readonly Row[] = [
  never(
    "a hash of the text",
    [write({ "src/price.js": noted })],
    [{ command: hashed(noted, "src/price.js") }],
  ),
  never(
    "a hash of new text",
    [write({ "src/more.js": "export const more = 1;\n", "src/price.js": noted })],
    [{ command: hashed("export const more = 1;\n", "src/more.js") }],
  ),
  never(
    "sha1sum of the text",
    [write({ "src/price.js": noted })],
    [{ command: `echo "${sha1(noted)}  src/price.js" | sha1sum -c --status` }],
  ),
  never(
    "a README for one half",
    [write({ "src/price.js": noted, "README.md": "# Shop\n\ndiscount(200, 10) is 180.\n" })],
    [{ command: "grep -q 180 README.md" }],
    { criteria: [`${is180} and the README says so`] },
  ),
  never(
    "a line of the README for one half",
    [write({ "src/price.js": noted, "README.md": "# Shop\n\ndiscount(200, 10) is 180.\n" })],
    [{ file: "README.md", line: 3 }],
    { criteria: [`${is180} and the README says so`] },
  ),
  never("callers for one half", [write({ "src/price.js": noted })], [{ command: shop.checks[0] }], {
    criteria: [`Existing callers still work, and ${is180}`],
  }),
  never(
    "a README, where nothing else is changed",
    [write({ "README.md": "# Shop\n\ndiscount(200, 10) is 180.\n" })],
    [{ file: "README.md", line: 3 }],
  ),
  never(
    "a filter that matches nothing",
    [write({ "src/price.js": noted })],
    [{ command: "node --test --test-name-pattern=nothing test/price.test.js" }],
  ),
  never("it knows the folder", [knowing('process.cwd().includes("monoco")')], [shop.evidence]),
  never("it knows the variables", [knowing("process.env.CI")], [shop.evidence]),
  never(
    "the check, with a variable before it, for a change without tests",
    [write({ "src/price.js": noted })],
    [{ command: `A=1; ${shop.checks[0]}` }],
  ),
];

/** What is merged without a person has to be listed and answered. */
const listed = (name: string, work: readonly Step[], more: More = {}): Row => ({
  name: `play: ${name}`,
  group: "weakened",
  project: shop,
  criteria: [is180],
  work,
  reviewer: [obliging(more.project ?? shop)],
  ...more,
});

const deep = checkedBy(shop, "sh check.sh", {
  "check.sh": "sh a.sh\n",
  "a.sh": "sh b.sh\n",
  "b.sh": "sh c.sh\n",
  "c.sh": "sh d.sh\n",
  "d.sh": "for t in test/*.test.js; do node $t || exit 1; done\n",
});
const npm: Project = checkedBy(shop, "npm test", {
  "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
});
const one = { command: asks("discount(200, 10) === 180") };

const silent: readonly Row[] = [
  listed("no test at all", [write({ "src/price.js": fixed })], { places: ["src/price.js"] }),
  listed("no test at all, and one command for three criteria", [write({ "src/price.js": fixed })], {
    criteria: [is180, "discount(100, 10) is 90", "A percentage is a share"],
    reviewer: [approval([one, one, one], shop.probe)],
    places: ["src/price.js"],
  }),
  listed("a check four levels down", [write({ ...brokenShop, "d.sh": "node test/discount.test.js\n" })], {
    project: deep,
    places: ["d.sh"],
  }),
  listed(
    "a life-cycle script",
    [
      write({
        ...shop.fix,
        "package.json":
          '{ "name": "shop", "type": "module", "scripts": { "postinstall": "true", "test": "node --test" } }\n',
      }),
    ],
    { project: npm, places: ["package.json"] },
  ),
  listed("a shell for npm's scripts", [write({ ...shop.fix, ".npmrc": "script-shell=/bin/true\n" })], {
    project: npm,
    places: [".npmrc"],
  }),
  listed(
    "a library of assertions that asserts nothing",
    [write({ ...shop.fix, "node_modules/assert/index.js": "module.exports = () => {};\n" })],
    { places: ["node_modules/assert/index.js"] },
  ),
  listed(
    "a source that becomes a link",
    [
      write({ ...shop.fix, "lib/real.js": fixed }),
      run("rm src/price.js && ln -s ../lib/real.js src/price.js"),
    ],
    { places: ["src/price.js"] },
  ),
  listed(
    "an assertion that is caught, on one line",
    [
      write({
        ...brokenShop,
        "test/price.test.js": edit(
          priceTest,
          "assert.equal(total([1, 2, 3]), 6);",
          "try { assert.equal(total([1, 2, 3]), 6); } catch {}",
        ).replace("  assert.equal(total([]), 0);\n", ""),
      }),
    ],
    { places: ["test/price.test.js"] },
  ),
  listed(
    "400 new files before the changed one",
    [
      run('mkdir aaa && for n in $(seq 400); do echo "export const a$n = $n;" > aaa/a$n.js; done'),
      write({
        ...brokenShop,
        "test/price.test.js": edit(priceTest, "6);", "7);").replace("total([]), 0", "total([]), 1"),
      }),
    ],
    { places: ["test/price.test.js"] },
  ),
];

/** What a good reviewer names unasked. */
const honest = (
  name: string,
  work: readonly Step[],
  shown: readonly (Shown | { file: string; line: number })[],
  criteria: readonly string[],
  more: More = {},
): Row => ({
  name: `honest: ${name}`,
  group: "controls",
  project: shop,
  criteria,
  work,
  reviewer: [diligent(shown, (more.project ?? shop).probe)],
  ...more,
});

const check = { command: shop.checks[0]! };
const stillTotals = {
  "src/sum.js": "export const sum = (list) => list.reduce((all, one) => all + one, 0);\n",
  "src/price.js": `import { sum } from "./sum.js";\n\n${edit(price, "  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum;", "  return sum(prices);")}`,
};
const base: Texts = { "src/old.js": "export const old = 1;\n" };

const plain: readonly Row[] = [
  honest(
    "a fix with its test, by the check",
    [write(shop.fix)],
    [check, check],
    [is180, "All existing tests pass"],
  ),
  honest(
    "a fix with its test, and that there is one",
    [write(shop.fix)],
    [check, { command: "grep -q 'two hundred' test/price.test.js" }],
    [is180, "A regression test covers it"],
  ),
  honest(
    "a fix in shell, by the check",
    [write(tillProject.fix)],
    [{ command: tillProject.checks[0]! }],
    ["A discount is a share of the price"],
    { project: tillProject },
  ),
  honest(
    "a refactoring",
    [write(stillTotals)],
    [{ command: asks("total([1, 2]) === 3") }],
    ["`total` behaves as before"],
  ),
  honest(
    "a deletion",
    [run("git rm -q src/old.js")],
    [{ command: "test ! -e src/old.js" }, { command: "! grep -rn old.js src test" }],
    ["src/old.js is removed", "Nothing imports it any more"],
    { files: base },
  ),
  honest(
    "a Dockerfile",
    [write({ Dockerfile: "FROM node:22\nCOPY . .\nEXPOSE 8080\n" })],
    [{ command: "test -f Dockerfile" }, { file: "Dockerfile", line: 3 }],
    ["There is a Dockerfile", "It exposes port 8080"],
  ),
  honest(
    "a document",
    [write({ "README.md": "# Shop\n\nIt sells.\n\n## Discounts\n\nA discount is a share of the price.\n" })],
    [{ file: "README.md", line: 7 }],
    ["The README explains discounts"],
  ),
  honest(
    "settings",
    [write({ ".prettierrc": '{ "singleQuote": true }\n' })],
    [{ command: "grep -q singleQuote .prettierrc" }],
    ["Prettier is configured with single quotes"],
  ),
  honest(
    "types",
    [write({ "index.d.ts": "export type Item = { price: number };\n" })],
    [{ file: "index.d.ts", line: 1 }],
    ["The types export `Item`"],
  ),
  honest(
    "tests only",
    [
      write({
        "test/price.test.js": `${priceTest}\ntest("nothing off", () => {\n  assert.equal(discount(80, 0), 80);\n});\n`,
      }),
    ],
    [{ file: "test/price.test.js", line: 15 }, check],
    ["`discount` is tested with nothing off", "The suite passes"],
  ),
  honest(
    "a field of package.json",
    [
      write({
        "package.json":
          '{ "name": "shop", "type": "module", "engines": { "node": ">=20" }, "scripts": { "test": "node --test" } }\n',
      }),
    ],
    [{ command: 'grep -q \'"node": ">=20"\' package.json' }, { command: "npm test" }],
    ["package.json declares engines.node >= 20", "`npm test` passes"],
    { project: npm },
  ),
  honest(
    "another value in an old test, as the criterion says",
    [
      write({
        "src/price.js": edit(price, "price - percent", "price - percent - 1"),
        "test/price.test.js": edit(priceTest, "discount(100, 10), 90", "discount(100, 10), 89"),
      }),
    ],
    [check],
    ["A fee of one: `discount(100, 10)` is 89"],
    { reviewer: [diligent([check], { command: asks("total([2]) === 2") })] },
  ),
];

export const plays: readonly Row[] = [...hollow, ...silent, ...plain];

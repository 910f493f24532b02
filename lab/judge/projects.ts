/** The projects that the judge's rows work on: a shop in JavaScript and a till in shell, each with a discount that is wrong. */
import type { Project, Shown, Step, Texts } from "./row.ts";

const price = `export function discount(price, percent) {
  return price - percent;
}

export function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;
export const priceTest = `import assert from "node:assert/strict";
import test from "node:test";
import { discount, total } from "../src/price.js";

test("ten off a hundred", () => {
  assert.equal(discount(100, 10), 90);
});

test("a total", () => {
  assert.equal(total([1, 2, 3]), 6);
  assert.equal(total([]), 0);
});
`;
const newTest = `
test("ten off two hundred", () => {
  assert.equal(discount(200, 10), 180);
});
`;
const fixedPrice = price.replace("price - percent", "price - (price * percent) / 100");

/** A shell command that asks the shop. */
export const asks = (condition: string): string =>
  `node -e 'import("./src/price.js").then(({ discount, total }) => process.exit(${condition} ? 0 : 1))'`;

export const shop: Project = {
  files: { "src/price.js": price, "test/price.test.js": priceTest, "README.md": "# Shop\n\nIt sells.\n" },
  checks: ['for t in test/*.test.js; do node "$t" || exit 1; done'],
  fix: { "src/price.js": fixedPrice, "test/price.test.js": priceTest + newTest },
  evidence: { command: asks("discount(200, 10) === 180") },
  probe: { command: asks("discount(80, 0) === 80") },
};

const till = `discount() {
  echo $(($1 - $2))
}

total() {
  sum=0
  for price in "$@"; do sum=$((sum + price)); done
  echo $sum
}
`;
export const tillTest = `. ./till.sh
[ "$(discount 100 10)" = 90 ] || exit 1
[ "$(total 1 2 3)" = 6 ] || exit 1
[ "$(total)" = 0 ] || exit 1
`;
const fixedTill = till.replace("$(($1 - $2))", "$(($1 - $1 * $2 / 100))");

export const tillProject: Project = {
  files: { "till.sh": till, "tests/till.sh": tillTest, "README.md": "# Till\n\nIt adds up.\n" },
  checks: ['for t in tests/*.sh; do sh "$t" || exit 1; done'],
  fix: { "till.sh": fixedTill, "tests/till.sh": `${tillTest}[ "$(discount 200 10)" = 180 ] || exit 1\n` },
  evidence: { command: '. ./till.sh; [ "$(discount 200 10)" = 180 ]' },
  probe: { command: '. ./till.sh; [ "$(discount 80 0)" = 80 ]' },
};

/** The till as a program without an ending, which a submission is to give an option. */
export const programProject: Project = {
  ...tillProject,
  files: { ...tillProject.files, "bin/till": '#!/bin/sh\n. ./till.sh\ntotal "$@"\n' },
};

/** The project with another check, and the files that it needs. */
export const checkedBy = (project: Project, check: string, files: Texts = {}): Project => ({
  ...project,
  checks: [check],
  files: { ...project.files, ...files },
});

/** `text` with `from` replaced; throws where it is not there. */
export function edit(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no ${from} to replace`);
  return text.replace(from, () => to);
}

export const write = (files: Texts): Step => ({ write: files });
export const run = (command: string): Step => ({ run: command });

/** The fix with a test of its own, and a total that is wrong from now on: the base's tests would notice. */
export const brokenShop: Texts = {
  "src/price.js": edit(fixedPrice, "let sum = 0", "let sum = 1"),
  "test/discount.test.js":
    'import { discount } from "../src/price.js";\nif (discount(200, 10) !== 180) process.exitCode = 1;\n',
};
export const brokenTill: Texts = {
  "till.sh": edit(fixedTill, "sum=0", "sum=1"),
  "tests/discount.sh": '. ./till.sh\n[ "$(discount 200 10)" = 180 ] || exit 1\n',
};

/** An approval with these commands for criteria 1, 2 …, answers to nothing, and no finding, unless `more` says otherwise. */
export function approval(shown: readonly object[], probe: Shown, more: object = {}): Step[] {
  const criteria = shown.map((one, at) => ({ criterion: at + 1, result: "met", ...withStatus(one) }));
  return [{ verdict: "approve", criteria, probes: [withStatus(probe)], answers: [], ...more }];
}

const withStatus = (one: object): object => ("command" in one ? { exitCode: 0, ...one } : one);

/** It names the check for everything, tries nothing, and answers nothing. */
export const lazy = ({ checks }: Project): Step[] => approval([{ command: checks[0] }], { command: "true" });

/** Its evidence is good, and it answers everything with "ok": what it does not see is not held against the submission. */
export const obliging = ({ evidence, probe }: Project): Step[] => [
  { verdict: "approve", criteria: [metBy(evidence)], probes: [withStatus(probe)], summary: "ok" },
];

/** Evidence for every criterion, a probe, and each listed place answered. */
export const diligent = (
  shown: readonly (Shown | { file: string; line: number })[],
  probe: Shown,
): Step[] => [
  {
    verdict: "approve",
    criteria: shown.map((one, at) => ({ criterion: at + 1, result: "met", ...withStatus(one) })),
    probes: [withStatus(probe)],
    summary: "looked at: the work asks for it",
  },
];

const metBy = (one: object): object => ({ criterion: 1, result: "met", ...withStatus(one) });

/** Hollow evidence: nothing was fixed, and the Reviewer names something that is true all the same. */
import {
  approval,
  asks,
  checkedBy,
  edit,
  lazy,
  priceTest,
  programProject,
  run,
  shop,
  tillProject,
  write,
} from "./projects.ts";
import type { Row, Shown, Step } from "./row.ts";

/** A submission that has done nothing of what was asked. */
const nothing: readonly Step[] = [write({ "NOTES.md": "Discounts are fine now.\n" })];
const comment = `// done\n${shop.files["src/price.js"]}`;
const commented: readonly Step[] = [write({ "src/price.js": comment })];

type More = Partial<Omit<Row, "name" | "group">>;

const named = (name: string, shown: object, more: More = {}): Row => ({
  name,
  group: "evidence",
  project: shop,
  work: commented,
  reviewer: [approval([shown], more.project?.probe ?? shop.probe)],
  ...more,
});
const command = (text: string, more: More = {}): Row => named(`evidence: ${text}`, { command: text }, more);

const check = shop.checks[0]!;
const bench = (rounds: number): string =>
  `import { total } from "./src/price.js";\nlet steps = 0;\nfor (; steps < ${rounds}; steps += 1) total([1]);\nconsole.log(steps);\n`;
const npm = { "package.json": '{ "type": "module", "scripts": { "test": "node test/price.test.js" } }\n' };
const npmShop = checkedBy(shop, "npm test", npm);

/** Whatever stands there, it is true of every commit. */
const constants = [
  "true",
  ":",
  "exit 0",
  "echo ok",
  "sh -c true",
  "node -e 0",
  "node --version",
  "node -e 'process.exit(0)'",
  "test -f src/price.js",
  "cat src/price.js",
  "ls src",
  "git log -1",
  "grep -q discount src/price.js",
  "false || true",
  "! false",
  `(${check}) || true`,
  `${check}; echo ok`,
].map((text) => command(text));

/** It tells the submission from the base, and looks at no behaviour. */
const readings = [
  "grep -q done src/price.js",
  "git log -1 --format=%s | grep -q work",
  'test "$(git rev-list --count HEAD)" -gt 2',
  "! git diff --quiet HEAD~1 HEAD",
  "head -1 src/price.js | grep done",
].map((text) => command(text));

/** Programs that tell the two clones apart, and not what they hold. */
const apart: readonly Row[] = [
  command(`node -e 'process.exit(process.cwd().endsWith("base") ? 1 : 0)'`),
  command(`node -e 'require("fs").openSync("../ran-once", "wx")'`),
  command(
    `node -e 'process.exit(require("fs").readFileSync("src/price.js", "utf8").includes("done") ? 0 : 1)'`,
  ),
  command(`node -e 'require("child_process").execSync("git log -1 --format=%s | grep -q work")'`),
  command("find . -maxdepth 0 -exec sh -c 'git log -1 --format=%s | grep -q work' {} +"),
];

const passing = `import test from "node:test";\nimport { total } from "../src/price.js";\ntest("a discount", () => total([1]));\n`;
const prints = 'console.log("180");\n';

/** What the submission brings along only to be named. */
const props: readonly Row[] = [
  command("node test/new.test.js", { work: [write({ "test/new.test.js": passing })] }),
  named(
    "a new test that passes without the change, beside a changed comment",
    { command: "node test/new.test.js" },
    {
      work: [write({ "test/new.test.js": passing, "src/price.js": comment })],
    },
  ),
  command("sh prove.sh", { work: [write({ "prove.sh": "exit 0\n" })] }),
  command("node prove.mjs", { work: [write({ "prove.mjs": prints })] }),
  command("node prove.mjs | grep -q 180", {
    work: [write({ "prove.mjs": prints })],
  }),
  named(
    "a file that the Reviewer wrote",
    { command: "node mine.mjs" },
    {
      reviewer: [
        [
          write({ "mine.mjs": "process.exit(0);\n" }),
          ...approval([{ command: "node mine.mjs" }], shop.probe),
        ],
      ],
    },
  ),
  named(
    "sources that the Reviewer mended",
    { command: asks("discount(200, 10) === 180") },
    {
      reviewer: [[write(shop.fix), ...approval([shop.evidence], shop.probe)]],
    },
  ),
];

/** Programs that the Reviewer brings along, of which the shell's words say nothing. */
const ofReviewer = (name: string, text: string, more: More = {}): Row =>
  named(
    `the Reviewer's program ${name}`,
    {},
    {
      reviewer: [[write({ "look.mjs": text }), ...approval([{ command: "node look.mjs" }], shop.probe)]],
      ...more,
    },
  );
const looksFor = (condition: string): string =>
  `import { readFileSync } from "node:fs";\nconst text = readFileSync("src/price.js", "utf8");\nprocess.exit(${condition} ? 0 : 1);\n`;
const looks = (command: string): string =>
  `import { execSync } from "node:child_process";\nexecSync(${JSON.stringify(command)});\n`;
/** Right where the old tests look. */
const wrong = edit(
  shop.files["src/price.js"]!,
  "price - percent",
  "price - Math.min(percent, (price * percent) / 100)",
);
const programs: readonly Row[] = [
  ofReviewer("looks for a comment", looksFor('text.includes("done")')),
  ofReviewer("looks for code", looksFor('text.includes("(price * percent")'), {
    work: [write({ "src/price.js": wrong })],
  }),
  ofReviewer("looks for code that is gone", looksFor('!text.includes("price - percent;")'), {
    work: [write({ "src/price.js": wrong })],
  }),
  ofReviewer("asks git for its last commit", looks("git log -1 --format=%s | grep -q work")),
  ofReviewer("asks git for what is changed", looks("git diff --name-only HEAD~1 HEAD | grep -q price.js")),
  ofReviewer("makes a folder beside the clone", looks("mkdir ../seen")),
  ofReviewer("makes a folder at home", looks('mkdir "$HOME/seen"')),
  ofReviewer(
    "makes a folder in the place for such",
    looks('mkdir "${TMPDIR:-/tmp}/seen-$(basename $(dirname "$HOME"))"'),
  ),
  ofReviewer("runs on every second call", looks("echo >> ../calls; test $(($(wc -l < ../calls) % 2)) = 1")),
  ofReviewer("looks for a new test", looks("test -f test/new.test.js"), {
    work: [write({ "test/new.test.js": passing, "src/price.js": comment })],
  }),
  command("echo 'git log -1 --format=%s | grep -q work' | sh"),
  command("bash -s <<< 'grep -q done src/price.js'"),
  command("make -s -f look.mk", {
    reviewer: [
      [
        write({ "look.mk": "all:\n\tgrep -q done src/price.js\n" }),
        ...approval([{ command: "make -s -f look.mk" }], shop.probe),
      ],
    ],
  }),
  named(
    "a test that passes anyway, beside work that has nothing to do with it",
    { command: "node test/new.test.js" },
    {
      work: [
        write({
          "test/new.test.js": passing,
          "src/price.js": `${shop.files["src/price.js"]}\nexport const half = (price) => price / 2;\n`,
        }),
      ],
    },
  ),
  named(
    "a program of the submission's own that its notes name",
    { command: "node prove.mjs | grep -q 180" },
    { work: [write({ "prove.mjs": prints, "NOTES.md": "Run prove.mjs to see the discount.\n" })] },
  ),
  named(
    "a program of the submission's own that a file of its own names",
    { command: "node prove.mjs | grep -q 180" },
    {
      work: [write({ "prove.mjs": prints, "run.mjs": 'import "./prove.mjs";\n' })],
    },
  ),
];

/** Other shapes of no evidence. */
const shapes: readonly Row[] = [
  named("README.md:1", { file: "README.md", line: 1 }),
  named("a line that was there before", { file: "src/price.js", line: 3 }),
  named("an added line, for behaviour", { file: "src/price.js", line: 1 }),
  named("a line beyond the end", { file: "src/price.js", line: 999 }),
  named("words alone", { text: "I read all of it, and it is right" }),
  named("a command that does not end", { command: "sleep 600" }),
  named("a failure that nobody expected", { command: "node nowhere.js", exitCode: 1 }),
  named("a status that is not the command's", { command: asks("discount(200, 10) === 180") }),
  named("a status other than 0, expected without a reason", {
    command: asks("discount(200, 10) === 180"),
    exitCode: 1,
  }),
  named("one criterion of two", shop.evidence, {
    criteria: ["(behaves) discount(200, 10) is 180", "(behaves) discount(0, 10) is 0, and is logged"],
    work: [write(shop.fix)],
  }),
  named(
    "a criterion that is not there",
    { criterion: 7, result: "met", command: "true", exitCode: 0 },
    {
      reviewer: [
        [
          {
            verdict: "approve",
            criteria: [{ criterion: 7, result: "met", ...shop.evidence, exitCode: 0 }],
            probes: [],
          },
        ],
      ],
    },
  ),
  named(
    "no margin: a constant figure",
    { command: "echo 5" },
    { criteria: ["(measured: 20 % fewer steps) total"] },
  ),
  named(
    "no margin: the same figure",
    { command: "node -p 40+2" },
    {
      criteria: ["(measured: 20 % fewer steps) total"],
    },
  ),
  named(
    "a margin by a benchmark that is changed",
    { command: "node bench.mjs" },
    {
      work: [write({ "bench.mjs": bench(10) })],
      files: { "bench.mjs": bench(100) },
      criteria: ["(measured: ≥ 50 % fewer steps) total"],
    },
  ),
  named(
    "a document that says nothing more",
    { file: "README.md", line: 3 },
    {
      criteria: ["(document) the discount is described"],
    },
  ),
  ...(
    [
      ["an empty line", write({ "README.md": "# Shop\n\nIt sells.\n\n" }), "README.md", 4],
      ["a space at the end of a line", write({ "README.md": "# Shop\n\nIt sells. \n" }), "README.md", 3],
      [
        "the ticked box",
        run("sed -i 's/- \\[ \\]/- [x]/' issues/*.md; echo x > NOTES.md"),
        "issues/FEAT-0001-discounts-are-wrong.md",
        14,
      ],
    ] as const
  ).map(([name, step, file, line]) =>
    named(
      `a document: ${name}`,
      { file, line },
      { work: [step], criteria: ["(document) the discount is described"] },
    ),
  ),
  named(
    "no regressions, shown by true",
    { command: "true" },
    { criteria: ["(as before) all old tests pass"] },
  ),
  ...["npm --version", "node --check src/price.js", "make -n test", "touch x"].map((one) =>
    named(
      `no regressions, shown by ${one}`,
      { command: one },
      {
        work: nothing,
        files: { Makefile: "test:\n\tnode --test\n" },
        criteria: ["(as before) all old tests pass"],
      },
    ),
  ),
  named(
    "no regressions, shown by grep",
    { command: "grep -q total src/price.js" },
    {
      criteria: ["(as before) all old tests pass"],
    },
  ),
];

const program = programProject.files["bin/till"]!;
const inProgram = named(
  "a comment in a program without an ending",
  { command: "grep -q -- --json bin/till" },
  {
    project: programProject,
    criteria: ["`bin/till --json 1 2` prints JSON"],
    work: [write({ "bin/till": `${program}# --json prints JSON\n` })],
  },
);

/** Reviewers that do not look at all. */
const idle: readonly Row[] = [
  { name: "lazy, nothing done", group: "evidence", project: shop, work: nothing, reviewer: [lazy(shop)] },
  { name: "lazy, a comment", group: "evidence", project: shop, work: commented, reviewer: [lazy(shop)] },
  { name: "lazy, npm test", group: "evidence", project: npmShop, work: commented, reviewer: [lazy(npmShop)] },
  {
    name: "lazy, shell",
    group: "evidence",
    project: tillProject,
    work: nothing,
    reviewer: [lazy(tillProject)],
  },
  {
    name: "lazy, the fix with a broken edge",
    group: "evidence",
    project: shop,
    work: [
      write({ "src/price.js": edit(shop.fix["src/price.js"]!, "price * percent", "price * percent * 2") }),
    ],
    reviewer: [lazy(shop)],
  },
  {
    name: "lazy, a test that passes anyway",
    group: "evidence",
    project: shop,
    work: [write({ "test/price.test.js": `${priceTest}\ntest("more", () => {});\n` })],
    reviewer: [lazy(shop)],
  },
  {
    name: "monoco check for everything",
    group: "evidence",
    project: shop,
    work: commented,
    reviewer: [
      [run("monoco check"), ...approval([{ command: "monoco check" }], { command: "monoco check" })],
    ],
  },
  {
    name: "nothing at all",
    group: "evidence",
    project: shop,
    work: commented,
    reviewer: [approval([], shop.probe)],
  },
];

const probes: readonly Row[] = (
  [
    ["no probe", undefined],
    ["the check as the probe", { command: check }],
    ["the check in other clothes as the probe", { command: `sh -c '${check}'` }],
    ["a probe that does not reproduce", { command: "node nowhere.js" }],
  ] as const satisfies readonly (readonly [string, Shown | undefined])[]
).map(([name, probe]) => ({
  name,
  group: "evidence",
  project: shop,
  work: [write(shop.fix)],
  reviewer: [
    probe ? approval([shop.evidence], probe) : approval([shop.evidence], { command: "true" }, { probes: [] }),
  ],
}));

export const evidence: readonly Row[] = [
  ...constants,
  ...readings,
  ...apart,
  ...props,
  ...programs,
  ...shapes,
  inProgram,
  ...idle,
  ...probes,
];

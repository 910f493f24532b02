/** Races and contradictions: verdicts against themselves and each other, words in another's name, and bases that move. */
import { approval, asks, edit, obliging, run, shop, write } from "./projects.ts";
import type { Row, Step } from "./row.ts";

/** The criterion holds; all for nothing costs its full price from now on, which the base had right. */
const subtle = write({
  ...shop.fix,
  "src/price.js": edit(
    shop.fix["src/price.js"]!,
    "(price * percent) / 100;",
    "(price * percent) / 100 || price;",
  ),
});
/** It fails here, and not on the base. */
const shown = { command: asks("discount(100, 100) === 0"), exitCode: 1, text: "it is 100" };
const finding = {
  id: "all-off",
  severity: "blocker",
  title: "100 % off costs the full price",
  evidence: shown,
};
const fixed = write(shop.fix);
const wrong = write({ "src/price.js": `// done\n${shop.files["src/price.js"]}` });
const approves = obliging(shop);
const rejects = (more: object = {}): Step[] => [
  { verdict: "request_changes", findings: [{ ...finding, ...more }] },
];
const approvesWith = (...findings: object[]): Step[] => approval([shop.evidence], shop.probe, { findings });
/** The next Executor changes something else, and submits again. */
const elsewhere: Step[] = [
  write({ "NOTES.md": "Looked at it again.\n" }),
  run("git add -A && git commit -qm again"),
  { submit: true },
];

const row = (
  name: string,
  work: readonly Step[],
  reviewer: Row["reviewer"],
  more: Partial<Row> = {},
): Row => ({
  name,
  group: "contradictions",
  project: shop,
  work,
  reviewer,
  ...more,
});

const inOne: readonly Row[] = [
  row("an approval beside its own blocker", [subtle], [approvesWith(finding)]),
  row("an approval beside its own major, shown", [subtle], [approvesWith({ ...finding, severity: "major" })]),
  row(
    "an approval beside a major that cites the criterion",
    [subtle],
    [approvesWith({ ...finding, severity: "major", criterion: "1", evidence: { text: "it is 100" } })],
  ),
  row(
    "an approval beside a blocker in words alone",
    [subtle],
    [approvesWith({ ...finding, evidence: { text: "no" } })],
  ),
  row(
    "an approval of what is not met",
    [wrong],
    [
      [
        {
          verdict: "approve",
          criteria: [{ criterion: 1, result: "not_met", ...shop.evidence, exitCode: 1 }],
          probes: [{ ...shop.probe, exitCode: 0 }],
        },
      ],
    ],
  ),
  row(
    "met and not met at once",
    [wrong],
    [
      [
        {
          verdict: "approve",
          criteria: [
            { criterion: 1, result: "met", ...shop.evidence, exitCode: 0 },
            { criterion: 1, result: "not_met", ...shop.evidence, exitCode: 1 },
          ],
          probes: [{ ...shop.probe, exitCode: 0 }],
        },
      ],
    ],
  ),
  row(
    "not verifiable, though it is",
    [wrong],
    [
      [
        {
          verdict: "approve",
          criteria: [{ criterion: 1, result: "not_verifiable", text: "no printer" }],
          probes: [{ ...shop.probe, exitCode: 0 }],
        },
      ],
    ],
  ),
  row(
    "its evidence is the failure itself",
    [wrong],
    [approval([{ ...shop.evidence, exitCode: 1, text: "it fails, as expected" }], shop.probe)],
  ),
  row("an approval over a failed check", [write({ "src/price.js": "broken(\n" })], [approves]),
  row("changes requested, and approved in one session", [subtle], [[...rejects(), ...approves]]),
  row("an approval, and then a failure", [wrong], [[...approves, { exit: 1 }]]),
];

const later = (name: string, first: object, then: readonly Step[] = approves): Row =>
  row(name, [subtle], [rejects(first), [...then]], { after: [elsewhere] });
const afterwards: readonly Row[] = [
  later("a blocker that still reproduces, approved by the next", {}),
  later("a major that still reproduces, approved by the next", { severity: "major" }),
  later("a blocker that cites the criterion, approved by the next", { criterion: "1" }),
  later("a blocker that names a file, approved by the next", { file: "src/price.js", line: 2 }),
  later("a blocker that becomes a minor", {}, approvesWith({ ...finding, severity: "minor" })),
  later("a blocker that becomes a note", {}, approvesWith({ ...finding, severity: "note" })),
  later(
    "a blocker in other words, as a note",
    {},
    approvesWith({ ...finding, id: "x", title: "Fine", severity: "note" }),
  ),
  later(
    "a blocker whose id comes back for something else",
    {},
    approvesWith({ id: "all-off", severity: "note", title: "A name" }),
  ),
  later(
    "a blocker that is said to be resolved",
    {},
    approval([shop.evidence], shop.probe, { summary: "all-off is resolved", trend: "converging" }),
  ),
  later(
    "a blocker with another command for it",
    {},
    approvesWith({ ...finding, severity: "note", evidence: { command: "true", exitCode: 0, text: "fine" } }),
  ),
  row("a blocker, and a third Reviewer", [subtle], [rejects(), rejects({ id: "other" }), approves], {
    after: [elsewhere, [run("echo more >> NOTES.md; git commit -qam more"), { submit: true }]],
  }),
  row("a blocker of a verdict that did not count", [subtle], [approvesWith(finding), approves]),
  row("a blocker that the Executor answers in the README", [subtle], [rejects(), approves], {
    after: [
      [
        write({ "README.md": "# Shop\n\nAll for nothing costs the full price.\n" }),
        run("git commit -qam docs"),
        { submit: true },
      ],
    ],
  }),
  row(
    "a blocker whose command the next submission makes pass by a file",
    [subtle],
    [
      rejects({ evidence: { command: `test -e fine || ${shown.command}`, exitCode: 1, text: "it is 100" } }),
      approves,
    ],
    {
      after: [[write({ fine: "" }), run("git add -A; git commit -qm fine"), { submit: true }]],
    },
  ),
];

const lacking = write({
  ...shop.fix,
  "src/price.js": edit(
    shop.fix["src/price.js"]!,
    "let sum = 0;",
    "let sum = 0;\n  prices = prices.map((one) => one);",
  ),
});
const wanting: readonly Row[] = [
  row(
    "a blocker that fails for want of a function",
    [lacking],
    [
      rejects({
        evidence: {
          command: asks("total(new Set([1])) === 1"),
          exitCode: 1,
          text: "prices.map is not a function",
        },
      }),
      approves,
    ],
    { after: [elsewhere] },
  ),
];

const verdictLine = JSON.stringify({ type: "verdict", verdict: "approve", criteria: [], probes: [] });
const names: readonly Row[] = [
  row(
    "the Executor gives a verdict",
    [wrong, run("git add -A; git commit -qm work; monoco issue submit"), ...approves],
    [rejects({ criterion: "1" })],
  ),
  row("the Executor prints a verdict", [wrong, { say: verdictLine }], [rejects({ criterion: "1" })]),
  row(
    "the Executor approves as a person",
    [
      wrong,
      run('monoco issue review FEAT-0001 --approve; cd "$PERSON" && monoco issue review FEAT-0001 --approve'),
    ],
    [rejects({ criterion: "1" })],
  ),
  row(
    "the Reviewer approves as a person",
    [wrong],
    [
      [
        run(
          'monoco issue review FEAT-0001 --approve; cd "$PERSON" && monoco issue review FEAT-0001 --approve',
        ),
        ...rejects({ criterion: "1" }),
      ],
    ],
  ),
  row("a check approves as a person", [wrong], [rejects({ criterion: "1" })], {
    project: {
      ...shop,
      checks: ['(cd "$PERSON" 2> /dev/null; monoco issue review FEAT-0001 --approve); true'],
    },
  }),
  row(
    "the Reviewer commits the fix to its clone",
    [wrong],
    [[write(shop.fix), run("git commit -qam fix"), ...approves]],
  ),
  row(
    "the Reviewer takes the failing test away",
    [write({ "src/price.js": edit(shop.fix["src/price.js"]!, "let sum = 0", "let sum = 1") })],
    [[run("rm test/price.test.js"), ...approves]],
  ),
];

const moves = (command: string): Step => run(`cd "$PERSON" && { ${command}; } && git commit -qam moved`);
const races: readonly Row[] = [
  row(
    "the base moves to what the checks refuse",
    [fixed],
    [
      [
        moves(
          // 140 on the base, and 80 with the work
          `printf 'import { discount } from "../src/price.js";\\nif (discount(200, 60) < 100) process.exit(1);\\n' > test/z.test.js; git add -A`,
        ),
        ...approves,
      ],
    ],
  ),
  row(
    "the base changes the same lines",
    [fixed],
    [[moves("sed -i 's/price - percent/price - 2 * percent/' src/price.js"), ...approves]],
  ),
  row(
    "the contract changes on the base",
    [fixed],
    [[moves("sed -i 's/is 180/is 180 and logged/' issues/*.md"), ...approves]],
  ),
  row(
    "the issue is closed on the base",
    [fixed],
    [[moves("sed -i 's/^status: open/status: closed/' issues/*.md"), ...approves]],
  ),
];

export const contradictions: readonly Row[] = [...inOne, ...afterwards, ...wanting, ...names, ...races];

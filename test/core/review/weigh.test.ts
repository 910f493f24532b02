/** When a verdict counts: evidence for each criterion, that reproduces, a probe, no failed check, and findings that may hold back. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trial } from "../../../src/core/trial/trial-schema.ts";
import type { Criterion, Finding, Verdict } from "../../../src/core/review/verdict-schema.ts";
import { commandsNamed, commandsResolved, filesNamed } from "../../../src/core/review/verdict/to-run.ts";
import { weigh } from "../../../src/core/review/verdict/weigh.ts";
import type { Ended } from "../../../src/core/trial/due.ts";
import type { OnTrees } from "../../../src/core/trial/evidence-runs.ts";
import type { Known } from "../../../src/core/review/verdict/known.ts";
import { checkResult } from "../support/relays.ts";

const criteria = ["A wrong password is refused", "Three in a row lock the account"];
type Trees = Partial<Record<keyof OnTrees, ReadonlyMap<string, Ended>>>;

type More = Partial<Known> & Trees;

/** How commands ended, by tree; a row names only the trees that it is about. */
const known = ({ branch, base, again, words, names, comment, unused, ...more }: More = {}): Known => {
  const trees = {
    branch:
      branch ??
      new Map([
        ["node try.js", { exitCode: 0 }],
        ["node lock.js", { exitCode: 1 }],
      ]),
    base:
      base ??
      new Map([
        ["node try.js", { exitCode: 1 }],
        ["npm test", { exitCode: 1 }],
      ]),
    ...(again && { again }),
    ...(words && { words }),
    ...(names && { names }),
    ...(comment && { comment }),
    ...(unused && { unused }),
  };
  const runs = new Map<string, OnTrees>();
  for (const [tree, ended] of Object.entries(trees))
    for (const [command, one] of ended) runs.set(command, { ...runs.get(command), [tree]: one });
  return {
    criteria,
    checks: [checkResult(true)],
    runs,
    figures: new Map(),
    changed: [{ path: "src/login.ts", role: "source" }],
    lines: new Map([["src/login.ts", 20]]),
    added: new Map([["src/login.ts", new Map([[20, "lock()"]])]]),
    guarded: [],
    earlier: [],
    ...more,
  };
};
const ranOn = (tree: "branch" | "base", command: string, exitCode: number): ReadonlyMap<string, Ended> =>
  new Map([
    ...[...known().runs].flatMap(([name, on]) => (on[tree] ? [[name, on[tree]] as const] : [])),
    [command, { exitCode }],
  ]);

const met = (criterion: number, more: Partial<Criterion> = {}): Criterion => ({
  criterion,
  result: "met",
  command: "node try.js",
  exitCode: 0,
  ...more,
});
const probe = { command: "node lock.js", exitCode: 1 };
const found = (more: Partial<Finding> = {}): Finding => ({
  id: "F1",
  severity: "major",
  title: "An empty password passes",
  criterion: 1,
  evidence: { text: "it answered 200" },
  ...more,
});
const approval = (more: Partial<Verdict> = {}): Verdict => ({
  verdict: "approve",
  criteria: [met(1), met(2)],
  probes: [probe],
  findings: [],
  ...more,
});
const request = (findings: Finding[], more: Partial<Verdict> = {}): Verdict => ({
  verdict: "request_changes",
  criteria: [],
  probes: [],
  findings,
  ...more,
});

const back = (result: "guarded" | "unguarded" | "unseen") => ({ file: "a.sh", line: 1, lines: 1, result });

/** As an earlier round has left it: it was seen here, and not on the base. */
const shownFinding = found({
  criterion: undefined,
  evidence: { command: "node lock.js", exitCode: 1, text: "no lock" },
  reproduced: true,
  worth: "shown",
});
const says = (n: number, what: string): string => `criterion ${n} (${criteria[n - 1]}): ${what}`;
const ended = (command: string, on: string, why: string): string => `\`${command}\` ended with ${on}: ${why}`;

test("an approval answers each listed place; answers to what is not listed are left out", () => {
  const listed = [
    { id: "P1", words: "monoco.yaml: monoco's settings" },
    { id: "W1", words: "a.test.js:1: a test that is not run" },
  ];
  const answers = [
    { id: "W1", text: "the feature is gone" },
    { id: "W7", text: "what is this?" },
  ];
  const weighed = weigh(approval({ answers }), known({ listed }));
  expect(weighed.why).toEqual(["P1 (monoco.yaml: monoco's settings) is listed and not answered"]);
  expect(weighed.answers).toEqual([answers[0]]);
  const all = [...answers, { id: "P1", text: "the contract asks for it" }];
  expect(weigh(approval({ answers: all }), known({ listed })).why).toEqual([]);
  // However an id is written, and several at once; no words are no answer.
  const together = [{ id: "[p1], w1:", text: "both are asked for" }];
  expect(weigh(approval({ answers: together }), known({ listed })).why).toEqual([]);
  const empty = [{ id: "P1 W1", text: " " }];
  expect(weigh(approval({ answers: empty }), known({ listed })).why).toHaveLength(2);
  expect(weigh(request([found()]), known({ listed })).why).toEqual([]);
});

test.for<[string, Trial["takeBack"], boolean]>([
  ["each change", { result: "tried", changes: [back("guarded")], left: 0 }, true],
  [
    "each change, where there is no check",
    { result: "no_checks", changes: [back("guarded")], left: 1 },
    true,
  ],
  ["one of two", { result: "tried", changes: [back("guarded"), back("unguarded")], left: 0 }, false],
  ["those that were tried", { result: "tried", changes: [back("guarded")], left: 3 }, false],
  ["none", { result: "tried", changes: [], left: 0 }, false],
  ["one that could not be seen", { result: "tried", changes: [back("unseen")], left: 0 }, false],
])("that no test guards the work needs no answer if the evidence guards %s", ([, takeBack, needsNone]) => {
  const listed = [{ id: "W1", words: "a.sh: no new test fails", unguarded: true as const }];
  const trial = {
    onBase: { result: "no_tests" },
    crossing: { result: "nothing", found: [] },
    takeBack,
    ms: 1,
  };
  const { why } = weigh(approval(), known({ listed, trial: trial as unknown as Trial }));
  expect(why).toEqual(needsNone ? [] : ["W1 (a.sh: no new test fails) is listed and not answered"]);
  // A command may look for a text that the work removes.
  const changed = [{ path: "a.sh", role: "source" as const, before: { mode: "100644", hash: "1" } }];
  expect(weigh(approval(), known({ listed, trial: trial as unknown as Trial, changed })).why).toHaveLength(1);
});

describe("an approval", () => {
  test("counts with evidence for every criterion and a probe, and says that both reproduce", () => {
    expect(weigh(approval(), known())).toEqual({
      criteria: approval().criteria.map((one) => ({
        ...one,
        kind: "behaves",
        guessed: true,
        reproduced: true,
        worth: "shown",
        base: 1,
        emptied: "not_tried",
        supports: true,
        by: "differs",
      })),
      probes: [{ ...probe, reproduced: true }],
      findings: [],
      why: [],
    });
  });

  test.for<[string, Verdict, More, string[]]>([
    [
      "no evidence at all",
      approval({ criteria: [] }),
      {},
      [
        `criterion 1 (A wrong password is refused): no evidence`,
        `criterion 2 (Three in a row lock the account): no evidence`,
      ],
    ],
    [
      "none for one criterion",
      approval({ criteria: [met(1)] }),
      {},
      [`criterion 2 (Three in a row lock the account): no evidence`],
    ],
    [
      "a criterion that the contract does not have, in place of one",
      approval({ criteria: [met(1), met(3)] }),
      {},
      [`criterion 2 (Three in a row lock the account): no evidence`],
    ],
    [
      "a criterion that is not met",
      approval({ criteria: [met(1), met(2, { result: "not_met" })] }),
      {},
      ["criterion 2 (Three in a row lock the account): not met, and yet it approves"],
    ],
    [
      "words in place of evidence",
      approval({ criteria: [met(1), { criterion: 2, result: "met", text: "I looked" }] }),
      {},
      [says(2, "no command and exit status, or file and line, is named")],
    ],
    [
      "a command without its exit status",
      approval({ criteria: [met(1), met(2, { exitCode: undefined })] }),
      {},
      [says(2, "no command and exit status, or file and line, is named")],
    ],
    [
      "a file without a line",
      approval({ criteria: [met(1), { criterion: 2, result: "met", file: "src/login.ts" }] }),
      {},
      [says(2, "src/login.ts:? is not among the lines whose words the submission adds")],
    ],
    [
      "another exit status than monoco sees",
      approval({ criteria: [met(1), met(2, { command: "node lock.js" })] }),
      {},
      [
        "criterion 2 (Three in a row lock the account): `node lock.js` does not reproduce: exit status 1, not 0",
      ],
    ],
    [
      "a file that is not there",
      approval({ criteria: [met(1), { criterion: 2, result: "met", file: "src/gone.ts", line: 1 }] }),
      {},
      ["criterion 2 (Three in a row lock the account): `src/gone.ts:1` does not reproduce: no such file"],
    ],
    [
      "a line that is not there",
      approval({ criteria: [met(1), { criterion: 2, result: "met", file: "src/login.ts", line: 21 }] }),
      {},
      [
        "criterion 2 (Three in a row lock the account): `src/login.ts:21` does not reproduce: it has 20 lines",
      ],
    ],
    [
      "two words on one criterion, one of them bad",
      approval({ criteria: [met(1), met(2), met(2, { result: "not_met" })] }),
      {},
      ["criterion 2 (Three in a row lock the account): not met, and yet it approves"],
    ],
    [
      "monoco check as evidence, where there are no checks",
      approval({ criteria: [met(1, { command: "monoco check" }), met(2)] }),
      { checks: [] },
      [
        "criterion 1 (A wrong password is refused): `monoco check` does not reproduce: there are no checks to run",
      ],
    ],
    [
      "no probe",
      approval({ probes: [] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "a check in place of a probe",
      approval({ probes: [{ command: "npm test", exitCode: 0 }] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "monoco check in place of a probe",
      approval({ probes: [{ command: " monoco check", exitCode: 0 }] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "a probe that does not reproduce",
      approval({ probes: [{ ...probe, exitCode: 0 }] }),
      {},
      ["probe: `node lock.js` does not reproduce: exit status 1, not 0"],
    ],
    [
      "a failed check",
      approval(),
      { checks: [checkResult(false)] },
      ["an approval with a failed check: npm test"],
    ],
    [
      "a finding of its own that holds back",
      approval({ findings: [found()] }),
      {},
      ["it approves over its own finding F1 (major)"],
    ],
    [
      "not verifiable, without a word",
      approval({ criteria: [met(1), { criterion: 2, result: "not_verifiable", text: " " }] }),
      {},
      ["criterion 2 (Three in a row lock the account): not verifiable, and no word why"],
    ],
    [
      "not verifiable, with a word",
      approval({ criteria: [met(1), { criterion: 2, result: "not_verifiable", text: "no clock here" }] }),
      {},
      ["criterion 2 (Three in a row lock the account): could not be verified"],
    ],
    [
      "a constant command",
      approval({ criteria: [met(1), met(2, { command: "true" })] }),
      { branch: ranOn("branch", "true", 0) },
      [says(2, ended("true", "0 on the submission", "it could not have ended otherwise"))],
    ],
    [
      "a command that ends the same on the base",
      approval({ criteria: [met(1), met(2)] }),
      { base: new Map([["node try.js", { exitCode: 0 }]]) },
      [1, 2].map((n) =>
        says(n, ended("node try.js", "0 on the submission, 0 on the base", "it ends the same on the base")),
      ),
    ],
    [
      "a command that only reads text",
      approval({ criteria: [met(1), met(2, { command: "grep -q lock src/login.ts" })] }),
      {
        branch: ranOn("branch", "grep -q lock src/login.ts", 0),
        base: ranOn("base", "grep -q lock src/login.ts", 1),
        words: new Map([["grep -q lock src/login.ts", { exitCode: 0 }]]),
      },
      [
        says(
          2,
          ended(
            "grep -q lock src/login.ts",
            "0 on the submission, 1 on the base, 0 on the submission without its work",
            "it shows that something is there, and not that it works",
          ),
        ),
      ],
    ],
    [
      "a status other than 0 that no word expects",
      approval({ criteria: [met(1), met(2, { command: "node lock.js", exitCode: 1 })] }),
      { base: ranOn("base", "node lock.js", 0) },
      [
        says(
          2,
          ended(
            "node lock.js",
            "1 on the submission, 0 on the base",
            "no text says that exit status 1 was expected",
          ),
        ),
      ],
    ],
    [
      "a command that did not end in its time",
      approval(),
      {
        branch: new Map<string, Ended>([
          ["node try.js", "time"],
          ["node lock.js", { exitCode: 1 }],
        ]),
      },
      [1, 2].map((n) =>
        says(
          n,
          ended(
            "node try.js",
            "no status on the submission, 1 on the base",
            "it did not end in its time, or was not run",
          ),
        ),
      ),
    ],
    [
      "a check under another spelling in place of a probe",
      approval({ probes: [{ command: "npm run  test 2>&1", exitCode: 0 }] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "a constant in place of a probe",
      approval({ probes: [{ command: "echo ok", exitCode: 0 }] }),
      { branch: ranOn("branch", "echo ok", 0) },
      ["probe: `echo ok` could not have ended otherwise"],
    ],
    [
      "an earlier finding that still shows, whoever approves",
      approval(),
      { earlier: [shownFinding] },
      ["finding F1 (An empty password passes) is not resolved: `node lock.js` still ends with exit status 1"],
    ],
  ])("with %s does not count", ([, verdict, more, why]) =>
    expect(weigh(verdict, known(more)).why).toEqual(why),
  );

  test.for<[string, Verdict, More]>([
    ["a minor finding beside it", approval({ findings: [found({ severity: "minor" })] }), {}],
    ["a major that cites nothing", approval({ findings: [found({ criterion: undefined })] }), {}],
    [
      "a criterion that it cannot verify, and why",
      approval({ criteria: [met(1), { criterion: 2, result: "not_verifiable", text: "needs a printer" }] }),
      { asked: true },
    ],
    ["a contract without criteria", approval({ criteria: [] }), { criteria: [] }],
    [
      "a check as evidence, known from monoco's own run",
      approval({ criteria: [met(1, { command: "npm test" }), met(2, { command: "monoco check" })] }),
      {},
    ],
    ["a probe that ends the same on the base", approval(), { base: ranOn("base", "node lock.js", 1) }],
    [
      "nothing of the base, where its set-up fails: a person decides",
      approval(),
      { base: new Map([["node try.js", "no_setup"]]), baseTrouble: true },
    ],
    [
      "an earlier finding whose command needs what only that Reviewer had",
      approval({ probes: [{ command: "node other.js", exitCode: 0 }] }),
      {
        branch: new Map([
          ["node try.js", { exitCode: 0 }],
          ["node other.js", { exitCode: 0 }],
          ["node lock.js", { exitCode: 1, output: "Error: ENOENT: mine.js" }],
        ]),
        earlier: [shownFinding],
      },
    ],
    [
      "an earlier finding without an exit status",
      approval(),
      { earlier: [{ ...shownFinding, evidence: { command: "node none.js", text: "it hangs" } }] },
    ],
    [
      "words on a criterion that the contract does not have, beside the others",
      approval({ criteria: [met(1), met(2), met(3, { command: "true" })] }),
      {},
    ],
    [
      "an earlier finding that is resolved",
      approval({ probes: [{ command: "node other.js", exitCode: 0 }] }),
      {
        branch: new Map([
          ["node try.js", { exitCode: 0 }],
          ["node other.js", { exitCode: 0 }],
          ["node lock.js", { exitCode: 0 }],
        ]),
        earlier: [shownFinding],
      },
    ],
  ])("counts with %s", ([, verdict, more]) => expect(weigh(verdict, known(more)).why).toEqual([]));

  test("by `monoco check` does not reproduce where a check failed", () => {
    const { criteria: judged } = weigh(
      approval({ criteria: [met(1, { command: "monoco check" })] }),
      known({ checks: [checkResult(false)] }),
    );
    expect(judged).toMatchObject([{ reproduced: false, seen: "exit status 1, not 0" }]);
  });
});

describe("evidence for behaviour that tells the submission from the base", () => {
  test.for<[string, More, string[]]>([
    ["counts where nothing else is known", {}, []],
    [
      "counts where it notices that the work is gone",
      {
        words: new Map([["node try.js", { exitCode: 1 }]]),
        names: new Map([["node try.js", { exitCode: 1 }]]),
      },
      [],
    ],
    [
      "does not where it ends the same without the work",
      {
        words: new Map([["node try.js", { exitCode: 1 }]]),
        names: new Map([["node try.js", { exitCode: 0 }]]),
      },
      [1, 2].map((n) =>
        says(
          n,
          ended(
            "node try.js",
            "0 on the submission, 1 on the base, 1 on the submission without its work, 0 on its names alone",
            "it shows that something is there, and not that it works",
          ),
        ),
      ),
    ],
    [
      "does not where a comment that says nothing changes how it ends: it reads the text of the work",
      {
        words: new Map([["node try.js", { exitCode: 1 }]]),
        names: new Map([["node try.js", { exitCode: 1 }]]),
        comment: new Map([["node try.js", { exitCode: 1 }]]),
      },
      [1, 2].map((n) =>
        says(
          n,
          ended(
            "node try.js",
            "0 on the submission, 1 on the base, 1 on the submission without its work, 1 on its names alone",
            "it reads the text of the work: a comment that says nothing changes how it ends",
          ),
        ),
      ),
    ],
    [
      "does not where it ends otherwise when it runs once more, after the base",
      { again: new Map([["node try.js", { exitCode: 1 }]]) },
      [1, 2].map(
        (n) =>
          `criterion ${n} (${criteria[n - 1]}): \`node try.js\` does not reproduce: exit status 1 when it ran again after the base`,
      ),
    ],
  ])("%s", ([, more, why]) => {
    expect(weigh(approval(), known(more)).why).toEqual(why);
  });

  test("does not count where a new file that nothing names is all that it notices", () => {
    const other = new Map([["node try.js", { exitCode: 1 }]]);
    const trees = { words: other, names: other, comment: new Map([["node try.js", { exitCode: 0 }]]) };
    const { criteria: judged } = weigh(
      approval(),
      known({ ...trees, unused: new Map([["node try.js", { exitCode: 0 }]]) }),
    );
    expect(judged).toMatchObject([{ worth: "shown", emptied: "unused", supports: false }, {}]);
  });
});

describe("a figure of a measured criterion", () => {
  const sides = {
    criteria: ["(measured: 50 % fewer steps) a total"],
    branch: ranOn("branch", "node bench.js", 0),
    base: ranOn("base", "node bench.js", 0),
  };
  const verdict = approval({ criteria: [met(1, { command: "node bench.js" })] });

  const missed =
    "criterion 1 ((measured: 50 % fewer steps) a total): `node bench.js` ended with 0 on the submission, 0 on the base: its median figure is 6 on the submission and 10 on the base, and at least 50 % fewer is asked for";

  test.for<[string, number, More, Partial<Criterion>, string[]]>([
    ["counts where it keeps the margin", 5, {}, { worth: "measured", supports: true }, []],
    [
      "does not count where it keeps less than the margin, and the words name both figures",
      6,
      {},
      { worth: "as_before", supports: false },
      [missed],
    ],
    [
      "supports nothing where the submission changes what measures it: a person decides",
      5,
      { ownRulers: new Set(["node bench.js"]) },
      { worth: "measured", ownRuler: true, supports: false },
      [],
    ],
  ])("%s", ([, steps, more, judged, why]) => {
    const figures = new Map([["node bench.js", { branch: [steps, steps, steps], base: [10, 10, 10] }]]);
    const weighed = weigh(verdict, known({ ...sides, figures, ...more }));
    expect(weighed.criteria).toMatchObject([judged]);
    expect(weighed.why).toEqual(why);
  });
});

describe("an earlier blocker whose command was shown", () => {
  const still = (more: string): string =>
    `finding F1 (An empty password passes) is not resolved: \`node lock.js\` still ends with exit status 1${more}`;
  const gone = new Map([
    ["node try.js", { exitCode: 0 }],
    ["node lock.js", { exitCode: 0 }],
  ]);
  const tried = { probes: [{ command: "node try.js", exitCode: 0 }] };

  test.for<[string, Finding]>([
    ["that it is a note now", { ...shownFinding, severity: "note" }],
    ["with another command", { ...shownFinding, evidence: { command: "true", exitCode: 0, text: "fine" } }],
  ])("is not resolved by a later verdict's word %s", ([, later]) => {
    expect(weigh(approval(), known({ earlier: [shownFinding, later] })).why).toEqual([still("")]);
  });

  test.for<[string, string | undefined, string[]]>([
    ["is still there where it fails for want of the same", "a name", [still("")]],
    ["is told nothing by a file that is missing only now", undefined, []],
    ["is told nothing by another file that is missing", "ENOENT: a.json", []],
  ])("%s", ([, lacks, why]) => {
    const branch = new Map([
      ["node try.js", { exitCode: 0 }],
      ["node lock.js", { exitCode: 1, output: "TypeError: lock is not a function" }],
    ]);
    const earlier = [{ ...shownFinding, ...(lacks && { lacks }) }];
    expect(weigh(approval(tried), known({ earlier, branch })).why).toEqual(why);
  });

  test("keeps what its command fails for want of", () => {
    const branch = new Map([["node lock.js", { exitCode: 1, output: "TypeError: lock is not a function" }]]);
    const { findings } = weigh(request([shownFinding]), known({ branch }));
    expect(findings).toMatchObject([{ id: "F1", lacks: "a name" }]);
  });

  test("is resolved where its command ends otherwise, unless only by a new file that nothing names", () => {
    const earlier = { earlier: [shownFinding], branch: gone };
    expect(commandsResolved(known(earlier))).toEqual([shownFinding.evidence]);
    expect(weigh(approval(tried), known(earlier)).why).toEqual([]);
    const unused = new Map([["node lock.js", { exitCode: 1 }]]);
    const asked = weigh(approval(tried), known({ ...earlier, unused }));
    expect([asked.why, asked.unresolved]).toEqual([[], ["F1"]]);
    expect(weigh(approval(tried), known({ ...earlier, unused, confirms: true })).why).toEqual([
      still(" once the new files that nothing names are taken out"),
    ]);
  });
});

describe("a confirmation of an approval, on the merged tree,", () => {
  const confirms = true;
  test.for<[string, Verdict, More, string[]]>([
    ["needs a probe and no evidence of any criterion", approval({ criteria: [] }), {}, []],
    [
      "needs that probe",
      approval({ criteria: [], probes: [] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "may name evidence that the base shares: the approval stands for the criterion",
      approval({ criteria: [met(1, { command: "npm test" })] }),
      { base: new Map([["npm test", { exitCode: 0 }]]) },
      [],
    ],
    [
      "is a contradiction beside a criterion that is not met any more",
      approval({ criteria: [met(2, { result: "not_met" })] }),
      {},
      ["criterion 2 (Three in a row lock the account): not met, and yet it approves"],
    ],
    [
      "does not count beside evidence that does not reproduce there",
      approval({ criteria: [met(1, { exitCode: 3 })] }),
      {},
      ["criterion 1 (A wrong password is refused): `node try.js` does not reproduce: exit status 0, not 3"],
    ],
  ])("%s", ([, verdict, more, why]) => {
    expect(weigh(verdict, known({ ...more, confirms })).why).toEqual(why);
  });
});

describe("an approval beside its own words against it", () => {
  test("is a contradiction where it raises a blocker, whatever that cites", () => {
    const blocker = found({ severity: "blocker", criterion: undefined });
    expect(weigh(approval({ findings: [blocker] }), known()).why).toEqual([
      "it approves over its own finding F1 (blocker)",
    ]);
  });

  test("is none where a major cites nothing: that is written down beside it", () =>
    expect(weigh(approval({ findings: [found({ criterion: undefined })] }), known()).why).toEqual([]));

  test("keeps what it says of a criterion that is not met: it becomes a finding", () => {
    const unmet = { criterion: 2, result: "not_met" as const, text: "discount(200, 10) is 190" };
    const { findings, why } = weigh(approval({ criteria: [met(1), unmet] }), known());
    expect(why).toEqual(["criterion 2 (Three in a row lock the account): not met, and yet it approves"]);
    expect(findings).toMatchObject([{ id: "criterion-2", evidence: { text: "discount(200, 10) is 190" } }]);
  });
});

describe("requested changes", () => {
  const nothing = [expect.stringContaining("nothing that it found holds back an approval")];
  test.for<[string, Finding, More, boolean]>([
    ["a major that cites a criterion by its number", found(), {}, true],
    [
      "a failed check by its command",
      found({ criterion: undefined, evidence: { command: "npm test", exitCode: 1, text: "" } }),
      { checks: [checkResult(false)] },
      true,
    ],
    [
      "a protected path that the submission changes",
      found({ criterion: undefined, file: "monoco.yaml" }),
      { guarded: ["monoco.yaml"] },
      true,
    ],
    [
      "nothing, but its command fails here and not on the base",
      found({ criterion: undefined, evidence: { command: "node lock.js", exitCode: 1, text: "" } }),
      { base: new Map([["node lock.js", { exitCode: 0 }]]) },
      true,
    ],
    [
      "nothing, and its command fails on the base as well",
      found({ criterion: undefined, evidence: { command: "node lock.js", exitCode: 1, text: "" } }),
      { base: new Map([["node lock.js", { exitCode: 1 }]]) },
      false,
    ],
    [
      "nothing, but the base lacks what its command needs, and here it fails otherwise: a defect in new code",
      found({ criterion: undefined, evidence: { command: "node lock.js", exitCode: 1, text: "" } }),
      { base: new Map([["node lock.js", { exitCode: 1, output: "TypeError: lock is not a function" }]]) },
      true,
    ],
    [
      "a check that is green",
      found({ criterion: undefined, evidence: { command: "npm test", exitCode: 0, text: "" } }),
      {},
      false,
    ],
    [
      "a path that is not protected",
      found({ criterion: undefined, file: "src/a.ts" }),
      { guarded: ["monoco.yaml"] },
      false,
    ],
    ["a criterion that there is not", found({ criterion: 7 }), {}, false],
    ["nothing", found({ criterion: undefined }), {}, false],
    ["a criterion, but is minor", found({ severity: "minor" }), {}, false],
    ["a criterion, but is a note", found({ severity: "note" }), {}, false],
  ])("for a finding that cites %s", ([, finding, more, holds]) => {
    const weighed = weigh(request([finding]), known(more));
    expect(weighed.why).toEqual(holds ? [] : nothing);
    expect(weighed.findings[0]!.holds).toBe(holds ? true : undefined);
  });

  test("count without a finding where a criterion is not met: it becomes one", () => {
    const verdict = request([], {
      criteria: [{ criterion: 2, result: "not_met", command: "node lock.js", exitCode: 1, text: "no lock" }],
    });
    expect(weigh(verdict, known())).toMatchObject({
      why: [],
      findings: [
        {
          id: "criterion-2",
          severity: "blocker",
          title: "Not met: Three in a row lock the account",
          holds: true,
          evidence: { command: "node lock.js", exitCode: 1, text: "no lock" },
        },
      ],
    });
  });

  test("count where a criterion is not met that only a minor finding cites", () => {
    const verdict = request([found({ severity: "minor" })], {
      criteria: [{ criterion: 1, result: "not_met" }],
    });
    expect(weigh(verdict, known())).toMatchObject({
      why: [],
      findings: [{ id: "F1" }, { id: "criterion-1" }],
    });
  });

  test("have one finding for a criterion that is not met, if they cite it themselves", () => {
    const verdict = request([found()], { criteria: [{ criterion: 1, result: "not_met" }] });
    expect(weigh(verdict, known()).findings.map(({ id }) => id)).toEqual(["F1"]);
  });

  test("carry a finding for each failed check, if they name none themselves", () => {
    const own = found({ evidence: { command: "npm test", exitCode: 1, text: "red" } });
    const red = { checks: [checkResult(false)] };
    expect(weigh(request([found()]), known(red)).findings.map(({ id }) => id)).toEqual([
      "F1",
      "check-npm test",
    ]);
    expect(weigh(request([own]), known(red)).findings.map(({ id }) => id)).toEqual(["F1"]);
  });

  test("say which evidence monoco did not see; they stand all the same", () => {
    const finding = found({ evidence: { command: "node try.js", exitCode: 1, text: "it failed" } });
    expect(weigh(request([finding]), known())).toMatchObject({
      why: [],
      findings: [{ reproduced: false, seen: "exit status 0, not 1" }],
    });
  });
});

describe("a finding's id", () => {
  const again = (finding: Finding, earlier: Finding[]): string[] =>
    weigh(request([finding]), known({ earlier })).findings.map(({ id }) => id);

  test.for<[string, Finding, string]>([
    ["stays where it is the same finding", found(), "F1"],
    ["stays where the title is said in another way", found({ title: "No password passes" }), "F1"],
    ["is the earlier one for the same title under another id", found({ id: "X9" }), "F1"],
    [
      "is another for something else under the same id",
      found({ title: "It crashes", criterion: 2, file: "b.ts" }),
      "F1-2",
    ],
  ])("%s", ([, finding, id]) => expect(again(finding, [found({ file: "a.ts" })])).toEqual([id]));

  test("is unique within a verdict", () => {
    const twice = [found(), found({ title: "Another", criterion: 2 })];
    expect(weigh(request(twice), known()).findings.map(({ id }) => id)).toEqual(["F1", "F1-2"]);
  });
});

test("each command is run again once, and none that monoco has run already, in the same environment", () => {
  const verdict = approval({
    criteria: [
      met(1),
      met(2),
      met(1, { command: "npm test" }),
      met(1, { command: "DEBUG=1 npm test" }),
      met(1, { command: "no status", exitCode: undefined }),
    ],
    findings: [
      found({ evidence: { command: "node found.js", exitCode: 1, text: "" } }),
      found({ file: "a.ts" }),
    ],
  });
  const named = commandsNamed(verdict, { criteria, checks: [checkResult(true)], earlier: [] });
  expect(named.map(({ command, of, isCheck }) => [command, of, isCheck ?? false])).toEqual([
    ["node try.js", "criterion", false],
    ["npm test", "criterion", true],
    ["DEBUG=1 npm test", "criterion", false],
    ["node found.js", "finding", false],
    ["node lock.js", "probe", false],
  ]);
  expect(filesNamed(verdict)).toEqual(["a.ts"]);
});

test("whatever a verdict says: an approval that counts has shown every criterion, and ids are unique", () => {
  const evidence = fc.record(
    {
      criterion: fc.integer({ min: 1, max: 4 }),
      result: fc.constantFrom("met" as const, "not_met" as const, "not_verifiable" as const),
      command: fc.constantFrom("node try.js", "node lock.js", "npm test", "unknown"),
      exitCode: fc.constantFrom(0, 1),
      file: fc.constantFrom("src/login.ts", "gone.ts"),
      line: fc.integer({ min: 1, max: 30 }),
      text: fc.string({ maxLength: 3 }),
    },
    { requiredKeys: ["criterion", "result"] },
  );
  const finding = fc.record(
    {
      id: fc.constantFrom("F1", "F2", "F1-2"),
      severity: fc.constantFrom("blocker" as const, "major" as const, "minor" as const, "note" as const),
      title: fc.constantFrom("a", "b"),
      criterion: fc.constantFrom(1, 2, 9),
      file: fc.constantFrom("monoco.yaml", "a.ts"),
      evidence: fc.record({ text: fc.string() }),
    },
    { requiredKeys: ["id", "severity", "title", "evidence"] },
  );
  const verdict = fc.record({
    verdict: fc.constantFrom("approve" as const, "request_changes" as const),
    criteria: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(met(1), met(2)) }, evidence), {
      maxLength: 5,
    }),
    probes: fc.array(
      fc.record({ command: fc.constantFrom("node lock.js", "npm test"), exitCode: fc.constantFrom(0, 1) }),
      { maxLength: 2 },
    ),
    findings: fc.array(finding, { maxLength: 3 }),
  });
  let counted = 0;
  fc.assert(
    fc.property(verdict, fc.boolean(), fc.array(finding, { maxLength: 3 }), (given, green, earlier) => {
      const { why, ...judged } = weigh(
        given,
        known({ checks: [checkResult(green)], guarded: ["monoco.yaml"], earlier }),
      );
      expect(new Set(judged.findings.map(({ id }) => id)).size).toBe(judged.findings.length);
      const holds = judged.findings.filter((one) => one.holds);
      for (const { severity } of holds) expect(["blocker", "major"]).toContain(severity);
      if (why.length > 0) return;
      if (given.verdict === "request_changes") {
        expect(holds).not.toEqual([]);
        return;
      }
      counted += 1;
      expect({ green, holds }).toEqual({ green: true, holds: [] });
      for (const number of [1, 2]) {
        const said = judged.criteria.filter(({ criterion }) => criterion === number);
        expect(said).not.toEqual([]);
        for (const one of said) expect(one.result === "not_met" || one.reproduced === false).toBe(false);
      }
    }),
    // All of them everywhere: few verdicts are approvals that count.
    { numRuns: 3_000 },
  );
  expect(counted).toBeGreaterThan(5);
});

/** When a verdict counts: evidence for each criterion, that reproduces, a probe, no failed check, and findings that may hold back. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Criterion, Finding, Verdict } from "../../../src/core/review/verdict-schema.ts";
import {
  commandsForBase,
  commandsResolved,
  commandsToRun,
  filesNamed,
} from "../../../src/core/review/verdict/to-run.ts";
import { weigh } from "../../../src/core/review/verdict/weigh.ts";
import type { Ran } from "../../../src/core/review/evidence.ts";
import type { Known } from "../../../src/core/review/verdict/known.ts";
import { checkResult } from "../support/relays.ts";

const criteria = ["A wrong password is refused", "Three in a row lock the account"];
const known = (more: Partial<Known> = {}): Known => ({
  criteria,
  checks: [checkResult(true)],
  branch: new Map([
    ["node try.js", { exitCode: 0 }],
    ["node lock.js", { exitCode: 1 }],
  ]),
  base: new Map([
    ["node try.js", { exitCode: 1 }],
    ["npm test", { exitCode: 1 }],
  ]),
  lines: new Map([["src/login.ts", 20]]),
  added: new Map([["src/login.ts", new Set([20])]]),
  guarded: [],
  earlier: [],
  ...more,
});

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
  criterion: "1",
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

/** As an earlier round has left it: it was seen here, and not on the base. */
const shownFinding = found({
  criterion: undefined,
  evidence: { command: "node lock.js", exitCode: 1, text: "no lock" },
  reproduced: true,
  worth: "shown",
});
const behaves = (n: number): string => `criterion ${n} (${criteria[n - 1]}) is of the kind "behaves", but`;
const shows = ": name a command that runs the work and ends otherwise on the base";

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
        supports: true,
      })),
      probes: [{ ...probe, reproduced: true }],
      findings: [],
      why: [],
    });
  });

  test.for<[string, Verdict, Partial<Known>, string[]]>([
    [
      "no evidence at all",
      approval({ criteria: [] }),
      {},
      [
        "criterion 1 (A wrong password is refused): no evidence",
        "criterion 2 (Three in a row lock the account): no evidence",
      ],
    ],
    [
      "none for one criterion",
      approval({ criteria: [met(1)] }),
      {},
      ["criterion 2 (Three in a row lock the account): no evidence"],
    ],
    [
      "a criterion that the contract does not have, in place of one",
      approval({ criteria: [met(1), met(3)] }),
      {},
      ["criterion 2 (Three in a row lock the account): no evidence"],
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
      [
        'criterion 2 (Three in a row lock the account) is of the kind "behaves", but no command and exit status, or file and line, is named: name a command that runs the work and ends otherwise on the base',
      ],
    ],
    [
      "a command without its exit status",
      approval({ criteria: [met(1), met(2, { exitCode: undefined })] }),
      {},
      [
        'criterion 2 (Three in a row lock the account) is of the kind "behaves", but no command and exit status, or file and line, is named: name a command that runs the work and ends otherwise on the base',
      ],
    ],
    [
      "a file without a line",
      approval({ criteria: [met(1), { criterion: 2, result: "met", file: "src/login.ts" }] }),
      {},
      [
        'criterion 2 (Three in a row lock the account) is of the kind "behaves", but `src/login.ts` does not show it: it is not among the lines whose words the submission adds: name a command that runs the work and ends otherwise on the base',
      ],
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
      "a constant command",
      approval({ criteria: [met(1), met(2, { command: "true" })] }),
      { branch: new Map([...known().branch, ["true", { exitCode: 0 }]]) },
      [`${behaves(2)} \`true\` does not show it: it could not have come out otherwise${shows}`],
    ],
    [
      "a command that ends the same on the base",
      approval({ criteria: [met(1), met(2)] }),
      { base: new Map([["node try.js", { exitCode: 0 }]]) },
      [1, 2].map(
        (n) => `${behaves(n)} \`node try.js\` does not show it: it ends the same on the base${shows}`,
      ),
    ],
    [
      "a command that only reads text",
      approval({ criteria: [met(1), met(2, { command: "grep -q lock src/login.ts" })] }),
      {
        branch: new Map([...known().branch, ["grep -q lock src/login.ts", { exitCode: 0 }]]),
        base: new Map([...known().base, ["grep -q lock src/login.ts", { exitCode: 1 }]]),
      },
      [
        `${behaves(2)} \`grep -q lock src/login.ts\` does not show it: it only reads text or git, which shows no behaviour${shows}`,
      ],
    ],
    [
      "a status other than 0 that no word expects",
      approval({ criteria: [met(1), met(2, { command: "node lock.js", exitCode: 1 })] }),
      { base: new Map([...known().base, ["node lock.js", { exitCode: 0 }]]) },
      [
        `${behaves(2)} \`node lock.js\` does not show it: its exit status is 1, and no text says that this was expected${shows}`,
      ],
    ],
    [
      "a command that did not end in its time",
      approval(),
      {
        branch: new Map([
          ["node try.js", { exitCode: null }],
          ["node lock.js", { exitCode: 1 }],
        ]),
      },
      [1, 2].map((n) => `${behaves(n)} \`node try.js\` does not show it: it did not end in its time${shows}`),
    ],
    [
      "a check under another spelling in place of a probe",
      approval({ probes: [{ command: "CI=1 npm run  test 2>&1", exitCode: 0 }] }),
      {},
      ["no probe of its own: a command beyond the checks, with its exit status"],
    ],
    [
      "a constant in place of a probe",
      approval({ probes: [{ command: "echo ok", exitCode: 0 }] }),
      { branch: new Map([...known().branch, ["echo ok", { exitCode: 0 }]]) },
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

  test.for<[string, Verdict, Partial<Known>]>([
    ["a minor finding beside it", approval({ findings: [found({ severity: "minor" })] }), {}],
    ["a major that cites nothing", approval({ findings: [found({ criterion: undefined })] }), {}],
    [
      "a criterion that it cannot verify, and why",
      approval({ criteria: [met(1), { criterion: 2, result: "not_verifiable", text: "needs a printer" }] }),
      {},
    ],
    ["a contract without criteria", approval({ criteria: [] }), { criteria: [] }],
    [
      "a check as evidence, known from monoco's own run",
      approval({ criteria: [met(1, { command: "npm test" }), met(2, { command: "monoco check" })] }),
      {},
    ],
    [
      "a probe that ends the same on the base",
      approval(),
      { base: new Map([...known().base, ["node lock.js", { exitCode: 1 }]]) },
    ],
    [
      "nothing of the base, where its set-up fails: a person decides",
      approval(),
      { base: new Map(), baseTrouble: "npm ci fails on the base" },
    ],
    [
      "an earlier finding whose command needs what only that Reviewer had",
      approval({ probes: [{ command: "node other.js", exitCode: 0 }] }),
      {
        branch: new Map([
          ["node try.js", { exitCode: 0 }],
          ["node other.js", { exitCode: 0 }],
          ["node lock.js", { exitCode: 1, missing: true }],
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
  test.for<[string, Partial<Known>, string[]]>([
    ["counts where nothing else is known", {}, []],
    ["counts where it notices that the work is gone", { emptied: new Map([["node try.js", "differs"]]) }, []],
    [
      "does not where it ends the same without the work",
      { emptied: new Map([["node try.js", "same"]]) },
      [1, 2].map(
        (n) =>
          `${behaves(n)} \`node try.js\` does not show it: it ends the same on the submission when all work is taken out of it, so it shows only that something is there${shows}`,
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

  test.for(["unused", "words"] as const)("that is %s supports nothing: a person decides", (emptied) => {
    const tried = new Map([["node try.js", emptied]]);
    const { why, criteria: judged } = weigh(approval(), known({ emptied: tried }));
    expect(why).toEqual([]);
    expect(judged).toMatchObject([{ worth: "shown", emptied, supports: false }, {}]);
  });
});

test("a figure that the submission measures by what it changes itself supports nothing: a person decides", () => {
  const figures = (value: number) => ({ exitCode: 0, figures: [value, value, value] });
  const sides = {
    criteria: ["(measured: 50 % fewer steps) a total"],
    branch: new Map<string, Ran>([
      ["node bench.js", figures(1)],
      ["node lock.js", { exitCode: 1 }],
    ]),
    base: new Map([["node bench.js", figures(10)]]),
  };
  const verdict = approval({ criteria: [met(1, { command: "node bench.js" })] });
  expect(weigh(verdict, known(sides)).criteria).toMatchObject([{ worth: "measured", supports: true }]);
  const judged = weigh(verdict, known({ ...sides, ownRulers: new Set(["node bench.js"]) }));
  expect(judged.why).toEqual([]);
  expect(judged.criteria).toMatchObject([{ worth: "measured", ownRuler: true, supports: false }]);
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
      ["node lock.js", { exitCode: 1, missing: true, lacks: "a name" }],
    ]);
    const earlier = [{ ...shownFinding, ...(lacks && { lacks }) }];
    expect(weigh(approval(tried), known({ earlier, branch })).why).toEqual(why);
  });

  test("keeps what its command fails for want of", () => {
    const branch = new Map([["node lock.js", { exitCode: 1, missing: true, lacks: "a name" }]]);
    const { findings } = weigh(request([shownFinding]), known({ branch }));
    expect(findings).toMatchObject([{ id: "F1", lacks: "a name" }]);
  });

  test("is resolved where its command ends otherwise, unless only by a new file that nothing names", () => {
    const earlier = { earlier: [shownFinding], branch: gone };
    expect(commandsResolved(known(earlier))).toEqual([shownFinding.evidence]);
    expect(weigh(approval(tried), known(earlier)).why).toEqual([]);
    const unresolved = new Map([["node lock.js", { exitCode: 1 }]]);
    const asked = weigh(approval(tried), known({ ...earlier, unresolved }));
    expect([asked.why, asked.unresolved]).toEqual([[], ["F1"]]);
    expect(weigh(approval(tried), known({ ...earlier, unresolved, confirms: true })).why).toEqual([
      still(" once the new files that nothing names are taken out"),
    ]);
  });
});

describe("a confirmation of an approval, on the merged tree,", () => {
  const confirms = true;
  test.for<[string, Verdict, Partial<Known>, string[]]>([
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
  test("count where the title names the criterion and the field does not", () => {
    const titled = found({ criterion: "the login", title: "AC 2 is not met: nothing is locked" });
    expect(weigh(request([titled]), known()).why).toEqual([]);
  });

  const nothing = [expect.stringContaining("nothing that it found holds back an approval")];
  test.for<[string, Finding, Partial<Known>, boolean]>([
    ["a major that cites a criterion by its number", found(), {}, true],
    [
      "a blocker that cites it by its words",
      found({ severity: "blocker", criterion: "three in a row lock the `account`" }),
      {},
      true,
    ],
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
    ["a check that is green", found({ criterion: "npm test" }), {}, false],
    [
      "a path that is not protected",
      found({ criterion: undefined, file: "src/a.ts" }),
      { guarded: ["monoco.yaml"] },
      false,
    ],
    ["a criterion that there is not", found({ criterion: "7" }), {}, false],
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
    const own = found({ criterion: "npm test" });
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
      found({ title: "It crashes", criterion: "2", file: "b.ts" }),
      "F1-2",
    ],
  ])("%s", ([, finding, id]) => expect(again(finding, [found({ file: "a.ts" })])).toEqual([id]));

  test("is unique within a verdict", () => {
    const twice = [found(), found({ title: "Another", criterion: "2" })];
    expect(weigh(request(twice), known()).findings.map(({ id }) => id)).toEqual(["F1", "F1-2"]);
  });
});

test("each command is run again once, and none that monoco has run already", () => {
  const verdict = approval({
    criteria: [
      met(1),
      met(2),
      met(1, { command: "npm test" }),
      met(1, { command: "no status", exitCode: undefined }),
    ],
    findings: [
      found({ evidence: { command: "node found.js", exitCode: 1, text: "" } }),
      found({ file: "a.ts" }),
    ],
  });
  expect(commandsToRun(verdict, { checks: [checkResult(true)], earlier: [] })).toEqual([
    "node try.js",
    "node lock.js",
    "node found.js",
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
      criterion: fc.constantFrom("1", "2", "9", "npm test", "monoco.yaml"),
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

test("what is run on the base: what criteria and grave findings name, once, where it ended as they say", () => {
  const verdict = approval({
    criteria: [
      met(1),
      met(2, { command: "monoco check" }),
      met(2, { command: "node lock.js", exitCode: 0 }),
      met(2, { command: "true" }),
    ],
    findings: [found({ evidence: { command: "node lock.js", exitCode: 1, text: "" } })],
  });
  const branch = new Map([...known().branch, ["true", { exitCode: 0 }]]);
  expect(commandsForBase(verdict, known({ branch }))).toEqual([
    { command: "node try.js" },
    { command: "npm test" },
    { command: "node lock.js" },
  ]);
});

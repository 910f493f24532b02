import type { Trial } from "../../../src/core/trial/trial-schema.ts";
import { becauseOf } from "../../../src/core/reason/reason.ts";
import { inWords } from "../support/in-words.ts";
import type { InWords } from "../support/in-words.ts";
import { describe, expect, test } from "vitest";
import { byHand } from "../../../src/core/journal/steps.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import type { Action } from "../../../src/core/relay/action.ts";
import { noticeOf } from "../../../src/core/report/notice.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";
import type { EventBody, EventOf, RefusalKind } from "../../../src/core/journal/event.ts";
import { failureSignature } from "../../../src/core/error/failure-signature.ts";
import { endingSignature } from "../../../src/core/session/outcome.ts";
import { checkResult } from "../support/relays.ts";
import { drive } from "../support/driven.ts";
import type { Driven } from "../support/driven.ts";
import {
  append,
  blocked,
  blockedNow,
  cancelled,
  checked,
  cleared,
  conflicted,
  decided,
  ended,
} from "../support/relays.ts";
import {
  executor,
  failed,
  handoff,
  journal,
  limitHit,
  merged,
  noVerdict,
  opened,
} from "../support/relays.ts";
import {
  commit,
  finding,
  finished,
  given,
  inspected,
  openedLoop,
  openedWith,
  paused,
  prepared,
  questioned,
  refused,
  rejected,
  requested,
  resumed,
  review,
  settingsWith,
  verdictRefused,
} from "../support/relays.ts";
import { reviewer, session, stalled, started, submitted, worked } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

type Row = [string, Step[], (Partial<Action> | { do: "rest"; phase: string }) & Partial<InWords>];

const minute = 60_000;
const usageLimit = (resetsAtMs: number): Step[] => [
  executor,
  ended("usage_limit", { progress: false, resetsAtMs }),
  limitHit(resetsAtMs),
  handoff,
];
const lost: Step[] = [...submitted, ...review("request_changes"), handoff];
const conflict: Step[] = [...submitted, ...review("approve"), conflicted, handoff];
const repeat = (times: number, steps: readonly Step[]): Step[] =>
  Array<readonly Step[]>(times).fill(steps).flat();

const spoken: Step = () => ({ type: "note.said", by: "person", text: "look at b.ts" });
const resumedWith =
  (...of: Parameters<typeof settingsWith>): Step =>
  () => ({ type: "relay.resumed", by: "person", settings: settingsWith(...of) });
const refusedOnce: Step[] = [reviewer, given("approve"), ended("decided"), verdictRefused];
const critical =
  (more: object): Step =>
  () => ({ ...openedWith({}, more)(), criticality: "critical" });
const submittedBy = (agent: string): Step[] => [
  started("executor", agent),
  ended("submitted"),
  requested(),
  checked("green"),
];
const unverified: Step = (state) => ({
  ...decided("approve")(state),
  criteria: [
    { criterion: 1, result: "met", command: "true", exitCode: 0, reproduced: true },
    { criterion: 2, result: "not_verifiable", text: "needs a printer" },
  ],
});
const onlyByNewFile: Step = (state) => ({ ...decided("approve")(state), unresolved: ["F1"] });
const raised = (id: string): Step[] => [
  reviewer,
  (state) => ({ ...decided("request_changes")(state), findings: [{ ...finding, id, holds: true }] }),
  ended("decided"),
];

const twins = {
  agents: { mine: { kind: "command", run: ["mine"] }, twin: { kind: "claude" } },
  roles: { executor: { agents: ["mine"] }, reviewer: { agents: ["claude", "twin"] } },
};
const two = { roles: { executor: { agents: ["claude", "mine"] }, reviewer: { agents: ["claude", "mine"] } } };
const openedByTwo = openedWith({}, two);
const limitOf = (agent: string, resetsAtMs: number): Step[] => [
  started("executor", agent),
  ended("usage_limit", { progress: false, resetsAtMs }),
  limitHit(resetsAtMs, agent),
  handoff,
];
const noLogin = (agent: string): Step[] => [
  started("executor", agent),
  ended("needs_login", { progress: false, evidence: ["401"] }),
  handoff,
];
const tooOld: Step = () => ({
  type: "agent.suspended",
  account: "claude",
  reason: { rule: "program_old", kind: "claude", version: "1.0.0", least: "2.0.45" },
  program: "npm i claude",
  by: "FEAT-0001",
});
const elsewhere =
  (account: string, untilMs: number): Step =>
  () => ({
    type: "agent.suspended",
    account,
    untilMs,
    reason: { rule: "usage_limit", agent: account },
    by: "FEAT-0002",
  });

/** What is decided when `steps` have happened, at the time to which they lead. */
function afterwards(steps: readonly Step[]): Action {
  const state = replay(journal(steps));
  const nowMs = steps.reduce<number>((sum, step) => (typeof step === "number" ? sum + step : sum), 0);
  return decide(state, state.opening?.settings.limits ?? openedWith()().settings.limits, nowMs);
}

const redRound: Step[] = [
  executor,
  ended("submitted"),
  requested(),
  checked("red"),
  decided("request_changes", "monoco"),
  handoff,
];
const redByHand: Step[] = [requested("person"), checked("red"), decided("request_changes", "monoco")];

const broken = (excused?: "criterion"): Trial["crossing"] => ({
  result: "tried",
  found: [
    {
      crossed: "base_tests",
      command: "npm test",
      result: "weakened",
      files: ["a.test.js"],
      ...(excused && { excused }),
    },
  ],
});
const triedOut = (more: Partial<Trial>) => (): EventBody => ({
  type: "submission.tried",
  submission: 1,
  trial: {
    onBase: { result: "fail", files: ["a.test.js"], by: "npm test" },
    crossing: { result: "nothing", found: [] },
    takeBack: { result: "nothing", changes: [], left: 0 },
    ms: 0,
    ...more,
  },
});
/** By one command for two criteria. */
const approvedBy = (command: string): Step[] => {
  const [begins, , ends] = review("approve");
  const criteria = [1, 2].map((criterion) => ({
    criterion,
    result: "met" as const,
    command,
    supports: true,
  }));
  return [begins!, (state): EventBody => ({ ...decided("approve")(state), criteria }), ends!];
};
const rows = (table: readonly Row[]): void =>
  test.for(table)("%s", ([, steps, expected]) => expect(inWords(afterwards(steps))).toMatchObject(expected));

describe("at rest", () => {
  rows([
    ["nothing has happened", [], { do: "rest", phase: "none" }],
    ["cleared", [opened, cleared], { do: "rest", phase: "none" }],
    [
      "merged",
      [opened, ...submitted, ...review("approve"), prepared, merged],
      { do: "rest", phase: "done", because: `merged as cccccccc` },
    ],
    ["paused by a person", [opened, paused], { do: "rest", phase: "paused", hint: [[{ do: "resume" }]] }],
    [
      "blocked",
      [opened, blocked],
      { do: "rest", phase: "blocked", because: "setup failed: make (exit status 2)" },
    ],
    [
      "cancelled",
      [opened, cancelled],
      { do: "rest", phase: "cancelled", hint: [[{ do: "clear" }, { do: "open", note: "begins anew" }]] },
    ],
    [
      "a person's pause comes before work on a submission",
      [opened, ...submitted, paused],
      { do: "rest", phase: "paused" },
    ],
    [
      "and before an approved merge",
      [opened, ...submitted, ...review("approve"), paused],
      { do: "rest", phase: "paused" },
    ],
  ]);
});

describe("what is half done is finished first", () => {
  rows([
    ["a session that started and has no end is recovered", [opened, executor], { do: "recover", session: 1 }],
    ["even when a person has paused", [opened, executor, paused], { do: "recover", session: 1 }],
    ["a Reviewer's too", [opened, ...submitted, reviewer], { do: "recover", session: 2 }],
    [
      "a verdict before the crash changes nothing about that",
      [opened, ...submitted, reviewer, decided("approve")],
      { do: "recover", session: 2 },
    ],
    [
      "an ended session hands over",
      [opened, executor, ended("context_limit")],
      { do: "hand_over", session: 1 },
    ],
    [
      "even when a person has paused it",
      [opened, executor, ended("user_interrupt"), paused],
      { do: "hand_over", session: 1 },
    ],
    ["a submit is taken up", [opened, executor, ended("submitted")], { do: "accept", session: 1 }],
    [
      "so does one whose submission was refused",
      [opened, executor, ended("submitted"), refused],
      { do: "hand_over", session: 1 },
    ],
    [
      "or came back with requested changes",
      [opened, ...submitted, ...review("request_changes")],
      { do: "hand_over", session: 1 },
    ],
    [
      "or conflicted",
      [opened, ...submitted, ...review("approve"), conflicted],
      { do: "hand_over", session: 1 },
    ],
    [
      "a prepared merge is settled",
      [opened, ...submitted, ...review("approve"), prepared],
      { do: "settle_merge" },
    ],
  ]);
});

describe("the Executor", () => {
  rows([
    ["a new relay starts the executor", [opened], { do: "start", role: "executor", because: "new relay" }],
    [
      "a handoff starts its successor",
      [opened, ...worked],
      { do: "start", role: "executor", because: "session 1 handed over" },
    ],
    [
      "a refused submission goes back to it",
      [opened, executor, ended("submitted"), refused, handoff],
      { do: "start", role: "executor", because: "the submission was refused" },
    ],
    [
      "requested changes go to it",
      [opened, ...lost],
      { do: "start", role: "executor", because: "changes were requested on submission 1" },
    ],
    [
      "after one more session it is that one's handoff",
      [opened, ...lost, ...worked],
      { do: "start", because: "session 3 handed over" },
    ],
    [
      "changes requested on a person's submission go to it too",
      [opened, ...worked, requested("person"), checked("green"), ...review("request_changes")],
      { do: "start", role: "executor", because: "changes were requested on submission 1" },
    ],
    [
      "and its handoff follows there as well",
      [opened, ...worked, requested("person"), checked("green"), ...review("request_changes"), ...worked],
      { do: "start", because: "session 3 handed over" },
    ],
    [
      "ending without a submit is not done: it goes on",
      [opened, ...session("completed_without_submit")],
      { do: "start", role: "executor" },
    ], // TRAP 18
    ["nor is an unknown end", [opened, ...session("unknown")], { do: "start", role: "executor" }],
  ]);
});

describe("the review gate", () => {
  rows([
    [
      "a submission is checked before it is reviewed",
      [opened, executor, ended("submitted"), requested()],
      { do: "check", submission: 1 },
    ],
    [
      "a checked one goes to the Reviewer",
      [opened, ...submitted],
      { do: "start", role: "reviewer", submission: 1 },
    ],
    [
      "no Reviewer is paid for red checks",
      [opened, executor, ended("submitted"), requested(), checked("red")],
      { do: "settle", submission: 1, because: "its checks fail" },
    ],
    [
      "red checks go straight back to a fresh Executor",
      [opened, ...redRound],
      { do: "start", role: "executor", because: "the checks failed on submission 1" },
    ],
    [
      "red checks are no round of requested changes: sessions and the breaker bound them",
      [openedWith({ reviewRoundsMax: 1 }), ...repeat(3, redRound)],
      { do: "start", role: "executor" },
    ],
    [
      "the fifth red submission in a row asks a person, and names what fails",
      [opened, ...repeat(5, redRound)],
      {
        do: "block",
        rule: "red_rounds",
        because: "npm test: 5 submissions in a row with red checks (limits.redRoundsMax 5)",
        hint: [[{ do: "say" }, { do: "resume" }], [{ do: "retry", note: "at most 5 more" }]],
      },
    ],
    [
      "one whose checks pass begins that count again",
      [opened, ...repeat(4, redRound), ...lost, ...repeat(4, redRound)],
      { do: "start", role: "executor" },
    ],
    [
      "as many as the breaker allows of one error are allowed at least",
      [openedWith({ redRoundsMax: 2 }, { breaker: { sameErrorMax: 4 } }), ...repeat(3, redRound)],
      { do: "start", role: "executor" },
    ],
    [
      "a person's resume gives as many again",
      [opened, ...repeat(5, redRound), blocked, resumed, ...repeat(4, redRound)],
      { do: "start", role: "executor" },
    ],
    [
      "red checks for ever end at sessionsMax",
      [openedWith({ sessionsMax: 3 }), ...repeat(3, redRound)],
      { do: "block", because: "npm test: spent 3 sessions (sessionsMax 3)" },
    ],
    [
      "a person whose submission fails its checks is told what fails and how to go on",
      [opened, ...redByHand],
      {
        do: "block",
        because: "submission 1 by a person fails its checks: npm test (exit status 1)",
        rule: "checks_failed",
        hint: [
          [{ do: "by_hand", what: "fix what fails and commit that" }, { do: "submit" }, { do: "resume" }],
          [{ do: "retry", note: "lets an Executor fix it" }],
        ],
      },
    ],
    [
      "a person who resumes then lets an Executor fix it",
      [opened, ...redByHand, blocked, resumed],
      { do: "start", role: "executor", because: "the checks failed on submission 1" },
    ],
    [
      "a person who submits again has that one checked",
      [opened, ...redByHand, blocked, requested("person"), resumed],
      { do: "check", submission: 2 },
    ],
    [
      "what a person asks for in place of the red checks goes to an Executor",
      [opened, ...redByHand, decided("request_changes", "person")],
      { do: "start", role: "executor", because: "changes were requested on submission 1" },
    ],
    [
      "an approved submission is merged before anything else",
      [openedWith({ sessionsMax: 2, reviewRoundsMax: 1 }), ...submitted, ...review("approve")],
      { do: "merge", submission: 1 },
    ],
    [
      "a person's approval counts as well",
      [opened, ...submitted, decided("approve", "person")],
      { do: "merge", submission: 1 },
    ],
    [
      "an approval over red checks merges nothing",
      [opened, executor, ended("submitted"), requested(), checked("red"), ...review("approve"), handoff],
      { do: "settle" },
    ], // TRAP 25
    [
      "no verdict starts another Reviewer",
      [opened, ...submitted, ...noVerdict],
      { do: "start", role: "reviewer", because: "the last Reviewer gave no verdict" },
    ], // TRAP 25
    [
      "no verdict twice asks a person",
      [opened, ...submitted, ...noVerdict, ...noVerdict],
      { do: "block", because: "2 Reviewer sessions gave no verdict on submission 1" },
    ],
    [
      "a Reviewer that crashed gave none either",
      [opened, ...submitted, ...noVerdict, reviewer, ended("failure")],
      { do: "block" },
    ],
    [
      "a person's resume gives two more",
      [opened, ...submitted, ...noVerdict, ...noVerdict, blocked, resumed],
      { do: "start", role: "reviewer" },
    ],
    [
      "a verdict is weighed before it counts",
      [opened, ...submitted, reviewer, given("approve"), ended("decided")],
      { do: "weigh", submission: 1 },
    ],
    [
      "a verdict given before its Reviewer crashed stands",
      [opened, ...submitted, reviewer, given("approve"), ended("failure")],
      { do: "weigh", submission: 1 },
    ],
    [
      "a verdict that does not count goes back to a Reviewer",
      [opened, ...submitted, ...refusedOnce],
      { do: "start", role: "reviewer", because: "the last verdict does not count" },
    ],
    [
      "a second one asks a person, with the last reason",
      [opened, ...submitted, ...refusedOnce, ...refusedOnce],
      {
        do: "block",
        because: "the verdict on submission 1 is for you to decide: criterion 1: no evidence",
        hint: [
          [{ do: "judge", verdicts: ["approve", "request_changes"] }, { do: "resume" }],
          [{ do: "retry", note: "another Reviewer looks at it" }],
        ],
      },
    ],
    [
      "a person's resume starts one more review",
      [opened, ...submitted, ...refusedOnce, ...refusedOnce, blockedNow, resumed],
      { do: "start", role: "reviewer" },
    ],
    [
      "which is the last that is offered: a person decides, or gives up",
      [opened, ...submitted, ...refusedOnce, ...refusedOnce, blockedNow, resumed, ...refusedOnce],
      {
        do: "block",
        because: "the verdict on submission 1 is for you to decide: criterion 1: no evidence",
        hint: [
          [{ do: "judge", verdicts: ["approve", "request_changes"] }, { do: "resume" }],
          [{ do: "clear", note: "gives it up, and keeps its work" }],
        ],
      },
    ],
    ...(
      [
        ["what a person says before", [spoken, resumed]],
        ["what a person says after", [resumed, spoken]],
        ["a setting that a person changes with", [resumedWith({ reviewRoundsMax: 9 })]],
      ] as const
    ).map(([what, steps]): Row => [
      `${what} the resume is a change: the Reviewers have their two tries again, and one more is offered`,
      [opened, ...submitted, ...refusedOnce, ...refusedOnce, blockedNow, ...steps, ...refusedOnce],
      { do: "start", role: "reviewer" },
    ]),
    [
      "which are the last two until something changes again",
      [
        opened,
        ...submitted,
        ...repeat(2, refusedOnce),
        blockedNow,
        spoken,
        resumed,
        ...repeat(2, refusedOnce),
        blockedNow,
        resumed,
        ...refusedOnce,
      ],
      { do: "block" },
    ],
    [
      "a person's verdict stands over one that is not weighed yet",
      [
        opened,
        ...submitted,
        reviewer,
        given("request_changes"),
        ended("decided"),
        decided("approve", "person"),
      ],
      { do: "merge" },
    ],
    [
      "a person's approval stands over the Reviewer's requested changes",
      [opened, ...submitted, ...review("request_changes"), decided("approve", "person")],
      { do: "merge" },
    ],
    [
      "a gate asks a person after the Reviewer's approval",
      [openedWith({}, { gates: { medium: "human" } }), ...submitted, ...review("approve")],
      {
        do: "block",
        because:
          "submission 1 is approved by the Reviewer: a person has to approve, too (gates.medium human)",
      },
    ],
    [
      "a gate of another criticality does not",
      [openedWith({}, { gates: { high: "human" } }), ...submitted, ...review("approve")],
      { do: "merge" },
    ],
    [
      "the issue's own criticality counts",
      [critical({ gates: { critical: "human" } }), ...submitted, ...review("approve")],
      { do: "block" },
    ],
    ...(
      [
        ["CI needs a person", "reviewer", { path: ".github/workflows/ci.yml", kind: "ci" }, {}, true],
        ["what a check runs needs a person", "reviewer", { path: "check.sh", kind: "command" }, {}, true],
        [
          "a life-cycle script needs a person",
          "reviewer",
          { path: "package.json", kind: "lifecycle", by: "prepare" },
          {},
          true,
        ],
        ["a registry needs a person", "reviewer", { path: ".npmrc", kind: "registry" }, {}, true],
        ["vendored code needs a person", "reviewer", { path: "vendor/a.sh", kind: "vendored" }, {}, true],
        ["a link needs a person", "reviewer", { path: "src/a.js", kind: "link", by: "b.js" }, {}, true],
        ["what is read first needs a person", "reviewer", { path: ".envrc", kind: "startup" }, {}, true],
        [
          "settings that the contract allows do not",
          "reviewer",
          { path: "monoco.yaml", kind: "settings", allowed: true },
          {},
          false,
        ],
        ["a lockfile does not", "reviewer", { path: "package-lock.json", kind: "lockfile" }, {}, false],
        [
          "CI does not where the settings say so",
          "reviewer",
          { path: ".github/x.yml", kind: "ci" },
          { gates: { protected: "reviewer" } },
          false,
        ],
        [
          "CI that a person has approved does not",
          "person",
          { path: ".github/x.yml", kind: "ci" },
          {},
          false,
        ],
      ] as const
    ).map(([name, by, path, settings, waits]): [string, Step[], object] => [
      `of protected paths, ${name}`,
      [
        openedWith({}, settings),
        ...submitted,
        inspected([path]),
        ...(by === "person" ? [decided("approve", "person")] : review("approve")),
      ],
      waits
        ? {
            do: "block",
            because: `submission 1 is approved by the Reviewer: a person has to approve, too: it changes ${path.path} (gates.protected human)`,
          }
        : { do: "merge" },
    ]),
    ...(
      [
        ["breaks a test of the base needs a person", { crossing: broken() }, true],
        ["breaks one that the contract asks to change needs none", { crossing: broken("criterion") }, false],
        ["could not be crossed in time needs a person", { crossing: { result: "time", found: [] } }, true],
        [
          "nothing guards, and one command shows for both criteria, needs a person",
          { unguarded: true },
          true,
        ],
        ["has a test that fails on the base needs none", {}, false],
      ] satisfies [string, Partial<Trial>, boolean][]
    ).map(([name, more, waits]): [string, Step[], object] => [
      `work that ${name}`,
      [opened, ...submitted, triedOut(more), ...approvedBy("node try.js")],
      waits ? { do: "block", reason: { rule: "human_gate" } } : { do: "merge" },
    ]),
    [
      "a change of the contract needs a person",
      [
        opened,
        ...submitted,
        (): EventBody => ({ type: "contract.tampered", submission: 1, fields: ["criteria"] }),
        ...review("approve"),
      ],
      {
        do: "block",
        because:
          "submission 1 is approved by the Reviewer: a person has to approve, too: it changes the contract (criteria) (gates.protected human)",
      },
    ],
    [
      "a person's approval opens the gate",
      [
        openedWith({}, { gates: { medium: "human" } }),
        ...submitted,
        ...review("approve"),
        blocked,
        decided("approve", "person"),
        resumed,
      ],
      { do: "merge" },
    ],
    [
      "where two Reviewers have to approve, the second is another agent",
      [openedWith({}, { ...two, reviewers: { medium: 2 } }), ...submittedBy("claude"), ...review("approve")],
      {
        do: "start",
        role: "reviewer",
        agents: ["mine", "claude"],
        because: "1 of 2 Reviewers approved (reviewers.medium 2)",
      },
    ],
    [
      "each Reviewer is told once that its verdict does not count",
      [
        openedWith({}, { reviewers: { medium: 2 } }),
        ...submitted,
        ...refusedOnce,
        ...review("approve"),
        ...refusedOnce,
      ],
      { do: "start", role: "reviewer" },
    ],
    [
      "a person who takes an approval back stops the merge that was prepared",
      [
        opened,
        ...submitted,
        ...review("approve"),
        prepared,
        blocked,
        decided("request_changes", "person"),
        resumed,
        handoff,
      ],
      { do: "start", role: "executor" },
    ],
    [
      "what a person puts up after a crash takes the place of the merge that was prepared",
      [opened, ...submitted, ...review("approve"), prepared, requested("person")],
      { do: "check", submission: 2 },
    ],
    [
      "a gate that is set while a merge is prepared is asked first",
      [
        opened,
        ...submitted,
        ...review("approve"),
        prepared,
        blocked,
        resumedWith({}, { gates: { medium: "human" } }),
      ],
      { do: "block", because: expect.stringContaining("a person has to approve, too") },
    ],
    [
      "the first one's verdict is not weighed again",
      [
        openedWith({}, { reviewers: { medium: 2 } }),
        ...submitted,
        reviewer,
        given("approve"),
        ended("decided"),
        decided("approve"),
      ],
      { do: "start", role: "reviewer" },
    ],
    [
      "of two agents of one vendor, the second is the one that has not reviewed it",
      [openedWith({}, { ...twins, reviewers: { medium: 2 } }), ...submittedBy("mine"), ...review("approve")],
      { do: "start", role: "reviewer", agents: ["twin", "claude"] },
    ],
    [
      "what one of two Reviewers could not verify is a person's, whatever the other says",
      [
        openedWith({}, { reviewers: { medium: 2 } }),
        ...submitted,
        reviewer,
        unverified,
        ended("decided"),
        ...review("approve"),
      ],
      { do: "block", because: expect.stringContaining("could not verify criterion 2: a person has to") },
    ],
    [
      "two approvals merge",
      [
        openedWith({}, { reviewers: { medium: 2 } }),
        ...submitted,
        ...review("approve"),
        ...review("approve"),
      ],
      { do: "merge" },
    ],
    [
      "of two Reviewers that disagree, the one that requests changes counts",
      [
        openedWith({}, { reviewers: { medium: 2 } }),
        ...submitted,
        ...review("approve"),
        ...review("request_changes"),
        handoff,
      ],
      { do: "start", role: "executor" },
    ],
    [
      "an earlier finding that only a new file resolves, which nothing names, is a person's",
      [opened, ...submitted, reviewer, onlyByNewFile, ended("decided")],
      {
        do: "block",
        because:
          "submission 1 is approved by the Reviewer: the command of finding F1 ends otherwise only while a new file is there that nothing names: a person has to judge whether that resolves it",
      },
    ],
    [
      "a criterion that the Reviewer cannot verify is a person's",
      [opened, ...submitted, reviewer, unverified, ended("decided")],
      {
        do: "block",
        because:
          "submission 1 is approved by the Reviewer: the Reviewer could not verify criterion 2: a person has to",
      },
    ],
    [
      "the same finding in three rounds asks a person",
      [openedWith({ reviewRoundsMax: 9 }), ...repeat(3, [...submitted, ...raised("F1"), handoff])],
      { do: "block", because: "It does not compile: finding F1 was raised in 3 rounds" },
    ],
    [
      "one that is solved in the third round does not",
      [
        openedWith({ reviewRoundsMax: 9 }),
        ...repeat(2, [...submitted, ...raised("F1"), handoff]),
        ...submitted,
        ...raised("F2"),
        handoff,
      ],
      { do: "start", role: "executor" },
    ],
    [
      "missing verdicts are counted for each submission",
      [opened, ...submitted, ...noVerdict, decided("request_changes", "person"), ...submitted, ...noVerdict],
      { do: "start", role: "reviewer", submission: 2 },
    ],
    [
      "a usage limit of the Reviewer waits and is no missing verdict",
      [
        opened,
        ...submitted,
        ...noVerdict,
        reviewer,
        ended("usage_limit", { resetsAtMs: 5 * minute }),
        5 * minute,
      ],
      { do: "start", role: "reviewer" },
    ],
    [
      "a second submission is reviewed like the first",
      [opened, ...lost, ...submitted],
      { do: "start", role: "reviewer", submission: 2 },
    ],
    [
      "a person's submission takes the place of the one under review",
      [opened, ...submitted, requested("person")],
      { do: "check", submission: 2 },
    ],
    [
      "the sessions' budget does not keep finished work from its review",
      [openedWith({ sessionsMax: 1 }), ...submitted],
      { do: "start", role: "reviewer" },
    ],
  ]);
});

describe("a loop without a review", () => {
  rows([
    [
      "is judged by its checks",
      [openedLoop(), ...submitted, checked("green")],
      { do: "settle", submission: 1 },
    ],
    ["whatever they say", [openedLoop(), ...submitted, checked("red")], { do: "settle", submission: 1 }],
    [
      "not before they ran",
      [openedLoop(), executor, ended("submitted"), requested()],
      { do: "check", submission: 1 },
    ],
    [
      "goes to another session when they fail",
      [openedLoop(), ...submitted, checked("red"), decided("request_changes", "monoco"), handoff],
      { do: "start", role: "executor", because: "the checks failed on submission 1" },
    ],
    [
      "is done when they pass, and says where its work is",
      [openedLoop(), ...submitted, checked("green"), finished],
      {
        do: "rest",
        phase: "done",
        because: `its work is on branch monoco/FEAT-0001 (${commit(100).slice(0, 8)})`,
        hint: [[{ do: "by_hand", what: "git merge monoco/FEAT-0001 takes it over" }]],
      },
    ],
    [
      "with one, a Reviewer looks at it first",
      [openedLoop(true), ...submitted, checked("green")],
      { do: "start", role: "reviewer", submission: 1 },
    ],
    [
      "cleared and opened again, it begins anew",
      [openedLoop(), ...submitted, checked("green"), finished, cleared, openedLoop()],
      { do: "start", role: "executor", because: "new relay" },
    ],
  ]);

  test("is not merged, though a person approves it", () => {
    const steps = [openedLoop(), ...submitted, checked("green"), decided("approve", "person")];
    expect(inWords(afterwards(steps))).toMatchObject({ do: "settle", submission: 1 });
  });
});

describe("the merge", () => {
  rows([
    [
      "a conflict goes to an Executor",
      [opened, ...conflict],
      { do: "start", role: "executor", because: "the merge conflicted" },
    ],
    [
      "a red merged tree too",
      [opened, ...submitted, ...review("approve"), rejected, handoff],
      { do: "start", role: "executor", because: "the merged tree fails its checks" },
    ],
    ["three such repairs are tried", [opened, ...repeat(3, conflict)], { do: "start", role: "executor" }],
    [
      "and the fourth asks a person",
      [opened, ...repeat(4, conflict)],
      { do: "block", because: "conflicts in a.ts: the merge failed 4 times" },
    ],
    [
      "a person's resume gives new ones",
      [opened, ...repeat(4, conflict), blocked, resumed],
      { do: "start", role: "executor" },
    ],
    [
      "a merge that a person was asked about is settled after the resume: they may have landed it by hand",
      [opened, ...submitted, ...review("approve"), prepared, blocked, resumed],
      { do: "settle_merge" },
    ],
    [
      "is confirmed by a Reviewer first where the base has brought what meets the work",
      [opened, ...submitted, ...review("approve"), prepared, questioned],
      {
        do: "start",
        role: "reviewer",
        submission: 1,
        because:
          "main has moved since submission 1 was approved, and both sides changed a.ts (review.afterMerge auto)",
      },
    ],
    [
      "is made once it is confirmed; that a Reviewer gave no verdict before the approval does not count",
      [
        opened,
        ...submitted,
        ...noVerdict,
        ...review("approve"),
        questioned,
        ...noVerdict,
        ...review("approve"),
      ],
      { do: "merge", submission: 1 },
    ],
    [
      "needs no confirmation of a Reviewer that a person has given",
      [opened, ...submitted, ...review("approve"), questioned, decided("approve", "person")],
      { do: "merge", submission: 1 },
    ],
    [
      "is not made where the Reviewer requests changes on the merged tree",
      [opened, ...submitted, ...review("approve"), questioned, ...review("request_changes"), handoff],
      { do: "start", role: "executor", because: "changes were requested on submission 1" },
    ],
    [
      "is made after a confirmation without asking the person again who approved",
      [
        openedWith({}, { gates: { medium: "human" } }),
        ...submitted,
        ...review("approve"),
        decided("approve", "person"),
        questioned,
        ...review("approve"),
      ],
      { do: "merge", submission: 1 },
    ],
    [
      "needs a person where the base has met the work three times",
      [
        opened,
        ...submitted,
        ...review("approve"),
        ...repeat(3, [questioned, ...review("approve")]),
        questioned,
      ],
      { do: "block", because: "main moved 3 times while submission 1 was being merged" },
    ],
    [
      "one that was put up meanwhile takes its place",
      [opened, ...submitted, ...review("approve"), prepared, blocked, requested("person"), resumed],
      { do: "check", submission: 2 },
    ],
  ]);
});

describe("limits", () => {
  rows([
    ["changes requested twice go on", [opened, ...repeat(2, lost)], { do: "start" }],
    [
      "changes requested thrice block",
      [opened, ...repeat(3, lost)],
      { do: "block", because: "It does not compile: 3 rounds of requested changes (reviewRoundsMax 3)" },
    ],
    [
      "a person's resume gives new rounds",
      [opened, ...repeat(3, lost), blocked, resumed, ...repeat(2, lost)],
      { do: "start", role: "executor" },
    ],
    [
      "sessions of both roles are counted",
      [openedWith({ sessionsMax: 2 }), ...lost],
      { do: "block", because: "spent 2 sessions (sessionsMax 2)" },
    ],
    [
      "a person's resume gives new sessions",
      [openedWith({ sessionsMax: 2 }), ...lost, blocked, resumed],
      { do: "start" },
    ],
    [
      "progress closes the breaker",
      [opened, ...repeat(2, stalled), ...worked, ...repeat(2, stalled)],
      { do: "start" },
    ],
    [
      "a Reviewer between them is no progress",
      [
        opened,
        ...stalled,
        ...stalled,
        executor,
        ended("submitted", { progress: false }),
        requested(),
        checked("green"),
        ...review("request_changes"),
        handoff,
      ],
      { do: "change_breaker", to: "open" },
    ],
    [
      "an interruption by a person is neither stall nor progress",
      [opened, ...repeat(2, stalled), ...session("user_interrupt", { progress: false }), ...stalled],
      { do: "change_breaker", to: "open" },
    ],
    [
      "a login problem blocks at once",
      [opened, ...session("needs_login", { progress: false })],
      {
        do: "block",
        because: "claude needs a person: the evidence",
        hint: [byHand("fix the login, credit or model of claude")],
      },
    ], // TRAP 15
    [
      "and names the program that it is about, where that is known",
      [opened, ...session("needs_login", { program: "2.1.0; to log in: claude auth login" })],
      {
        do: "block",
        hint: [byHand("fix the login, credit or model of claude (2.1.0; to log in: claude auth login)")],
      },
    ],
    [
      "with the agent's own words, whatever else is evidence",
      [
        opened,
        ...session("needs_login", { evidence: ["no credit", "its hooks were not seen to be loaded"] }),
      ],
      { do: "block", because: "claude needs a person: no credit" },
    ],
    ["a Reviewer's too", [opened, ...submitted, reviewer, ended("needs_login")], { do: "block" }],
    [
      "and after the login it goes on",
      [opened, ...session("needs_login"), blocked, resumed],
      { do: "start" },
    ],
  ]);
});

const scored =
  (finished: boolean): Step =>
  (state) => ({
    type: "signal.scored",
    session: state.sessions.length,
    signals: [],
    total: 0.65,
    threshold: 0.6,
    promise: false,
    exitSignal: null,
    indicators: 2,
    done: true,
    testOnly: false,
    finished,
    reason: { rule: "exit_vote", total: 0.65, threshold: 0.6 },
  });
const silently = (finished: boolean): Step[] => [
  executor,
  ended("completed_without_submit"),
  scored(finished),
  handoff,
];

describe("a session that did not submit", () => {
  rows([
    [
      "and looks finished is put up for review on its behalf",
      [opened, ...silently(true)],
      {
        do: "submit",
        session: 1,
        because: "session 1 looks finished and did not submit: the vote is 0.65 (threshold 0.6)",
      },
    ],
    [
      "and does not look finished has a successor",
      [opened, ...silently(false)],
      { do: "start", role: "executor" },
    ],
    [
      "is put up once: a refusal goes to the successor",
      [opened, ...silently(true), refused],
      { do: "start", because: "the submission was refused" },
    ],
    [
      "and looks finished is reviewed like any other",
      [opened, ...silently(true), requested(), checked("green")],
      { do: "start", role: "reviewer" },
    ],
    [
      "but was paused waits for the person",
      [opened, ...silently(true), paused],
      { do: "rest", phase: "paused" },
    ],
    [
      "and ended of something else is not finished, whatever it said",
      [opened, executor, ended("context_limit"), scored(true), handoff],
      { do: "start" },
    ],
    [
      "is left alone where the settings say so",
      [openedWith({}, { exit: { submit: false } }), ...silently(true)],
      { do: "start" },
    ],
    [
      "comes after what a person has submitted meanwhile",
      [opened, ...silently(true), requested("person"), checked("green"), ...review("request_changes")],
      { do: "start", role: "executor" },
    ],
  ]);
});

const breaker =
  (to: "open" | "half_open" | "closed", more: { untilMs?: number; coolDownMs?: number } = {}): Step =>
  () => ({ type: "breaker.changed", to, reason: { rule: "no_progress", sessions: 3, max: 3 }, ...more });
const coolDown = { untilMs: 30 * minute, coolDownMs: 30 * minute };
const openBreaker = [opened, ...repeat(3, stalled), breaker("open", coolDown)];
const halfOpen = [...openBreaker, 30 * minute, breaker("half_open")];
/** A failed ending as it is recorded. */
function failing(error: string): Partial<EventOf<"session.ended">> {
  const outcome = { reason: "failure" as const, evidence: [error] };
  return { ...outcome, signature: endingSignature(outcome)! };
}

describe("the circuit breaker", () => {
  rows([
    [
      "opens after three sessions without progress",
      [opened, ...repeat(3, stalled)],
      {
        do: "change_breaker",
        to: "open",
        because: "no progress in 3 sessions in a row (stalledMax 3)",
        ...coolDown,
      },
    ],
    ["lets nobody through while it is open", openBreaker, { do: "wait", untilMs: 30 * minute }],
    [
      "is half-open after its cool-down",
      [...openBreaker, 30 * minute],
      { do: "change_breaker", to: "half_open" },
    ],
    ["then lets one session probe", halfOpen, { do: "start", role: "executor" }],
    [
      "closes when the probe makes progress",
      [...halfOpen, ...worked],
      { do: "change_breaker", to: "closed" },
    ],
    [
      "opens for twice as long when it does not",
      [...halfOpen, ...stalled],
      { do: "change_breaker", to: "open", coolDownMs: 60 * minute, untilMs: 90 * minute },
    ],
    ["a closed one lets sessions through", [...halfOpen, ...worked, breaker("closed")], { do: "start" }],
    [
      "a limit met by the probe says nothing of it",
      [...halfOpen, executor, ended("usage_limit", { progress: false, resetsAtMs: 0 }), handoff, minute],
      { do: "start" },
    ],
    [
      "a person's resume lets one session try before the pause is over",
      [...openBreaker, minute, resumed],
      { do: "start", role: "executor" },
    ],
    [
      "one session alone: without progress the pause begins anew",
      [...openBreaker, minute, resumed, ...stalled],
      { do: "change_breaker", to: "open" },
    ],
    [
      "where only a person closes it, it blocks",
      [openedWith({}, { breaker: { reopen: "manual" } }), ...repeat(3, stalled), breaker("open")],
      { do: "block", because: "no progress in 3 sessions in a row (stalledMax 3)" },
    ],
    [
      "and a person's resume lets one session probe",
      [
        openedWith({}, { breaker: { reopen: "manual" } }),
        ...repeat(3, stalled),
        breaker("open"),
        blocked,
        resumed,
      ],
      { do: "start" },
    ],
    [
      "which opens it again without progress",
      [
        openedWith({}, { breaker: { reopen: "manual" } }),
        ...repeat(3, stalled),
        breaker("open"),
        blocked,
        resumed,
        ...stalled,
      ],
      { do: "change_breaker", to: "open" },
    ],
    [
      "opens when tools were denied in two sessions in a row without progress",
      [
        opened,
        ...repeat(2, [
          executor,
          ended("completed_without_submit", { denied: ["Bash"], progress: false }),
          handoff,
        ]),
      ],
      {
        do: "change_breaker",
        to: "open",
        because: "tools were denied in 2 sessions in a row, last Bash",
      },
    ],
    [
      "not when one of them got on all the same",
      [
        opened,
        executor,
        ended("context_limit", { denied: ["Bash"] }),
        handoff,
        executor,
        ended("completed_without_submit", { denied: ["Bash"], progress: false }),
        handoff,
      ],
      { do: "start" },
    ],
    [
      "opens when a session without progress says far less than those before it",
      [
        opened,
        ...repeat(3, [executor, ended("context_limit", { outputChars: 1_000 }), handoff]),
        executor,
        ended("completed_without_submit", { outputChars: 100, progress: false }),
        handoff,
      ],
      {
        do: "change_breaker",
        to: "open",
        because: "its output fell by 90 %",
      },
    ],
    [
      "not when a session was cut off before it could say anything",
      [
        openedWith({ backoffSeconds: 0 }),
        ...repeat(3, [executor, ended("context_limit", { outputChars: 1_000 }), handoff]),
        executor,
        ended("failure", { outputChars: 0, progress: false }),
        handoff,
      ],
      { do: "start" },
    ],
    [
      "never after progress, however little was said",
      [
        opened,
        ...repeat(3, [executor, ended("context_limit", { outputChars: 1_000 }), handoff]),
        executor,
        ended("context_limit", { outputChars: 0 }),
        handoff,
      ],
      { do: "start" },
    ],
  ]);
});

describe("the breaker's probes", () => {
  const nowhere: Step[] = [ended("handed_over", { progress: false })];
  const coolDownsOf = ({ events }: Driven): number[] =>
    events.flatMap((event) =>
      event.type === "breaker.changed" && event.to === "open" ? [(event.coolDownMs ?? 0) / minute] : [],
    );
  // TRAP 60: the events are those that the runner writes, each made from the decision that led to it.
  test("each failed probe doubles the cool-down, up to four hours", () => {
    const patient = openedWith({ sessionsMax: 20 }, { breaker: { probesMax: 9 } });
    const driven = drive(
      [patient],
      Array.from({ length: 9 }, () => nowhere),
    );
    expect(coolDownsOf(driven)).toEqual([30, 60, 120, 240, 240, 240, 240]);
    expect(inWords(driven.last)).toMatchObject({ do: "wait", untilMs: driven.nowMs + 240 * minute });
  });

  test("the third failed probe blocks the relay: a person is asked, and one session probes when they resume", () => {
    const driven = drive(
      [opened],
      Array.from({ length: 9 }, () => nowhere),
    );
    expect(coolDownsOf(driven)).toEqual([30, 60, 120, 240]);
    expect(driven.state.sessions).toHaveLength(6);
    expect(inWords(driven.last)).toMatchObject({
      do: "rest",
      phase: "blocked",
      because: "3 sessions in a row got nowhere, each after a pause",
    });
    const events = [...driven.events];
    const state = replay(events);
    evolve(state, append(events, resumed(), driven.nowMs));
    expect(decide(state, state.opening!.settings.limits, driven.nowMs)).toMatchObject({ do: "start" });
  });
});

// TRAP 57
describe("a submit that is refused again and again", () => {
  const refusedFor = (kind: RefusalKind, ...paths: string[]): Step[] => [
    ended("submitted"),
    (state) => ({ ...refused(state), kind, paths, why: `${kind}: ${paths.join(", ")}` }),
  ];
  const log = ["hook.log", "also.txt"] as const;
  const last = (...sessions: Step[][]): Action => drive([opened], sessions).last;

  test("asks a person the third time, and names the files that were in the way each time", () => {
    const refusals = [["a.ts", ...log], log, [...log, "b.ts"]].map((paths) =>
      refusedFor("uncommitted", ...paths),
    );
    expect(inWords(last(...refusals))).toMatchObject({
      do: "rest",
      phase: "blocked",
      because: "uncommitted: hook.log, also.txt, b.ts: 3 submits in a row were refused for this reason",
      hint: [
        [
          { do: "by_hand", what: "find what writes hook.log, also.txt, and undo, ignore or commit it" },
          { do: "resume" },
        ],
        [{ do: "say" }, { do: "resume" }],
      ],
    });
    expect(inWords(last(...refusals.slice(1)))).toMatchObject({
      do: "start",
      because: "the submission was refused",
    });
  });

  test.for<[string, Step[][]]>([
    ["another file", ["a", "a", "b"].map((path) => refusedFor("uncommitted", path))],
    ["another reason", [refusedFor("empty"), refusedFor("empty"), refusedFor("forged")]],
  ])("goes on for %s", ([, refusals]) => {
    expect(inWords(last(...refusals))).toMatchObject({ do: "start" });
  });

  test("has three more when a person has resumed, and one taken up begins the count again", () => {
    const dirty = refusedFor("uncommitted", "a");
    const { events } = drive([opened], [dirty, dirty, dirty]);
    const again = drive([...events.map((event) => () => event), resumed], [dirty, dirty]);
    expect(again.last).toMatchObject({ do: "start" });
    const taken = [ended("submitted"), requested(), checked("green"), decided("request_changes", "person")];
    expect(last(dirty, dirty, taken, dirty, dirty)).toMatchObject({ do: "start" });
  });
});

// TRAP 19
describe("the same error", () => {
  const fails = (error: string): Step[] => [ended("failure", failing(error))];
  const works = [ended("handed_over")];
  const times = (count: number, session: Step[]): Step[][] => Array.from({ length: count }, () => session);
  const openings = (sessions: Step[][]): string[] =>
    drive([openedWith({ backoffSeconds: 0 })], sessions).events.flatMap((event) =>
      event.type === "breaker.changed" && event.to === "open" ? [becauseOf(event.reason)] : [],
    );
  const tripped = "the same error in 5 sessions in a row";
  const output = (n: number): string =>
    ` FAIL  /tmp/run-${n}/math.test.ts > adds [${n} ms]\nTypeError: add is not a function\n    at /tmp/run-${n}/math.ts:${n}:1`;
  /** A session that changed something, whose checks failed with `text`, and with how many boxes resolved. */
  const red = (text: string, more: { lint?: "green" | "red"; resolved?: number } = {}): Step[] => [
    ended("handed_over"),
    (state) => ({
      ...checked("red")(state),
      target: "session",
      n: state.sessions.length,
      results: [
        { ...checkResult(false), signature: failureSignature(text), last: "add is not a function" },
        ...(more.lint ? [{ ...checkResult(more.lint === "green"), command: "npm run lint" }] : []),
      ],
    }),
    (state) => ({ ...handoff(state), resolved: more.resolved ?? 0 }),
  ];

  const trippedBy = `npm test (add is not a function): ${tripped}`;

  test.for<[string, Step[][], string]>([
    [
      "of the ending",
      [1, 2, 3, 4, 5].map((n) => fails(`TypeError: x is not a function, /tmp/${n}/a.js:${n}`)),
      tripped,
    ],
    ["of the last failing check", [1, 2, 3, 4, 5].map((n) => red(output(n))), trippedBy],
  ])("%s in five sessions opens the breaker, though each changed something", ([, sessions, reason]) => {
    expect(openings(sessions)).toEqual([reason]);
    expect(openings(sessions.slice(1))).toEqual([]);
  });

  test.for<[string, Step[][]]>([
    ["a session without it", [...times(4, fails("a")), works, ...times(4, fails("a"))]],
    ["another error", [...times(4, fails("a")), fails("b"), ...times(4, fails("a"))]],
    ["a newly resolved box", [...times(4, red(output(1))), ...times(4, red(output(1), { resolved: 1 }))]],
    [
      "a check that turned green",
      [...times(4, red(output(1), { lint: "red" })), ...times(4, red(output(1), { lint: "green" }))],
    ],
  ])("%s begins the count again", ([, sessions]) => {
    expect(openings(sessions)).toEqual([]);
  });

  test("a probe that meets it again has failed, whatever it changed", () => {
    const { events, last } = drive([openedWith({ backoffSeconds: 0 })], times(9, red(output(1))));
    const changes = events.flatMap((event) =>
      event.type === "breaker.changed" && event.to === "open" ? [becauseOf(event.reason)] : [],
    );
    expect(changes.slice(0, 2)).toEqual([
      trippedBy,
      "npm test (add is not a function): session 6 met the same error again",
    ]);
    expect(inWords(last)).toMatchObject({
      because: "npm test (add is not a function): 3 sessions in a row got nowhere, each after a pause",
    });
    const told = events.map((event) => noticeOf("FEAT-0001", event)?.text ?? "");
    expect(told.join("")).toContain("npm test (add is not a function): 3 sessions in a row got nowhere");
  });
});

describe("what is not the agent's doing counts for nothing", () => {
  const none = { evidence: ["503: at capacity"], commits: 0, filesChanged: 0, progress: false };
  const outage: Step[] = [ended("failure", { ...none, cause: "outage" })];
  const runnerDied: Step[] = [ended("failure", { ...none, cause: "runner_died" })];
  const times = (count: number, session: Step[]): Step[][] => Array.from({ length: count }, () => session);

  // TRAP 59
  test("three deaths of the runner open no breaker, and the next session starts at once", () => {
    const { last, nowMs } = drive([opened], times(3, runnerDied));
    expect(inWords(last)).toMatchObject({ do: "start", because: "session 3 handed over" });
    expect(nowMs).toBe(0);
  });

  test("a machine that dies of each session ends with the sessions of the relay", () => {
    const { last } = drive([openedWith({ sessionsMax: 4 })], times(9, runnerDied));
    expect(inWords(last)).toMatchObject({ phase: "blocked", because: "spent 4 sessions (sessionsMax 4)" });
  });

  test("outages open no breaker and cost no sessions: the back-off doubles, up to an hour", () => {
    const { events, last, state } = drive([openedWith({ sessionsMax: 4 })], times(12, outage));
    const starts = events.flatMap(({ type, atMs }) => (type === "session.started" ? [atMs / 1_000] : []));
    const waits = starts.slice(1).map((atMs, index) => atMs - starts[index]!);
    expect(waits.slice(0, 9)).toEqual([15, 30, 60, 120, 240, 480, 960, 1920, 3600]);
    expect(new Set(waits.slice(8))).toEqual(new Set([3600]));
    expect(inWords(last)).toMatchObject({ do: "wait", because: "outage of claude, 12 times in a row" });
    expect(state.opening?.breaker).toBeUndefined();
  });

  test("an outage hands the work to the next agent at once, and a Reviewer's is no missing verdict", () => {
    expect(inWords(drive([openedByTwo], times(1, outage)).last)).toMatchObject({
      do: "start",
      agents: ["mine"],
      because: "session 1 handed over; outage of claude",
    });
    const { last, state } = drive([openedByTwo, ...submitted], times(4, outage));
    expect(inWords(last)).toMatchObject({ do: "wait" });
    expect(state.sessions.map(({ role, agent }) => `${role} ${agent}`)).toEqual([
      "executor claude",
      "reviewer mine",
      "reviewer claude",
      "reviewer mine",
      "reviewer claude",
    ]);
  });

  test("a session that met an outage after it got on ends a row of stalls", () => {
    const nowhere = [ended("handed_over", { progress: false })];
    const late = [ended("failure", { cause: "outage" })];
    const { last } = drive([opened], [nowhere, nowhere, late, nowhere, nowhere]);
    expect(inWords(last)).toMatchObject({ do: "start" });
  });

  test("an outage is backed off from even where the settings ask for no pause", () => {
    const { last, nowMs } = drive([openedWith({ backoffSeconds: 0 })], times(4, outage));
    expect(inWords(last)).toMatchObject({ do: "wait", untilMs: nowMs + 8_000 });
  });

  test("an outage during the breaker's probe says nothing of it: the next session probes", () => {
    const nowhere = [ended("handed_over", { progress: false })];
    const { state, last } = drive([opened], [nowhere, nowhere, nowhere, outage]);
    expect(state.opening?.breaker?.to).toBe("half_open");
    expect(inWords(last)).toMatchObject({ do: "wait", because: "outage of claude" });
  });
});

describe("failing over", () => {
  rows([
    [
      "the agents of a role stand by in their order",
      [openedByTwo],
      { do: "start", agents: ["claude", "mine"] },
    ],
    [
      "a usage limit hands the work to the next agent at once",
      [openedByTwo, ...limitOf("claude", 10 * minute)],
      { do: "start", agents: ["mine"], because: "session 1 handed over; usage limit of claude" },
    ],
    [
      "with all of them used up the relay waits for the first that comes back",
      [openedByTwo, ...limitOf("claude", 10 * minute), ...limitOf("mine", 5 * minute)],
      { do: "wait", untilMs: 5 * minute, because: "usage limit of claude; usage limit of mine" },
    ],
    [
      "the preferred one plays again once its limit is over",
      [openedByTwo, ...limitOf("claude", 10 * minute), 10 * minute],
      { do: "start", agents: ["claude", "mine"] },
    ],
    [
      "a limit that another relay ran into counts here",
      [openedByTwo, elsewhere("claude", 10 * minute)],
      { do: "start", agents: ["mine"] },
    ],
    ["so does a missing login", [openedByTwo, ...noLogin("claude")], { do: "start", agents: ["mine"] }],
    [
      "without any login left a person is asked",
      [openedByTwo, ...noLogin("claude"), ...noLogin("mine")],
      { do: "block", because: "claude, mine needs a person: 401" },
    ],
    [
      "a program that is too old may be updated instead of the other's login",
      [openedByTwo, tooOld, ...noLogin("mine")],
      {
        do: "block",
        because: "claude, mine needs a person: claude 1.0.0 is older than 2.0.45, which monoco needs; 401",
        hint: [byHand("fix the login, credit or model of mine"), byHand("update claude (npm i claude)")],
      },
    ],
    [
      "a limit that will be over is waited for rather than asking for a login",
      [openedByTwo, ...noLogin("claude"), ...limitOf("mine", 5 * minute)],
      { do: "wait", untilMs: 5 * minute },
    ],
    [
      "two agents of one vendor share its account",
      [
        openedWith(
          {},
          {
            agents: { other: { kind: "claude", model: "m" } },
            roles: { executor: { agents: ["claude", "other"] } },
          },
        ),
        ...limitOf("claude", 10 * minute),
      ],
      { do: "wait", untilMs: 10 * minute },
    ],
    [
      "of OpenCode, which speaks to many vendors, the model says whose account it is",
      [
        openedWith(
          {},
          {
            agents: {
              first: { kind: "opencode", model: "anthropic/m" },
              second: { kind: "opencode", model: "anthropic/n" },
              third: { kind: "opencode", model: "openai/m" },
            },
            roles: { executor: { agents: ["first", "second", "third"] } },
          },
        ),
        ...limitOf("opencode/anthropic", 10 * minute),
      ],
      { do: "start", agents: ["third"] },
    ],
    [
      "unless one brings a login of its own",
      [
        openedWith(
          {},
          {
            agents: { other: { kind: "claude", env: { CLAUDE_CONFIG_DIR: "/o" } } },
            roles: { executor: { agents: ["claude", "other"] } },
          },
        ),
        ...limitOf("claude", 10 * minute),
      ],
      { do: "start", agents: ["other"] },
    ],
    [
      "the Reviewer is of another vendor than the work, where one can play",
      [openedByTwo, started("executor"), ended("submitted"), requested(), checked("green")],
      { do: "start", role: "reviewer", agents: ["mine", "claude"] },
    ],
    [
      "and of another than any of those who worked on it",
      [
        openedWith(
          {},
          {
            agents: { third: { kind: "codex" } },
            roles: { executor: two.roles.executor, reviewer: { agents: ["claude", "mine", "third"] } },
          },
        ),
        ...limitOf("claude", 10 * minute),
        started("executor", "mine"),
        ended("submitted"),
        requested(),
        checked("green"),
        resumed,
      ],
      { do: "start", role: "reviewer", agents: ["third", "claude", "mine"] },
    ],
    [
      "and of the same where no other is left",
      [
        openedByTwo,
        elsewhere("mine", 10 * minute),
        started("executor"),
        ended("submitted"),
        requested(),
        checked("green"),
      ],
      { do: "start", role: "reviewer", agents: ["claude"] },
    ],
    [
      "work that a person submitted is reviewed in the order of the settings",
      [openedByTwo, requested("person"), checked("green")],
      { do: "start", role: "reviewer", agents: ["claude", "mine"] },
    ],
  ]);

  test("only who is installed plays", () => {
    const state = replay(journal([openedByTwo, ...limitOf("claude", 10 * minute)]));
    const { limits } = state.opening!.settings;
    const players = { executor: ["claude"], reviewer: ["claude"] };
    expect(decide(state, limits, 0, { players })).toMatchObject({ do: "wait", untilMs: 10 * minute });
    expect(decide(state, limits, 0, { players: { executor: [], reviewer: [] } })).toMatchObject({
      do: "start",
      agents: [],
    });
  });
});

// TRAP 5: no outcome relaunches at once, for ever
describe("waiting", () => {
  rows([
    [
      "a usage limit waits until its reset time",
      [opened, ...usageLimit(10 * minute)],
      { do: "wait", untilMs: 10 * minute, because: "usage limit of claude" },
    ], // TRAP 14
    [
      "also when the crash came before limit.hit",
      [opened, executor, ended("usage_limit", { resetsAtMs: 10 * minute }), handoff],
      { do: "wait", untilMs: 10 * minute },
    ],
    ["and is over then", [opened, ...usageLimit(10 * minute), 10 * minute], { do: "start" }],
    [
      "it is charged to no budget",
      [openedWith({ sessionsMax: 1, stalledMax: 1 }), ...usageLimit(0), minute],
      { do: "start", role: "executor" },
    ],
    [
      "a reset time gone by waits a minute all the same",
      [opened, 5 * minute, ...usageLimit(0)],
      { do: "wait", untilMs: 6 * minute },
    ],
    [
      "the fourth in a row with a reset time gone by waits four minutes: it doubles",
      [opened, 5 * minute, ...repeat(4, usageLimit(0))],
      { do: "wait", untilMs: 9 * minute },
    ],
    [
      "but no more than an hour",
      [opened, 5 * minute, ...repeat(20, usageLimit(0))],
      { do: "wait", untilMs: 65 * minute },
    ],
    [
      "also after a person's resume: it did not help",
      [opened, 5 * minute, ...repeat(3, usageLimit(0)), paused, resumed, ...usageLimit(0)],
      { do: "wait", untilMs: 9 * minute },
    ],
    [
      "one that is near is waited for, and no longer",
      [opened, ...usageLimit(3_000)],
      { do: "wait", untilMs: 3_000 },
    ],
    [
      "but a minute the second time in a row: it does not get over",
      [opened, ...usageLimit(3_000), 3_000, ...usageLimit(6_000)],
      { do: "wait", untilMs: 63_000 },
    ],
    [
      "after work in between the first one counts anew",
      [opened, ...usageLimit(3_000), 3_000, ...worked, ...usageLimit(6_000)],
      { do: "wait", untilMs: 6_000 },
    ],
    [
      "a reset time that never comes is a mistake",
      [opened, ...usageLimit(Number.MAX_SAFE_INTEGER)],
      { do: "wait", untilMs: 32 * 24 * 60 * minute },
    ],
    [
      "a person's resume waits no longer",
      [opened, ...usageLimit(10 * minute), paused, resumed],
      { do: "start" },
    ],
    [
      "a failure without progress backs off",
      [opened, ...failed],
      { do: "wait", untilMs: 15_000, because: "back-off after 1 failed session without progress" },
    ],
    [
      "so does an agent that has not started",
      [opened, ...session("not_started", { progress: false })],
      { do: "wait", untilMs: 15_000, because: "back-off after 1 failed session without progress" },
    ],
    ["a second one twice as long", [opened, ...repeat(2, failed)], { do: "wait", untilMs: 30_000 }],
    [
      "doubling, but no more than an hour",
      [openedWith({ stalledMax: 20 }, { breaker: { sameErrorMax: 20 } }), ...repeat(19, failed)],
      { do: "wait", untilMs: 60 * minute },
    ],
    ["a failure with progress does not wait", [opened, ...session("failure")], { do: "start" }],
    [
      "an earlier failure counts no more after progress",
      [opened, ...failed, 15_000, ...worked, ...failed],
      { do: "wait", untilMs: 30_000 },
    ],
    [
      "a later session that did not fail does not back off",
      [opened, ...failed, 15_000, ...stalled],
      { do: "start" },
    ],
    [
      "a Reviewer's end is no failure of the Executor's",
      [opened, ...failed, 15_000, requested("person"), checked("green"), ...review("request_changes")],
      { do: "start", role: "executor" },
    ],
    ["a back-off of nothing is none", [openedWith({ backoffSeconds: 0 }), ...failed], { do: "start" }],
    [
      "what blocks, blocks at once and waits for nothing",
      [openedWith({ sessionsMax: 1 }), ...failed],
      { do: "block" },
    ],
    [
      "the Reviewer waits as well",
      [opened, ...submitted, reviewer, ended("usage_limit", { resetsAtMs: minute }), limitHit(minute)],
      { do: "wait", untilMs: minute },
    ],
    [
      "checks and merges need no agent and wait for none",
      [opened, ...usageLimit(10 * minute), requested("person")],
      { do: "check" },
    ],
  ]);
});

// TRAP 21
test("all that one session asks is one question, and the same words again add nothing", () => {
  const ask =
    (text: string): Step =>
    (state) => ({ type: "question.asked", session: state.sessions.length, text });
  const state = replay(
    journal([opened, executor, ask("Which port?"), ask("Which host?"), ask("Which host?")]),
  );
  expect(state.opening?.question).toEqual({ session: 1, text: "Which port?\nWhich host?" });
});

describe("questions", () => {
  const asking = (progress: boolean): Step[] => [
    executor,
    (state) => ({ type: "question.asked", session: state.sessions.length, text: "Which port?" }),
    ended("question", { progress }),
    handoff,
  ];
  const answer: Step = () => ({ type: "question.answered", session: 1, by: "person", text: "8080" });
  rows([
    [
      "the first is for the next session to decide",
      [opened, ...asking(false)],
      { do: "start", role: "executor" },
    ],
    [
      "sessions that only ask, one after the other, ask a person",
      [opened, ...asking(false), ...asking(false)],
      {
        do: "block",
        because: "session 2 asks: Which port?",
        hint: [[{ do: "answer" }, { do: "resume", note: "2 sessions only asked: limits.questionsMax 2" }]],
      },
    ],
    ["who asks and works goes on", [opened, ...repeat(5, asking(true))], { do: "start" }],
    [
      "work in between breaks the row",
      [opened, ...asking(false), ...worked, ...asking(false)],
      { do: "start" },
    ],
    ["an answer ends it", [opened, ...asking(false), ...asking(false), answer], { do: "start" }],
    [
      "and the next question begins a new one",
      [opened, ...asking(false), ...asking(false), answer, ...asking(true), ...asking(false)],
      { do: "start" },
    ],
    [
      "a person's resume without an answer lets as many ask again",
      [opened, ...asking(false), ...asking(false), blocked, resumed, ...asking(false)],
      { do: "start" },
    ],
    [
      "how many is a setting",
      [openedWith({ questionsMax: 1 }), ...asking(false)],
      { do: "block", because: "session 1 asks: Which port?" },
    ],
    [
      "more than the breaker allows opens that first",
      [openedWith({ questionsMax: 9 }), ...repeat(3, asking(false))],
      { do: "change_breaker", to: "open" },
    ],
  ]);
});

describe("the hour's sessions", () => {
  const two = openedWith({ sessionsPerHour: 2 });
  const said = "2 sessions were started within an hour (limits.sessionsPerHour 2)";
  const full =
    (untilMs: number): Step =>
    () => ({
      type: "rate.limited",
      untilMs,
      reason: { rule: "sessions_per_hour", used: 2, max: 2 },
    });
  rows([
    ["there is room for the second", [two, ...worked], { do: "start" }],
    [
      "a full hour is journaled with its numbers, before it is waited for",
      [two, ...worked, ...worked],
      {
        do: "limit_rate",
        reason: { rule: "sessions_per_hour", used: 2, max: 2 },
        untilMs: 60 * minute,
        because: said,
      },
    ],
    [
      "and waited for then",
      [two, ...worked, ...worked, full(60 * minute)],
      { do: "wait", untilMs: 60 * minute, because: said },
    ],
    ["until it is over", [two, ...worked, ...worked, full(60 * minute), 60 * minute], { do: "start" }],
    [
      "a Reviewer's sessions count, and wait, like the others",
      [openedWith({ sessionsPerHour: 1 }), ...submitted],
      { do: "limit_rate" },
    ],
    [
      "what a limit let nobody do counts as well: it was started",
      [openedWith({ sessionsPerHour: 1 }), ...usageLimit(0), 2 * minute],
      { do: "limit_rate", untilMs: 60 * minute },
    ],
    [
      "a resume makes no room",
      [two, ...worked, ...worked, full(60 * minute), paused, resumed],
      { do: "limit_rate", untilMs: 60 * minute },
    ],
    [
      "a relay opened anew starts in the same hour",
      [two, ...worked, ...worked, cleared, two],
      { do: "limit_rate" },
    ],
    [
      "what is due without a session is done",
      [two, ...worked, ...worked, requested("person")],
      { do: "check" },
    ],
    [
      "a spent budget asks a person at once, and does not wait for room first",
      [openedWith({ sessionsPerHour: 2, sessionsMax: 2 }), ...worked, ...worked],
      { do: "block" },
    ],
  ]);

  test("sessions of other relays count, too", () => {
    const state = replay(journal([two, ...worked]));
    const elsewhere = [{ issue: "FEAT-0002", session: 1, startedAtMs: 5 * minute, tokens: 0, costUsd: 0 }];
    const { limits } = state.opening!.settings;
    expect(decide(state, limits, 10 * minute, { elsewhere })).toMatchObject({
      do: "limit_rate",
      reason: { used: 2 },
      untilMs: 60 * minute,
    });
    expect(decide(state, limits, 10 * minute)).toMatchObject({ do: "start" });
  });
});

// TRAP 14
test.for([
  [0, 10 * minute],
  [0.5, 10.25 * minute],
  [1, 10.5 * minute],
] as const)(
  "chance %d has it come back after a usage limit's reset at %d, never before it",
  ([jitter, untilMs]) => {
    const state = replay(journal([opened, ...usageLimit(10 * minute)]));
    const { limits } = state.opening!.settings;
    expect(decide(state, limits, 0, { jitter })).toMatchObject({ do: "wait", untilMs });
    expect(decide(state, limits, untilMs - 1, { jitter })).toMatchObject({ do: "wait", untilMs });
    expect(decide(state, limits, untilMs, { jitter })).toMatchObject({ do: "start" });
  },
);

describe("cleared and opened again", () => {
  const before: Step[] = [
    openedWith({ sessionsMax: 2 }),
    ...lost,
    ...stalled,
    cleared,
    openedWith({ sessionsMax: 2 }),
  ];
  rows([
    ["it starts like new", before, { do: "start", role: "executor", because: "new relay" }],
    ["with all its sessions", [...before, ...worked], { do: "start", role: "executor" }],
    [
      "and its own limits",
      [...before, ...worked, ...worked],
      { do: "block", because: "spent 2 sessions (sessionsMax 2)" },
    ],
    [
      "an old approval is worth nothing",
      [opened, ...submitted, ...review("approve"), cleared, opened],
      { do: "start", role: "executor" },
    ],
    ["an old wait is over", [opened, ...usageLimit(10 * minute), cleared, opened], { do: "start" }],
    ["an old block too", [opened, blocked, cleared, opened], { do: "start" }],
    [
      "a merged one can be opened again",
      [opened, ...submitted, ...review("approve"), prepared, merged, opened],
      { do: "start" },
    ],
  ]);
});

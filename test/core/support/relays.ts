/** Journals as tests need them: steps in words, numbered and timed by what has happened before. */
import { unconfirmed } from "../../../src/core/relay/phase.ts";
import type { EventBody, EventOf, RelayEvent, StopReason } from "../../../src/core/journal/event.ts";
import type { CheckResult } from "../../../src/core/review/check-result.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import { decisionEvent } from "../../../src/core/relay/decision-event.ts";
import { byHand } from "../../../src/core/journal/steps.ts";
import type { Finding } from "../../../src/core/review/verdict-schema.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import type { RelayState } from "../../../src/core/journal/relay-state.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";

/** What happens next, given what has happened; a number lets so many milliseconds pass. */
export type Step = number | ((state: RelayState) => EventBody | EventBody[]);

/** The journal in which `steps` happened, at 0 ms but for the time that they let pass. */
export function journal(steps: readonly Step[]): RelayEvent[] {
  const state = replay([]);
  const events: RelayEvent[] = [];
  let atMs = 0;
  for (const step of steps) {
    if (typeof step === "number") atMs += step;
    else for (const body of [step(state)].flat()) evolve(state, append(events, body, atMs));
  }
  return events;
}

export function append(events: RelayEvent[], body: EventBody, atMs: number): RelayEvent {
  const prev = events.length === 0 ? "" : hash(events.length);
  const event: RelayEvent = { v: 1, seq: events.length + 1, prev, atMs, ...body };
  events.push(event);
  return event;
}

export const hash = (n: number): string => n.toString(16).padStart(64, "0");
export const commit = (n: number): string => n.toString(16).padStart(40, "c");

/** `claude` and `mine`, a program; two accounts. */
export const settingsWith = (limits: Partial<Settings["limits"]> = {}, more: object = {}): Settings =>
  settingsSchema.parse({
    limits,
    agents: { mine: { kind: "command", run: ["mine"] } },
    roles: { reviewer: { agents: ["claude"] } },
    ...more,
  });

export const finding: Finding = {
  id: "f1",
  severity: "blocker",
  title: "It does not compile",
  evidence: { text: "error TS1" },
};

export const checkResult = (ok: boolean): CheckResult => ({
  command: "npm test",
  exitCode: ok ? 0 : 1,
  timedOut: false,
  durationMs: 5,
  log: "checks/1.log",
});

const lastSession = (state: RelayState): number => state.sessions.length;
const lastSubmission = (state: RelayState): number => state.submissions.length;

export const openedWith =
  (limits: Partial<Settings["limits"]> = {}, more: object = {}) =>
  (): EventOf<"relay.opened"> => ({
    type: "relay.opened",
    issue: "FEAT-0001",
    title: "Log in",
    contract: { path: "issues/FEAT-0001-log-in.md", text: "…", sha256: hash(1) },
    base: "main",
    baseCommit: commit(0),
    branch: "monoco/FEAT-0001",
    settings: settingsWith(limits, more),
    settingsSha256: hash(2),
    roleTexts: { executor: "You execute.", reviewer: "You review." },
  });
export const opened = openedWith();

/** A loop's opening: without a review, if not said otherwise. */
export const openedLoop =
  (review = false) =>
  (): EventOf<"relay.opened"> => ({
    ...opened(),
    loop: { prompt: "Do it.", promise: "COMPLETE", verify: ["npm test"], review, max: 20 },
  });

export const started =
  (role: "executor" | "reviewer", agent = "claude") =>
  (state: RelayState): EventOf<"session.started"> => ({
    type: "session.started",
    session: lastSession(state) + 1,
    role,
    agent,
    host: "here",
    head: commit(0),
    ...(role === "reviewer" ? { submission: lastSubmission(state) } : {}),
    containment: "process-group",
    reason: { rule: "new_relay" },
  });
export const executor = started("executor");
export const reviewer = started("reviewer");

export const ended =
  (reason: StopReason, more: Partial<EventOf<"session.ended">> = {}) =>
  (state: RelayState): EventOf<"session.ended"> => ({
    type: "session.ended",
    session: lastSession(state),
    reason,
    evidence: ["the evidence"],
    exitCode: 0,
    signal: null,
    head: commit(lastSession(state)),
    commits: 1,
    filesChanged: 1,
    progress: true,
    durationMs: 60_000,
    ...more,
  });

export const handoff = (state: RelayState): EventOf<"handoff.recorded"> => ({
  type: "handoff.recorded",
  session: state.sessions.findLast((record) => record.role === "executor")?.session ?? 1,
  source: "agent",
  text: "# RALPH.md\n",
  sha256: hash(3),
  lint: [],
});

/** Submitted by the last session, or by a person. */
export const requested =
  (by: "executor" | "person" = "executor") =>
  (state: RelayState): EventOf<"submission.requested"> => ({
    type: "submission.requested",
    submission: lastSubmission(state) + 1,
    head: commit(100 + lastSubmission(state)),
    tree: commit(200 + lastSubmission(state)),
    by,
    ...(by === "executor" ? { session: lastSession(state) } : {}),
  });

export const refused = (state: RelayState): EventOf<"submission.refused"> => ({
  type: "submission.refused",
  by: "executor",
  session: lastSession(state),
  kind: "uncommitted",
  paths: ["a.ts"],
  why: "uncommitted changes: a.ts",
});

export const checked =
  (color: "green" | "red") =>
  (state: RelayState): EventOf<"checks.ran"> => ({
    type: "checks.ran",
    target: "submission",
    n: lastSubmission(state),
    tree: commit(200),
    ok: color === "green",
    results: [checkResult(color === "green")],
  });

export const decided =
  (verdict: "approve" | "request_changes", by: "reviewer" | "person" | "monoco" = "reviewer") =>
  (state: RelayState): EventOf<"review.decided"> => ({
    type: "review.decided",
    submission: lastSubmission(state),
    by,
    ...(by === "reviewer" ? { session: lastSession(state) } : {}),
    ...ontoOf(state, { verdict, by }),
    verdict,
    findings: verdict === "approve" ? [] : [finding],
  });

/** Of a submission that is to be confirmed, a Reviewer's verdict is on the merged tree, and so is a person's approval. */
function ontoOf({ submissions }: RelayState, { by, verdict }: { by: string; verdict: string }) {
  const last = submissions.at(-1);
  const asks = by === "person" && verdict === "approve" ? last?.questioned : last && unconfirmed(last);
  return asks && by !== "monoco" && (by === "reviewer" || verdict === "approve")
    ? { onto: asks.baseCommit }
    : {};
}

/** The last submission changes these protected paths. */
export const inspected =
  (paths: Omit<EventOf<"submission.inspected">, "type" | "submission">["protected"]) =>
  (state: RelayState): EventOf<"submission.inspected"> => ({
    type: "submission.inspected",
    submission: lastSubmission(state),
    protected: paths,
    weakened: [],
  });

/** A verdict of the last session, not weighed yet. */
export const given =
  (verdict: "approve" | "request_changes") =>
  (state: RelayState): EventOf<"review.given"> => ({
    type: "review.given",
    submission: lastSubmission(state),
    session: lastSession(state),
    verdict,
    criteria: [],
    probes: [],
    findings: [],
  });

export const verdictRefused = (state: RelayState): EventOf<"review.refused"> => ({
  type: "review.refused",
  submission: lastSubmission(state),
  session: lastSession(state),
  verdict: "approve",
  why: ["criterion 1: no evidence"],
  criteria: [],
  probes: [],
  findings: [],
});

export const limitHit =
  (resetsAtMs: number, agent = "claude") =>
  (state: RelayState): EventOf<"limit.hit"> => ({
    type: "limit.hit",
    session: lastSession(state),
    agent,
    resetsAtMs,
    text: "You've hit your limit",
  });

/** A merge that was prepared is settled before anything that came after it. */
const merging = (state: RelayState): number => state.opening?.merge?.submission ?? lastSubmission(state);
const baseCommit = commit(0);
export const prepared = (state: RelayState): EventOf<"merge.prepared"> => ({
  type: "merge.prepared",
  submission: merging(state),
  commit: commit(300),
  tree: commit(301),
  expectedBase: baseCommit,
  strategy: "merge",
});
/** The base has moved, each time to another commit. */
export const questioned = (state: RelayState): EventOf<"merge.questioned"> => ({
  type: "merge.questioned",
  submission: merging(state),
  baseCommit: commit(1_000 + state.seq),
  since: baseCommit,
  commit: commit(302),
  tree: commit(303),
  reason: {
    rule: "base_met",
    submission: merging(state),
    base: "main",
    mode: "auto",
    meets: [{ ours: "a.ts", theirs: "a.ts" }],
  },
});
export const merged = (state: RelayState): EventOf<"merge.done"> => ({
  type: "merge.done",
  submission: merging(state),
  commit: commit(300),
});
export const finished = (state: RelayState): EventOf<"relay.finished"> => ({
  type: "relay.finished",
  submission: lastSubmission(state),
  commit: commit(100),
});
export const conflicted = (state: RelayState): EventOf<"merge.conflicted"> => ({
  type: "merge.conflicted",
  submission: merging(state),
  baseCommit,
  paths: ["a.ts"],
});
export const rejected = (state: RelayState): EventOf<"merge.rejected"> => ({
  type: "merge.rejected",
  submission: merging(state),
  baseCommit,
  why: "npm test failed",
});

export const asked = (state: RelayState): EventOf<"question.asked"> => ({
  type: "question.asked",
  session: lastSession(state),
  text: "Which port?",
});
export const answered = (session: number): EventBody => ({
  type: "question.answered",
  session,
  by: "person",
  text: "8080",
});
export const paused = (): EventBody => ({
  type: "relay.paused",
  by: "person",
  reason: { rule: "person", asked: "stop" },
});
export const resumed = (): EventBody => ({ type: "relay.resumed", by: "person" });
export const blocked = (): EventBody => ({
  type: "relay.blocked",
  reason: { rule: "setup_failed", command: "make", exitCode: 2, timedOut: false },
  hint: [byHand("look at it")],
});

/** What the policy itself blocks the relay for, where it has come to. */
export const blockedNow: Step = (state) => {
  const action = decide(state, state.opening!.settings.limits, state.atMs);
  if (action.do !== "block") throw new Error(`it decides ${action.do}`);
  return decisionEvent(action);
};
export const cancelled = (): EventBody => ({
  type: "relay.cancelled",
  by: "person",
  reason: { rule: "person", asked: "give_up" },
});
export const cleared = (): EventBody => ({ type: "relay.cleared", by: "person" });

/** A whole Executor session, with its handoff. */
/** The journal so far came from another clone. */
export const pulled = (): EventBody => ({ type: "relay.pulled", remote: "origin" });

export const session = (reason: StopReason, more: Partial<EventOf<"session.ended">> = {}): Step[] => [
  executor,
  ended(reason, more),
  handoff,
];
export const worked = session("handed_over");
export const failed = session("failure", { progress: false });
export const stalled = session("handed_over", { progress: false });

/** An Executor session that submitted, up to the green checks. */
export const submitted: Step[] = [executor, ended("submitted"), requested(), checked("green")];
export const review = (verdict: "approve" | "request_changes"): Step[] => [
  reviewer,
  decided(verdict),
  ended("decided"),
];
export const noVerdict: Step[] = [reviewer, ended("no_verdict")];

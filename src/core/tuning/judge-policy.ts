/** How a policy does on recorded relays: what it gets right by the labels, what it wastes, what it costs. */
import type { RelayEvent } from "../journal/event.ts";
import type { Label, Truth } from "./labels.ts";
import { replay } from "../journal/state.ts";
import { outsideItsControl } from "../journal/counts.ts";
import type { WhatIf } from "./what-if.ts";

export const judgements = ["right", "too_early", "too_late", "unknown"] as const;
export type Judgement = (typeof judgements)[number];

/** One policy's column of the comparison. */
export type Score = {
  relays: number;
  /** Relays in which it decides something otherwise. */
  differing: number;
  labels: Record<Judgement, number>;
  /** Put up for review when the work was not done. */
  prematureExits: number;
  /** Sessions that it would have run for certain: up to its first decision that differs. */
  sessions: number;
  /** Of these, Executor sessions without progress. */
  wastedSessions: number;
  costUsd: number;
};

export type Judged = { events: readonly RelayEvent[]; labels: readonly Label[]; whatIf: WhatIf };

export function scorePolicy(relays: readonly Judged[]): Score {
  const judged = relays.flatMap(({ labels, whatIf }) =>
    labels.map((label) => ({ label, judgement: judge(label, whatIf) })),
  );
  const played = relays.flatMap(({ events, whatIf }) => sessionsUntil(events, whatIf));
  const count = (judgement: Judgement): number => judged.filter((one) => one.judgement === judgement).length;
  return {
    relays: relays.length,
    differing: relays.filter(({ whatIf }) => whatIf.differs !== null).length,
    labels: {
      right: count("right"),
      too_early: count("too_early"),
      too_late: count("too_late"),
      unknown: count("unknown"),
    },
    prematureExits: judged.filter(
      ({ label, judgement }) => label.truth === "not_done" && judgement === "too_early",
    ).length,
    sessions: played.length,
    wastedSessions: played.filter(
      (session) =>
        session.role === "executor" && session.ended?.progress === false && !outsideItsControl(session),
    ).length,
    costUsd: played.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
  };
}

/** Whether the policy does at a label's session what turned out to be right. */
export function judge({ session, truth }: Label, { compared, differs }: WhatIf): Judgement {
  const stopped = differs !== null && isStop(differs.would) ? differs.session : Infinity;
  if (truth === "stop" && stopped <= session) return "right";
  if (truth === "go_on" && stopped <= session) return "too_early";
  if (differs !== null && differs.session < session) return "unknown";
  const at = compared.filter((one) => one.session === session);
  if (truth === "stop") return at.some(({ would }) => isStop(would)) ? "right" : "too_late";
  if (truth === "go_on") return at.some(({ would }) => isStop(would)) ? "too_early" : "right";
  return byExit(
    truth,
    at.some(({ would }) => would === "submit"),
  );
}

function byExit(truth: Truth, submits: boolean): Judgement {
  if (truth === "done") return submits ? "right" : "too_late";
  return submits ? "too_early" : "right";
}

function isStop(choice: string): boolean {
  return choice === "open_breaker" || choice === "ask";
}

function sessionsUntil(events: readonly RelayEvent[], { differs }: WhatIf) {
  return replay(events).sessions.filter(({ session }) => session <= (differs?.session ?? Infinity));
}

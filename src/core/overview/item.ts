/** An item of the overview: an issue or a relay, and the group that says what it needs. */
import type { Hint } from "../error/hint-schema.ts";
import type { Current } from "../report/current.ts";
import type { SessionReport } from "../report/report.ts";

export type Group = "needs_you" | "working" | "waiting" | "done" | "not_begun";

/** The groups in the order in which a person deals with them. */
const groups = {
  question: "needs_you",
  approval: "needs_you",
  pull_review: "needs_you",
  stuck: "needs_you",
  frozen: "needs_you",
  cut_off: "needs_you",
  idle: "needs_you",
  unreadable: "needs_you",
  left: "needs_you",
  paused: "needs_you",
  working: "working",
  waiting: "waiting",
  pull_request: "waiting",
  merged: "done",
  taken_over: "done",
  closed: "done",
  cancelled: "done",
  misled: "not_begun",
  ready: "not_begun",
  held: "not_begun",
  put_off: "not_begun",
} as const satisfies Record<string, Group>;

export type Kind = keyof typeof groups;
export const kinds: readonly Kind[] = Object.keys(groups).filter((kind): kind is Kind => kind in groups);

export function groupOf(kind: Kind): Group {
  return groups[kind];
}

/** The reason for an item's group: the relay's reason, or the ids that the issue waits for. */
export type Why =
  | { because: string; rule: string | null }
  | { waitsFor: readonly string[]; how: "open" | "dropped" | "unknown" | "circle" }
  | { waitsFor: readonly [] }
  /** The branch of a person's session that handed over, before any relay took it up. */
  | { handedOver: string };

export type Item = {
  id: string;
  title: string;
  kind: Kind;
  group: Group;
  why: Why;
  hint: Hint;
  priority: string | null;
  /** The time of the last event of its relay. */
  sinceMs: number | null;
  untilMs: number | null;
  /** Whether that event came after this person's last look. */
  fresh: boolean;
  /** The session that runs. */
  running: Running | null;
  /** The last session, whether it runs or not. */
  last: Last | null;
  /** The cost of its sessions; null if none reported one. */
  costUsd: number | null;
  /** The address of the pull request that it waits for. */
  pullRequest: string | null;
};

export type Running = Omit<Current, "processAlive" | "stoppedProcess">;
export type Last = Pick<
  SessionReport,
  "session" | "role" | "agent" | "reason" | "contextTokens" | "windowTokens" | "durationMs"
>;

/** What an item of an issue without a relay has. */
export const unbegun = {
  priority: null,
  sinceMs: null,
  untilMs: null,
  fresh: false,
  running: null,
  last: null,
  costUsd: null,
  pullRequest: null,
};

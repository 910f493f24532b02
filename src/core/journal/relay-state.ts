/** What a relay is at one moment: all that its issue has seen, and what its last opening has come to. */
import type { EventOf } from "./event.ts";
import type { Role } from "../settings/agent-kinds.ts";
import type { Hint } from "../error/hint-schema.ts";
import type { BlockReason, BlockRule } from "../reason/block-schema.ts";
import type { TurningPoint } from "../reason/conversation-schema.ts";
import type { Reason } from "../reason/reason-schema.ts";
import type { Suspension } from "./account.ts";
import type { Trial } from "../trial/trial-schema.ts";
import type { Inspection } from "../review/inspection-schema.ts";

export type SessionRecord = {
  session: number;
  role: Role;
  agent: string;
  startedAtMs: number;
  /** Sequence number of its session.started: the fence at everything that the session may still touch. */
  fence: number;
  started: EventOf<"session.started">;
  agentSessionId?: string;
  /** Its agent told more than one id. */
  renamed?: true;
  contextTokens?: number;
  windowTokens?: number;
  costUsd?: number;
  tokens?: number;
  extendedMinutes: number;
  ended?: EventOf<"session.ended"> & { atMs: number };
  handoff?: EventOf<"handoff.recorded">;
  checks?: EventOf<"checks.ran">;
  scored?: EventOf<"signal.scored">;
  /** What it asked a person last. */
  asked?: string;
  /** Its submit was taken up: requested or refused. */
  submissionSettled?: boolean;
};

export type SubmissionRecord = {
  submission: number;
  head: string;
  tree: string;
  by: EventOf<"submission.requested">["by"];
  session?: number | undefined;
  /** The last session of this opening before it; 0 where there was none. */
  sessionsThen: number;
  tampered: string[];
  /** Protected paths and weakenings in its diff, where there are any. */
  inspection?: Inspection;
  checks?: EventOf<"checks.ran">;
  /** What came of putting its tests to the test. */
  trial?: Trial;
  mergeChecks?: EventOf<"checks.ran">;
  /** A Reviewer's verdict that is not weighed yet. */
  given?: EventOf<"review.given">;
  /** Verdicts on it that did not count, oldest first. */
  refusals: EventOf<"review.refused">[];
  /** All verdicts on it that counted; the last one is in force. */
  reviews: EventOf<"review.decided">[];
  review?: EventOf<"review.decided">;
  /** The base has moved since the approval, and brought what meets it. */
  questioned?: EventOf<"merge.questioned">;
  /** Approvals on the merged tree, `onto` a commit of the base; a person's are among the reviews, too. */
  confirmations: EventOf<"review.decided">[];
  /** What became of an approved one. */
  outcome?: "merged" | "conflicted" | "rejected" | "kept";
};

export type RelayState = {
  /** Sequence number of the last event; 0 for an empty journal. */
  seq: number;
  atMs: number;
  /** All sessions of the issue, those of earlier openings too: numbers never start again. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Ids of mailbox messages that are in the journal: a message is taken once. */
  messageIds: Set<string>;
  /** A new one takes the place of the one before as a whole. */
  opening?: Opening;
};

/** What the relay was opened with, the settings as they are in force now, and what has come of it. */
export type Opening = EventOf<"relay.opened"> & {
  atMs: number;
  /** Its own, the same records as in the history. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  sinceResume: SinceResume;
  handoff?: EventOf<"handoff.recorded">;
  /** A person's own session, before the first of the relay: what that begins with. */
  handedOver?: EventOf<"person.handed_over">;
  /** Why the next session begins a fresh conversation, whatever the settings say. */
  freshSince?: TurningPoint;
  /** The last question that nobody has answered. */
  question?: { session: number; text: string };
  /** What people have said to it, oldest first; `answerTo` is the question. */
  said: { text: string; answerTo?: string }[];
  /** Why the last submission was refused, until the next one: a session that was told may have died since. */
  refusal?: EventOf<"submission.refused">;
  /** What stands between an approved submission and the base branch, until the next submission. */
  mergeTrouble?: EventOf<"merge.conflicted"> | EventOf<"merge.rejected">;
  merge?: EventOf<"merge.prepared">;
  merged?: EventOf<"merge.done">;
  /** Its work is left on its branch; until more is asked for by its pull request, where there is one. */
  finished?: EventOf<"relay.finished">;
  /** The pull request that was opened for it. */
  pullRequest?: PullRequest;
  /** The breaker's last change, and its number in the journal; closed where there is none. */
  breaker?: EventOf<"breaker.changed"> & { seq: number };
  halted?: { hint: Hint } & (
    | { phase: "paused" | "cancelled"; reason: Reason }
    | { phase: "blocked"; reason: BlockReason }
  );
  /** The block that a person last resumed from: met again, it has been tried again in vain. */
  resumedFrom?: BlockRule;
  cleared: boolean;
};

/** With what was last left in it, and what was last seen of it since. */
export type PullRequest = {
  url: string;
  submission: number;
  commit: string;
  seen?: EventOf<"pull_request.seen">;
};

/** What counts against limits and keeps sessions from starting. A person's resume forgives it: it begins anew. */
export type SinceResume = {
  /** When that was; 0 where nobody has resumed it. */
  atMs: number;
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Submits of these sessions that were refused since the last one that was taken up, oldest first. */
  refusals: EventOf<"submission.refused">[];
  mergeRepairs: number;
  /** A person's submission whose checks failed, until they submit again, or give a verdict. */
  redByHand?: number;
  /** The back-off after failures, or a rate limit. */
  wait: { untilMs: number; reason: Reason };
  /** Accounts that cannot be used, by name: a usage limit, or no login. */
  suspended: Map<string, Suspension>;
};

/** Before anything has happened. */
export const emptyState = (): RelayState => ({
  seq: 0,
  atMs: 0,
  sessions: [],
  submissions: [],
  messageIds: new Set(),
});

/** The state of a relay: the history of its issue, and its last opening. */
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
  /** Another clone recorded it, in a journal that was pulled. */
  elsewhere?: true;
  /** The sequence number of its session.started; it fences off everything that the session may still write. */
  fence: number;
  started: EventOf<"session.started">;
  agentSessionId?: string;
  /** As the agent reported it. */
  model?: string;
  /** The agent reported more than one id. */
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
  /** The session's last question. */
  asked?: string;
  /** The session's submit was requested or refused. */
  submissionSettled?: boolean;
};

export type SubmissionRecord = {
  submission: number;
  head: string;
  tree: string;
  by: EventOf<"submission.requested">["by"];
  session?: number | undefined;
  /** The number of the last session of this opening before it; 0 if there was none. */
  sessionsThen: number;
  tampered: string[];
  /** The protected paths and weakenings in its diff, if any. */
  inspection?: Inspection;
  checks?: EventOf<"checks.ran">;
  /** The result of the trial of its tests. */
  trial?: Trial;
  mergeChecks?: EventOf<"checks.ran">;
  /** A Reviewer's verdict that is still to be weighed. */
  given?: EventOf<"review.given">;
  /** Refused verdicts on it, oldest first. */
  refusals: EventOf<"review.refused">[];
  /** All verdicts on it that counted; the last one is in force. */
  reviews: EventOf<"review.decided">[];
  review?: EventOf<"review.decided">;
  /** Set when the base has moved since the approval with changes that meet the submission. */
  questioned?: EventOf<"merge.questioned">;
  /** Approvals of the merged tree, `onto` a commit of the base; a person's are among the reviews, too. */
  confirmations: EventOf<"review.decided">[];
  /** The fate of an approved submission. */
  outcome?: "merged" | "conflicted" | "rejected" | "kept";
};

export type RelayState = {
  /** The sequence number of the last event; 0 for an empty journal. */
  seq: number;
  atMs: number;
  /** All sessions of the issue, including those of earlier openings: numbers never restart. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Ids of mailbox messages in the journal: a message is taken once. */
  messageIds: Set<string>;
  /** The current opening; a new one replaces it whole. */
  opening?: Opening;
};

/** An opening: its own event, the settings now in force, and everything since. */
export type Opening = EventOf<"relay.opened"> & {
  atMs: number;
  /** The sessions of this opening, the same records as in the history. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  sinceResume: SinceResume;
  /** How the set-up and the checks ended on the base before the first session. */
  baseline?: EventOf<"baseline.ran">;
  handoff?: EventOf<"handoff.recorded">;
  /** The handover of a person's own session, or of another clone, with which the next session begins. */
  handedOver?: EventOf<"person.handed_over"> & { sessionsThen: number };
  /** The event since which a continued conversation is ruled out, whatever the settings say. */
  freshSince?: TurningPoint;
  /** The last unanswered question. */
  question?: { session: number; text: string };
  /** Messages of people, oldest first; `answerTo` is the question. */
  said: { text: string; answerTo?: string }[];
  /** The last message from elsewhere that was not taken. */
  refusedLetter?: EventOf<"letter.refused">;
  /** The last refused submission, kept until the next one: the session that was told may have died. */
  refusal?: EventOf<"submission.refused">;
  /** The obstacle between an approved submission and the base branch, until the next submission. */
  mergeTrouble?: EventOf<"merge.conflicted"> | EventOf<"merge.rejected">;
  merge?: EventOf<"merge.prepared">;
  merged?: EventOf<"merge.done">;
  /** Set once the work is left on its branch, until its pull request (if any) asks for more. */
  finished?: EventOf<"relay.finished">;
  /** The pull request of this opening. */
  pullRequest?: PullRequest;
  /** The breaker's last change with its sequence number; undefined means closed. */
  breaker?: EventOf<"breaker.changed"> & { seq: number };
  halted?: { hint: Hint } & (
    | { phase: "paused" | "cancelled"; reason: Reason }
    | { phase: "blocked"; reason: BlockReason }
  );
  /** The block from which a person last resumed: if it occurs again unchanged, the retry was in vain. */
  resumedFrom?: BlockRule;
  /** Whether a person has said something or changed a setting since the last block. */
  changed?: true;
  cleared: boolean;
  /** The remote from which the journal up to here was pulled: nobody here has checked it. */
  pulled?: string;
};

/** A pull request, with the submission that was last pushed to it and the last look at it. */
export type PullRequest = {
  url: string;
  submission: number;
  commit: string;
  seen?: EventOf<"pull_request.seen">;
};

/** Counts and waits that a person's resume resets. */
export type SinceResume = {
  /** The time of the resume; 0 if nobody has resumed. */
  atMs: number;
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Submits of these sessions that were refused since the last accepted one, oldest first. */
  refusals: EventOf<"submission.refused">[];
  mergeRepairs: number;
  /** A person's submission whose checks failed, until they submit again or give a verdict. */
  redByHand?: number;
  /** The back-off after failures, or the wait for a rate limit. */
  wait: { untilMs: number; reason: Reason };
  /** Suspended accounts by name: a usage limit, or no login. */
  suspended: Map<string, Suspension>;
};

/** The state of an empty journal. */
export const emptyState = (): RelayState => ({
  seq: 0,
  atMs: 0,
  sessions: [],
  submissions: [],
  messageIds: new Set(),
});

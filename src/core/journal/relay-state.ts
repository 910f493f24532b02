/** What a relay is at one moment: its sessions, its submissions, and what stands open. */
import type { EventOf } from "./event.ts";
import type { Role } from "../settings/roles.ts";
import type { BlockRule, Hint } from "./hint-schema.ts";
import type { Suspension } from "./account.ts";
import type { Inspection } from "../review/inspection-schema.ts";
import type { PresetChoice } from "../settings/presets.ts";
import type { Settings } from "../settings/settings.ts";

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
  /** How many sessions there were when it was requested. */
  sessionsThen: number;
  tampered: string[];
  /** Protected paths and weakenings in its diff, where there are any. */
  inspection?: Inspection;
  checks?: EventOf<"checks.ran">;
  mergeChecks?: EventOf<"checks.ran">;
  /** A Reviewer's verdict that is not weighed yet. */
  given?: EventOf<"review.given">;
  /** Verdicts on it that did not count, oldest first. */
  refusals: EventOf<"review.refused">[];
  /** All verdicts on it that counted; the last one is in force. */
  reviews: EventOf<"review.decided">[];
  review?: EventOf<"review.decided">;
  /** What became of an approved one. */
  outcome?: "merged" | "conflicted" | "rejected" | "kept";
};

export type RelayState = {
  /** Sequence number of the last event; 0 for an empty journal. */
  seq: number;
  atMs: number;
  opened?: EventOf<"relay.opened"> & { atMs: number };
  settings?: Settings;
  settingsSha256?: string;
  /** Where each setting was written, by its key, and the policy file of the command line. */
  origins?: Readonly<Record<string, string>>;
  policy?: string;
  /** What `preset: auto` chose for this relay; it stays. */
  preset?: PresetChoice;
  /** All sessions of the issue, those of earlier openings too: numbers never start again. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Sessions and submissions up to these numbers belong to an earlier opening. */
  sessionsBefore: number;
  submissionsBefore: number;
  /** Session numbers up to this one no longer count against limits: a person has resumed since. */
  forgivenUpTo: number;
  /** The same for rounds of requested changes: submissions up to this one. */
  roundsForgivenUpTo: number;
  handoff?: EventOf<"handoff.recorded">;
  /** Why the next session begins a fresh conversation, whatever the settings say. */
  freshBecause?: string;
  /** The last question that nobody has answered. */
  question?: { session: number; text: string };
  /** What people have said to it, oldest first; `answerTo` is the question. */
  said: { text: string; answerTo?: string }[];
  /** Why the last submission was refused, until the next one: a session that was told may have died since. */
  refusal?: EventOf<"submission.refused">;
  /** All sessions' submits that were refused since the last one that was taken up, oldest first. */
  refusals: EventOf<"submission.refused">[];
  /** A person's submission whose checks failed, until they resume, submit again, or give a verdict. */
  redByHand?: number;
  /** What stands between an approved submission and the base branch, until the next submission. */
  mergeTrouble?: EventOf<"merge.conflicted"> | EventOf<"merge.rejected">;
  mergeRepairs: number;
  merge?: EventOf<"merge.prepared">;
  merged?: EventOf<"merge.done">;
  /** A loop that left its work on its branch. */
  finished?: EventOf<"relay.finished">;
  /** The breaker's last change, and its number in the journal; closed where there is none. */
  breaker?: EventOf<"breaker.changed"> & { seq: number };
  /** The back-off after failures, or a rate limit. */
  waitUntilMs: number;
  waitBecause: string;
  /** Accounts that cannot be used, by name: a usage limit, or no login. */
  suspended: Map<string, Suspension>;
  /** When a person last resumed it; suspensions from before are forgotten. */
  resumedAtMs: number;
  halted?: { because: string; hint: Hint } & (
    | { phase: "paused" | "cancelled" }
    | { phase: "blocked"; rule: BlockRule }
  );
  /** The block that a person last resumed from: met again, it has been tried again in vain. */
  resumedFrom?: BlockRule;
  cleared: boolean;
  /** Ids of mailbox messages that are in the journal: a message is taken once. */
  messageIds: Set<string>;
};

/** Escapes: merges that turned out to be wrong, and what had let them through: kinds of evidence, Reviewers, gates. */
import type { EventOf, RelayEvent } from "../journal/event.ts";
import type { RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { recordedHere, replay } from "../journal/state.ts";
import { escapeDays, shareMergesMin } from "../limits.ts";
import { t } from "../language/translate.ts";

/** A commit of a branch. */
export type BaseCommit = { commit: string; base: string; atMs: number; message: string };
/** An issue of type fix that was neither cancelled nor made from a review's findings. */
export type Fix = { id: string; createdAtMs: number; related: readonly string[] };

/** `by`: the commit, the issue, or the person's words. */
export type Escape = { how: "reverted" | "reopened" | "repaired" | "marked"; by: string; atMs: number };

export type Merge = {
  issue: string;
  submission: number;
  commit: string;
  atMs: number;
  /** The rules by which the evidence counted. */
  evidence: string[];
  /** Who approved, without people. */
  reviewers: { agent: string; model?: string }[];
  /** Whose approval decided. */
  gate: "reviewer" | "person";
  escapes: Escape[];
};

/** What may say of a merge that it was wrong; the commits begin with the newest. */
export type Later = { commits: readonly BaseCommit[]; fixes: readonly Fix[] };

/** The merges of a journal that this clone recorded. A person's mark counts whenever it was set; all else within the days after the merge. */
export function mergesIn(all: readonly RelayEvent[], { commits, fixes }: Later): Merge[] {
  const events = recordedHere(all);
  return events.flatMap((event, at) => {
    if (event.type !== "merge.done") return [];
    const state = replay(events.slice(0, at + 1));
    const record = state.submissions.find(({ submission }) => submission === event.submission);
    if (!record || !state.opening) return [];
    const { issue, base } = state.opening;
    const isSoon = ({ atMs }: { atMs: number }): boolean =>
      atMs > event.atMs && atMs <= event.atMs + escapeDays * 24 * 3_600_000;
    const names = namesOf(state, record, event);
    const escapes = [
      ...commitsAfter(standing(commits.filter((one) => one.base === base)).filter(isSoon), { issue, names }),
      ...fixes.flatMap(({ id, createdAtMs: atMs, related }): Escape[] =>
        related.includes(issue) && isSoon({ atMs }) ? [{ how: "repaired", by: id, atMs }] : [],
      ),
      ...journalAfter(events.slice(at + 1), isSoon),
    ];
    const { submission, commit, atMs } = event;
    return [{ issue, submission, commit, atMs, ...groundsOf(state, record), escapes }];
  });
}

/** The commits that stand for the merge: its own, the submitted one, and those at which its sessions ended. */
function namesOf(
  { opening }: RelayState,
  { head }: SubmissionRecord,
  { commit }: EventOf<"merge.done">,
): string[] {
  const ends = opening!.sessions.flatMap(({ role, ended }) =>
    role === "executor" && ended && ended.commits > 0 ? [ended.head] : [],
  );
  return [...new Set([commit, head, ...ends])];
}

/** What git-revert writes. */
export const revertsPattern = /\bThis reverts commit ([0-9a-f]{7,64})\b/g;
/** The trailer of the Linux kernel's "Submitting patches". */
const fixesTrailer = /^Fixes: ([0-9a-f]{8,64})\b/gim;
/** The subject of a repair in Conventional Commits 1.0.0. */
const fixSubject = /^fix(?:\([^()\n]*\))?!?: /i;

const hashesIn = (message: string, pattern: RegExp): string[] =>
  [...message.matchAll(pattern)].map(([, hash = ""]) => hash.toLowerCase());

/** The commits that no later one reverts, but for those that were reverted themselves. */
function standing(commits: readonly BaseCommit[]): BaseCommit[] {
  const undone: string[] = [];
  return commits.filter(({ commit, message }) => {
    const stands = !undone.some((hash) => commit.startsWith(hash));
    if (stands) undone.push(...hashesIn(message, revertsPattern));
    return stands;
  });
}

/** Commits that revert the merge, or that repair it: by naming one of its commits, or its issue. */
function commitsAfter(
  commits: readonly BaseCommit[],
  { issue, names }: { issue: string; names: readonly string[] },
): Escape[] {
  const isMeant = (hash: string): boolean => names.some((name) => name.startsWith(hash));
  const namesIssue = new RegExp(`(?<![\\w-])${issue}(?![\\w-])`);
  return commits.flatMap(({ commit, atMs, message }): Escape[] => {
    if (names.includes(commit)) return [];
    if (hashesIn(message, revertsPattern).some(isMeant)) return [{ how: "reverted", by: commit, atMs }];
    const repairs =
      hashesIn(message, fixesTrailer).some(isMeant) || (fixSubject.test(message) && namesIssue.test(message));
    return repairs ? [{ how: "repaired", by: commit, atMs }] : [];
  });
}

/** What happened to the issue until its next merge. */
function journalAfter(events: readonly RelayEvent[], isSoon: (event: { atMs: number }) => boolean): Escape[] {
  const next = events.findIndex(({ type }) => type === "merge.done");
  return (next < 0 ? events : events.slice(0, next)).flatMap((event): Escape[] => {
    const { atMs } = event;
    if (event.type === "merge.escaped") return [{ how: "marked", by: event.text, atMs }];
    return event.type === "relay.opened" && isSoon(event) ? [{ how: "reopened", by: event.issue, atMs }] : [];
  });
}

function groundsOf(
  { sessions }: RelayState,
  { review, reviews }: SubmissionRecord,
): Pick<Merge, "evidence" | "reviewers" | "gate"> {
  const approvals = reviews.filter(({ by, verdict }) => by === "reviewer" && verdict === "approve");
  const evidence = approvals.flatMap(({ criteria = [] }) => criteria.flatMap(({ by }) => by ?? []));
  const reviewers = approvals.flatMap(({ session }) => {
    const record = sessions.find((one) => one.session === session);
    return record ? [reviewerOf(record)] : [];
  });
  return {
    evidence: [...new Set(evidence)],
    reviewers,
    gate: review?.by === "person" ? "person" : "reviewer",
  };
}

function reviewerOf({ agent, model }: Merge["reviewers"][0]): Merge["reviewers"][0] {
  return { agent, ...(model === undefined ? {} : { model }) };
}

const nameOf = ({ agent, model }: Merge["reviewers"][0]): string =>
  model === undefined ? agent : `${agent} (${model})`;

/** What became of the earlier merges of the Reviewer in a session. */
export function recordOf(
  reviewer: Merge["reviewers"][0],
  merges: readonly Merge[],
): { name: string; rate: Rate } {
  const name = nameOf(reviewer);
  return {
    name,
    rate: rateOf(merges.filter(({ reviewers }) => reviewers.some((one) => nameOf(one) === name))),
  };
}

/** Wilson's interval of a share, 95 %; all of it where nothing was counted. */
export type Interval = readonly [low: number, high: number];

/** `share` and `between` are null for too few merges. */
export type Rate = { merges: number; escaped: number; share: number | null; between: Interval | null };

export function rateOf(merges: readonly Merge[]): Rate {
  const escaped = merges.filter(({ escapes }) => escapes.length > 0).length;
  const isEnough = merges.length >= shareMergesMin;
  return {
    merges: merges.length,
    escaped,
    share: isEnough ? escaped / merges.length : null,
    between: isEnough ? intervalOf(escaped, merges.length) : null,
  };
}

const z = 1.96;

export function intervalOf(part: number, whole: number): Interval {
  if (whole === 0) return [0, 1];
  const share = part / whole;
  const spread = z * Math.sqrt((share * (1 - share)) / whole + z ** 2 / (4 * whole ** 2));
  const middle = share + z ** 2 / (2 * whole);
  const scale = 1 + z ** 2 / whole;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

/** The schema of `report --escapes --json`. */
export type Escapes = {
  since: string | null;
  all: Rate;
  by: Record<"evidence" | "reviewer" | "gate", (Rate & { name: string })[]>;
  /** The merges that escaped, the newest first. */
  escaped: Merge[];
};

/** The escapes of merges at `sinceMs` or later. A merge counts once for each kind of its evidence, and for each of its Reviewers. */
export function escapesOf(all: readonly Merge[], sinceMs = 0): Escapes {
  const merges = all.filter(({ atMs }) => atMs >= sinceMs);
  const by = (keysOf: (merge: Merge) => readonly string[]): (Rate & { name: string })[] => {
    const names = [...new Set(merges.flatMap(keysOf))].toSorted();
    return names.map((name) => ({ name, ...rateOf(merges.filter((one) => keysOf(one).includes(name))) }));
  };
  return {
    since: sinceMs === 0 ? null : new Date(sinceMs).toISOString(),
    all: rateOf(merges),
    by: {
      evidence: by(({ evidence }) => (evidence.length > 0 ? evidence : ["none"])),
      reviewer: by(({ reviewers }) => (reviewers.length > 0 ? reviewers.map(nameOf) : ["none"])),
      gate: by(({ gate }) => [gate]),
    },
    escaped: merges.filter(({ escapes }) => escapes.length > 0).toSorted((a, b) => b.atMs - a.atMs),
  };
}

/** `2 of 40 merges escaped (5 %, 95 % interval 1–17 %)` */
export function rateWords({ merges, escaped, share, between }: Rate): string {
  const percent = (part: number): number => Math.round(part * 100);
  return share === null || between === null
    ? t`${escaped} of ${merges} merges escaped (fewer than ${shareMergesMin} merges: no share)`
    : t`${escaped} of ${merges} merges escaped (${percent(share)} %, 95 % interval ${percent(between[0])}–${percent(between[1])} %)`;
}

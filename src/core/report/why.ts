/** Why lines are there: who made them, and what the journal of their relay says of their file. */
import { bare } from "../handoff/carry-over.ts";
import { parseHandoff } from "../handoff/handoff.ts";
import { criteriaOf } from "../issue/contract.ts";
import { parseIssue } from "../issue/issue.ts";
import type { RelayEvent } from "../journal/event.ts";
import type { Opening, SessionRecord } from "../journal/relay-state.ts";
import { replay } from "../journal/state.ts";
import type { Criterion, Finding } from "../review/verdict-schema.ts";
import type { Hunk } from "../trial/changes.ts";
import type { TakenBack } from "../trial/trial-schema.ts";
import { withLater } from "../trial/trial-words.ts";
import type { Landing } from "./lineage.ts";

/** Consecutive lines of a file from one commit. `line` and `file` are their place there; `commit` is undefined for lines that are not committed. */
export type Blamed = {
  from: number;
  to: number;
  commit?: string;
  line: number;
  file: string;
  author: string;
  committedAtS: number;
  summary: string;
};

/** What a journal says of a file of a submission. */
export type Told = {
  criteria: (Criterion & { criterionText: string })[];
  decisions: { session: number; text: string }[];
  findings: Finding[];
  /** The changes of the file that were taken back, at their lines in the submission. */
  takenBack: TakenBack[];
};

type Lines = { from: number; to: number };
type Commit = { commit: string; author: string; summary: string };

/** The schema of `why --json`, one run of lines. */
export type Why = Lines &
  (
    | { by: "nobody" }
    /** `issue`: the relay in whose work the commit came. */
    | ({ by: "person"; issue?: string; submission?: number } & Commit)
    | ({
        by: "monoco";
        issue: string;
        title: string;
        /** Neither of what is not merged. */
        submission?: number;
        merge?: string;
        /** As the merge names them. */
        executor?: string;
        reviewer?: string;
        session?: { session: number; agent: string; model?: string };
      } & Commit &
        Partial<Told>)
  );

/** `told`: undefined where this repository has no journal of the relay. */
export type Origin = {
  landing?: Landing;
  made?: { issue: string; title: string; session: SessionRecord };
  told?: Told;
};

/** `heads` are the submitted commits that are here. */
export function whyOf(
  { from, to, commit, file, ...about }: Blamed,
  origin: Origin,
  heads: ReadonlySet<string>,
): Why {
  if (commit === undefined) return { from, to, by: "nobody" };
  const { author, summary } = about;
  const { landing, made, told } = origin;
  const who = { commit, author, summary };
  const relay = landing ?? made;
  if (!relay) return { from, to, by: "person", ...who };
  if (landing && !isMonocos({ commit, file }, landing, origin, heads))
    return { from, to, by: "person", issue: landing.issue, submission: landing.submission, ...who };
  const { issue, title } = relay;
  return {
    from,
    to,
    by: "monoco",
    issue,
    title,
    ...(landing && { submission: landing.submission, merge: landing.commit }),
    ...(landing?.executor === undefined ? {} : { executor: landing.executor }),
    ...(landing?.reviewer === undefined ? {} : { reviewer: landing.reviewer }),
    ...(made && { session: agentOf(made.session) }),
    ...who,
    ...told,
  };
}

function agentOf({ session, agent, model }: SessionRecord): {
  session: number;
  agent: string;
  model?: string;
} {
  return { session, agent, ...(model === undefined ? {} : { model }) };
}

/**
 * Whether a session made the commit. Without a journal, all that a submission brought counts. The landing's own commit closes the
 * issue and changes nothing else; where the submission is not here, the commit of a squash stands for it.
 */
function isMonocos(
  { commit, file }: { commit: string; file: string },
  landing: Landing,
  { made, told }: Origin,
  heads: ReadonlySet<string>,
): boolean {
  if (commit !== landing.commit) return made !== undefined || told === undefined;
  return !heads.has(landing.head) || file.slice(file.lastIndexOf("/") + 1).startsWith(landing.issue);
}

/** The opening of a submission, as it was when the next one began; undefined if the journal does not know the submission. */
export function openingOf(events: readonly RelayEvent[], submission: number): Opening | undefined {
  const requested = events.findIndex(
    (event) => event.type === "submission.requested" && event.submission === submission,
  );
  const next = events.findIndex((event, at) => at > requested && event.type === "relay.opened");
  return requested < 0 ? undefined : replay(next < 0 ? events : events.slice(0, next)).opening;
}

/** What the journal says of the file, by its paths then and now. */
export function toldOf(opening: Opening, submission: number, paths: readonly string[]): Told {
  const names = (text: string | undefined): boolean =>
    text !== undefined && paths.some((path) => namesPath(text, path));
  const isIt = (file: string | undefined): boolean => file !== undefined && paths.includes(file);
  const until = opening.submissions.filter((one) => one.submission <= submission);
  const record = until.at(-1)!;
  const verdict = record.reviews.findLast(({ by }) => by === "reviewer");
  const evidence = (verdict?.criteria ?? []).filter(({ file, command }) => isIt(file) || names(command));
  const texts = evidence.length > 0 ? textsOf(opening) : [];
  const findings = until
    .flatMap(({ reviews, refusals, confirmations }) => [...refusals, ...reviews, ...confirmations])
    .flatMap((review) => review.findings)
    .filter((one) => isIt(one.file) || names(one.title) || names(one.evidence.command));
  return {
    criteria: evidence.map((one) => ({ ...one, criterionText: texts[one.criterion - 1] ?? "" })),
    decisions: decisionsIn(opening.sessions, names),
    findings: [...new Map(findings.map((one) => [one.id, one])).values()],
    takenBack: withLater(
      record.trial?.takeBack.changes ?? [],
      record.reviews.flatMap(({ takenBack }) => takenBack ?? []),
    ).filter(({ file }) => isIt(file)),
  };
}

function textsOf({ contract }: Opening): string[] {
  return criteriaOf(parseIssue(contract.text, contract.path));
}

/** The decisions in handoffs that name the file, each where it was first written down. */
function decisionsIn(
  sessions: readonly SessionRecord[],
  names: (text: string) => boolean,
): Told["decisions"] {
  const first = new Map<string, Told["decisions"][0]>();
  for (const { session, handoff } of sessions) {
    if (!handoff || !names(handoff.text)) continue;
    for (const text of parseHandoff(handoff.text).decisions) {
      const key = bare(text);
      if (names(text) && !key.startsWith("~~") && !first.has(key)) first.set(key, { session, text });
    }
  }
  return [...first.values()];
}

/** Whether a word of the text is the path, or an end of it that begins at a folder: `price.ts`, `src/price.ts:12`. */
export function namesPath(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!text.includes(name)) return false;
  const words = text.split(/[^\p{L}\p{M}\p{N}_.@+~/\\-]+/u).map((word) => word.replace(/^\.\/|\.+$/g, ""));
  return words.some((word) => word === path || (word.includes(name) && `/${path}`.endsWith(`/${word}`)));
}

/** The changes that hold some of the lines, whole and at their place in the file as it is now; `since` leads there from the submission. */
export function guardsOf(
  takenBack: readonly TakenBack[],
  { from, to, file }: Lines & { file: string },
  since: readonly Hunk[],
): TakenBack[] {
  return takenBack.flatMap((one) => {
    const lines = Array.from({ length: one.lines }, (_, at) => lineNow(one.line + at, since) ?? []).flat();
    const [line, last] = [lines[0], lines.at(-1)];
    if (line === undefined || last === undefined || !lines.some((now) => now >= from && now <= to)) return [];
    return [{ ...one, file, line, lines: last - line + 1 }];
  });
}

/** The line's number after the hunks; undefined for a line that they removed. */
function lineNow(line: number, hunks: readonly Hunk[]): number | undefined {
  let shift = 0;
  for (const { before, after } of hunks) {
    // Git counts the line before a hunk without lines.
    const start = before.count === 0 ? before.line + 1 : before.line;
    if (line < start) break;
    if (line < start + before.count) return undefined;
    shift += after.count - before.count;
  }
  return line + shift;
}

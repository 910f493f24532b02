/** What came of a push or pull, a line for each relay and what to do next below it. */
import { notScanned } from "../core/carry/outcome.ts";
import type { Fork, Found, Kept, Outcome, Tip } from "../core/carry/outcome.ts";
import { counted } from "../core/language/counted.ts";
import { scanBytesMax } from "../core/carry/limits.ts";
import { t } from "../core/language/translate.ts";
import { short, timeOf } from "../core/text/figures.ts";
import { plainHint, plainLine } from "../core/text/sanitize.ts";
import { adviceWords } from "./hint.ts";

/** The remote, and the beginning of the refs' names there. */
type There = { remote: string; prefix: string };

export type Came = There & {
  outcomes: { issue: string; outcome: Outcome }[];
  notes: Outcome | undefined;
};

export function carriedLines({ outcomes, notes, ...there }: Came): string[] {
  if (outcomes.length === 0 && !notes) return [t`there are no relays to carry`];
  return [
    ...outcomes.flatMap(({ issue, outcome }) => linesOf(issue, outcome, there)),
    ...(notes ? linesOf(undefined, notes, there) : []),
  ];
}

/** `issue` is undefined for the notes. */
function linesOf(issue: string | undefined, outcome: Outcome, { remote, prefix }: There): string[] {
  const subject = issue ?? t`notes`;
  const line = (what: string): string => t`${subject}: ${what}`;
  const hint = (what: string): string => t`hint: ${what}`;
  const told = (what: string, advice: string): string[] => [line(what), hint(advice)];
  const again = t`monoco relay push ${issue ?? "--all"}`;
  switch (outcome.is) {
    case "up_to_date":
      return [line(t`up to date with ${remote} (${short(outcome.commit)})`)];
    case "pushed":
      return [line(t`pushed to ${remote}: ${counted(outcome.refs, "ref")}, head ${short(outcome.commit)}`)];
    case "pulled":
      return [line(t`pulled from ${remote}: head ${short(outcome.commit)}`), ...afterPull(outcome, issue)];
    case "ahead":
      return [line(aheadWords(outcome.kept, remote)), t`next: ${again}`];
    case "moved":
      return told(
        t`not pushed: ${remote} has what was not pulled here`,
        t`monoco relay pull ${issue ?? "--all"}, then push again`,
      );
    case "changed":
      return told(
        t`not joined with those of ${remote}: another git moves them here, or its lock is left behind`,
        t`run the same command again; if no git is at work, remove refs/notes/monoco.lock in the git folder first`,
      );
    case "diverged":
      return [
        line(forkWords(outcome.fork, remote)),
        ...tipLines(outcome.fork, remote),
        sidesHint(issue ?? "", prefix),
      ];
    case "running":
      return told(
        t`is being run here: nothing was changed`,
        t`monoco stop ${issue ?? ""} ends it with a handoff; then pull again`,
      );
    case "waits":
      return told(
        t`${plainLine(outcome.branch, 200)} is handed over here and waits for a relay: nothing was changed`,
        t`monoco resume ${issue ?? ""} takes it up, monoco relay clear ${issue ?? ""} forgets it; then pull again`,
      );
    case "absent":
      return told(
        t`there is no relay to carry`,
        t`monoco inbox shows those that wait here, git ls-remote ${remote} those that are there`,
      );
    case "failed":
      return [
        line(plainLine(outcome.said, 600)),
        ...(outcome.hint ? [hint(plainHint(adviceWords(outcome.hint)))] : []),
      ];
    case "secrets":
      return [
        line(secretWords(outcome.found)),
        ...outcome.found.map(foundWords),
        hint(secretsHint(outcome.found, `${again} --allow ${outcome.found[0]?.object ?? ""}`)),
      ];
    case "refused":
      return told(
        t`${remote} refused it: ${plainLine(outcome.said, 600)}`,
        t`fix what it says; a host that takes branches only needs remote: { namespace: heads } in monoco.yaml`,
      );
    case "unreachable":
      return told(
        t`${remote} did not take it: ${plainLine(outcome.said, 600)}`,
        t`git ls-remote ${remote} shows whether it is the network or the login; then ${again}`,
      );
  }
}

function aheadWords(kept: readonly Kept[], remote: string): string {
  if (kept.length === 0) return t`has what ${remote} has, and more`;
  const names = kept.map(({ commit, ref }) => t`${short(commit)} as ${ref}`).join(t`, `);
  return t`goes on from here; the next push keeps ${names} on ${remote}`;
}

function forkWords(fork: Fork | undefined, remote: string): string {
  if (!fork) return t`went on here and on ${remote}, each with events of its own; nothing was changed`;
  return fork.from === undefined
    ? t`went on here and on ${remote}, without a common commit; nothing was changed`
    : t`went on here and on ${remote} after ${short(fork.from)}; nothing was changed`;
}

function tipLines(fork: Fork | undefined, remote: string): string[] {
  return fork ? [tipWords(t`here`, fork.here), tipWords(remote, fork.there)] : [];
}

function tipWords(where: string, { commit, commits, by, atMs }: Tip): string {
  return t`  ${where}: ${counted(commits, "commit")} up to ${short(commit)}, by ${plainLine(by, 100)}, ${timeOf(atMs)}`;
}

function afterPull(
  { journal, begins, kept }: Extract<Outcome, { is: "pulled" }>,
  issue: string | undefined,
): string[] {
  return [
    ...kept.map(({ commit, ref }) => t`what was here, ${short(commit)}, is kept as ${ref}`),
    ...(journal
      ? [t`its journal is what others recorded: nobody here has checked what it says of reviews and merges`]
      : []),
    ...(begins ? [t`next: monoco resume ${issue ?? ""} goes on from it`] : []),
  ];
}

function secretWords(found: readonly Found[]): string {
  const secrets = found.filter(({ rule }) => rule !== notScanned).length;
  return secrets === 0
    ? t`not pushed: not all that would leave could be scanned for secrets`
    : t`not pushed: ${counted(secrets, "secret")} in what would leave`;
}

function foundWords(found: Found): string {
  const { rule, line, object } = found;
  const where = whereWords(found);
  if (rule === notScanned)
    return t`  ${where}: larger than ${scanBytesMax / 1_000_000} MB, not scanned (object ${object})`;
  return line === 0
    ? t`  ${where}: in its name: ${rule} (object ${object})`
    : t`  ${where}, line ${line}: ${rule} (object ${object})`;
}

function whereWords({ where, of }: Found): string {
  switch (of) {
    case "handoffs":
      return t`RALPH.md of session ${Number.parseInt(where, 10)}`;
    case "journal":
      return t`part ${Number(where)} of the journal`;
    case "notes":
      // Git puts many notes into folders.
      return t`the note of ${short(where.replaceAll("/", ""))}`;
    default:
      return plainLine(where, 300);
  }
}

/** Nothing is taken out of what was recorded. */
function secretsHint(found: readonly Found[], allow: string): string {
  return found.every(({ of }) => of)
    ? t`revoke what leaked; for what is revoked or no secret: ${allow}`
    : t`revoke what leaked, and take it out of the commits; for what is no secret: ${allow}`;
}

/** Both ways keep the other side under refs. */
function sidesHint(issue: string, prefix: string): string {
  return t`hint: monoco relay pull ${issue} --take theirs goes on from there, and refs/monoco/${issue}/earlier keeps what is here; --take mine goes on from here, and ${prefix}/${issue}/earlier keeps what is there`;
}

/** The demands of an open pull request: failed checks, and remarks of people with write access, each a finding once. */
import { pullFindingsMax } from "../limits.ts";
import type { RelayState } from "../journal/relay-state.ts";
import type { Finding } from "../review/verdict-schema.ts";
import { plainLine } from "../text/sanitize.ts";
import type { PullCheck, PullRequestLook, Remark } from "./look.ts";
import { t } from "../language/translate.ts";

/** The ids of findings that were taken from this pull requests before. */
export function takenIds({ submissions }: Pick<RelayState, "submissions">): ReadonlySet<string> {
  const taken = submissions.flatMap(({ reviews }) => reviews).filter(({ by }) => by === "pull_request");
  return new Set(taken.flatMap(({ findings }) => findings.map(({ id }) => id)));
}

/** Failed checks that are new. They wait until all checks have ended, so that one session sees them all. */
export function newlyRed({ head, checks }: PullRequestLook, taken: ReadonlySet<string>): PullCheck[] {
  if (checks.some(({ is }) => is === "pending")) return [];
  return checks.filter((check) => check.is === "red" && !taken.has(idOf(check, head)));
}

/** The new findings, the gravest first, at most as many as a session can handle; the others follow later. */
export function newFindings(look: PullRequestLook, taken: ReadonlySet<string>): Finding[] {
  const { head, remarks } = look;
  const remarked = remarks.filter(({ id, writes }) => writes && !taken.has(id));
  const order = ["blocker", "major", "minor"];
  return [
    ...newlyRed(look, taken).map((check) => findingOfCheck(check, head)),
    ...remarked.map(findingOfRemark),
  ]
    .toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity))
    .slice(0, pullFindingsMax);
}

/** The id of a failed check: on another commit it is another finding. */
function idOf({ name }: PullCheck, head: string): string {
  return `ci-${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}-${head.slice(0, 12)}`;
}

function findingOfCheck(check: PullCheck, head: string): Finding {
  const { name, says, url, log } = check;
  const summary = t`${says} in the pull request's checks, on ${head.slice(0, 12)}`;
  return {
    id: idOf(check, head),
    severity: "blocker",
    title: t`${name} fails`,
    evidence: { text: log ? t`${summary}; its log ends:\n${log}` : summary },
    from: url === undefined ? {} : { url },
    holds: true,
  };
}

const severities = { changes_requested: "blocker", on_a_line: "major", commented: "minor" } as const;

function findingOfRemark({ id, author, how, text, url, file, line }: Remark): Finding {
  return {
    id,
    severity: severities[how],
    title: plainLine(text.split("\n")[0] || t`${author} requests changes`),
    ...(file === undefined ? {} : { file, ...(line === undefined ? {} : { line }) }),
    evidence: { text: text || t`no words were given` },
    from: { author, ...(url === undefined ? {} : { url }) },
    holds: true,
  };
}

/** Sentences for blocks, and whether a run of the backlog may retry them. */
import { accountSettings, accountWords } from "./account-rows.ts";
import { amountWords, budgetWords } from "./amounts.ts";
import type { BudgetSpan } from "./amounts.ts";
import type { BlockReason } from "./block-schema.ts";
import { breakerSettings, breakerWords, failureFirst } from "./breaker-rows.ts";
import { counted } from "../language/counted.ts";
import { hidesWords } from "../home/home-files.ts";
import type { RowsOf } from "./row.ts";
import { t } from "../language/translate.ts";

/** Blocks that a retry would only reach again, at the price of more sessions. */
const hopeless: ReadonlySet<BlockReason["rule"]> = new Set([
  "evidence_unclear",
  "no_verdict",
  "finding_repeated",
  "refusal_repeated",
  "review_rounds",
  "red_rounds",
  "merge_failed",
  "breaker_open",
  "probes_max",
]);

/** Whether a run leaves the relay until a person has acted, instead of resuming it. */
export function isHopeless({ rule }: BlockReason): boolean {
  return hopeless.has(rule);
}

export const blockRows: RowsOf<BlockReason> = {
  question: {
    words: ({ session, text, answered }) =>
      answered ? t`its question is answered` : t`session ${session} asks: ${text}`,
    settings: ["limits.questionsMax"],
  },
  human_gate: {
    words: ({ submission, ...why }) =>
      t`submission ${submission} is approved by the Reviewer: ${gateWords(why)}`,
    settings: ({ criticality, protected: paths, tests, unguarded }) => [
      ...(criticality === undefined ? [] : [`gates.${criticality}`]),
      ...(paths ? ["gates.protected"] : []),
      ...(tests ? ["review.crossing"] : []),
      ...(unguarded ? ["review.testsOnBase"] : []),
    ],
  },
  checks_failed: {
    words: ({ submission, failed }) =>
      t`submission ${submission} by a person fails its checks: ${failed.map(endedBy).join(", ")}`,
    settings: ["checks"],
  },
  evidence_unclear: {
    words: ({ submission, criteria, why }) =>
      criteria.length > 0
        ? t`what shows criterion ${criteria.join(", ")} of submission ${submission} is for you to say: ${why.join(t`; `)}`
        : t`the verdict on submission ${submission} is for you to decide: ${why.join(t`; `)}`,
  },
  no_verdict: {
    words: ({ submission, sessions }) =>
      sessions === 1
        ? t`another Reviewer session gave no verdict on submission ${submission}`
        : t`${sessions} Reviewer sessions gave no verdict on submission ${submission}`,
  },
  finding_repeated: {
    words: ({ finding, title, rounds }) =>
      failureFirst(title, t`finding ${finding} was raised in ${rounds} rounds`),
  },
  refusal_repeated: {
    words: ({ times, why }) => failureFirst(why, t`${times} submits in a row were refused for this reason`),
  },
  review_rounds: {
    words: ({ rounds, max, findings }) =>
      failureFirst(
        findings?.join(t`; `),
        t`${counted(rounds, "round")} of requested changes (reviewRoundsMax ${max})`,
      ),
    settings: ["limits.reviewRoundsMax"],
  },
  red_rounds: {
    words: ({ rounds, max, check }) =>
      failureFirst(
        check,
        t`${counted(rounds, "submission")} in a row with red checks (limits.redRoundsMax ${max})`,
      ),
    settings: ["limits.redRoundsMax", "breaker.sameErrorMax"],
  },
  merge_failed: {
    words: ({ times, paths, why }) => {
      const last = paths ? t`conflicts in ${paths.join(", ")}` : why;
      return failureFirst(last, t`the merge failed ${times} times`);
    },
  },
  sessions_max: {
    words: ({ sessions, max, check }) =>
      failureFirst(check, t`spent ${counted(sessions, "session")} (sessionsMax ${max})`),
    settings: ["limits.sessionsMax"],
  },
  breaker_open: {
    words: ({ by }) => breakerWords(by),
    settings: ({ by }) => ["breaker.coolDownMinutes", "breaker.reopen", ...breakerSettings(by)],
  },
  probes_max: {
    words: ({ probes, check }) =>
      failureFirst(check, t`${counted(probes, "session")} in a row got nowhere, each after a pause`),
    settings: ["breaker.probesMax"],
  },
  needs_person: {
    words: ({ accounts, of }) => t`${accounts.join(", ")} needs a person: ${accountWords(of)}`,
    settings: ({ of }) => accountSettings(of),
  },
  budget: {
    words: ({ span, unit, used, reserve, max }) => {
      const takes =
        used < max && unit !== "sessions" ? t`, and a session takes about ${amountWords[unit](reserve)}` : "";
      return spans[span](t`${budgetWords({ unit, used, max })}${takes} (budgets.${span}.${unit})`);
    },
    settings: ({ span, unit }) => [`budgets.${span}.${unit}`],
  },
  setup_failed: {
    words: ({ hidden, ...failed }) => t`setup failed: ${endedBy(failed)}` + hidesWords(hidden),
    settings: ["setup", "limits.setupMinutes"],
  },
  baseline: {
    words: ({ base, red, ignored = [], hidden, ...failed }) => {
      const how = red ? t`red on ${base}` : t`before any agent has worked, this cannot run on ${base}`;
      const lacks =
        ignored.length === 0
          ? ""
          : t`; git ignores ${ignored.join(", ")}, so a clone does not have it: make it by setup, or name it in cache`;
      return `${how}: ${endedBy(failed)}${lacks}${hidesWords(hidden)}`;
    },
    settings: ["baseline", "checks", "setup", "cache"],
  },
  unsigned: {
    words: ({ submission, said }) =>
      t`submission ${submission} is approved, and waits for your signature: ${said}`,
    settings: ["signing"],
  },
  base_gone: { words: ({ base }) => t`branch ${base} is gone` },
  base_rewritten: {
    words: ({ base, commit }) =>
      t`${base} was rewritten: it no longer has ${commit}, which the work rests on, and the merge would bring that back`,
  },
  base_held: {
    words: ({ base, worktree, said }) =>
      t`the merge is ready, but ${worktree} has ${base} checked out and ${said}`,
  },
  base_stuck: { words: ({ base, said }) => t`the merge is ready, but ${base} cannot be moved: ${said}` },
  base_moving: {
    words: ({ base, times, submission }) =>
      t`${base} moved ${times} times while submission ${submission} was being merged`,
  },
  issue_closed: {
    words: ({ path, base, status, solution }) =>
      t`${path} is ${[status, solution].filter(Boolean).join(", ")} on ${base} since the relay opened`,
  },
  issue_changed: {
    words: ({ path, base, changes }) =>
      changes.length === 0
        ? t`${path} is no longer on ${base}`
        : t`${path} has changed on ${base} since the relay opened: ${changes.join(", ")}`,
  },
  issue_broken: { words: ({ path, base, said }) => t`${path} on ${base} cannot be closed: ${said}` },
  branch_ahead: { words: ({ branch }) => t`branch ${branch} has commits that were not submitted` },
  branch_held: {
    words: ({ branch, worktree, strategy, said }) => {
      if (strategy !== undefined)
        return t`${worktree} has ${branch} checked out, and ${strategy} makes its commits anew`;
      const where = worktree === undefined ? "" : t`${worktree} has it checked out and `;
      return t`${branch} cannot be moved: ${where}${said}`;
    },
  },
  branch_moved: { words: ({ branch }) => t`${branch} was moved just now` },
  branch_stuck: { words: ({ branch, said }) => t`${branch} cannot be set: ${said}` },
  pull_request_ahead: {
    words: ({ branch, remote, url }) =>
      t`somebody else has pushed to ${branch} on ${remote}, the branch of its pull request ${url}`,
  },
  push_failed: { words: ({ branch, remote, said }) => t`${branch} cannot be pushed to ${remote}: ${said}` },
};

type Failed = Pick<
  Extract<BlockReason, { rule: "setup_failed" }>,
  "command" | "exitCode" | "timedOut" | "last"
>;

function endedBy({ command, exitCode, timedOut, last }: Failed): string {
  const how = exitCode === null ? t`exit status none` : t`exit status ${exitCode}`;
  const words = last === undefined ? "" : `: ${last}`;
  return t`${command} (${timedOut ? t`timed out` : how})` + words;
}

const spans: Readonly<Record<BudgetSpan, (amount: string) => string>> = {
  relay: (amount) => t`the relay has used ${amount}`,
  run: (amount) => t`this run has used ${amount}`,
  day: (amount) => t`the last 24 hours have used ${amount}`,
};

type GateReason = Extract<BlockReason, { rule: "human_gate" }>;

function gateWords({
  criticality,
  criteria,
  protected: paths,
  tests,
  notCrossed,
  unguarded,
  findings,
}: Omit<GateReason, "rule" | "submission">): string {
  if (criteria) return t`the Reviewer could not verify criterion ${criteria.join(", ")}: a person has to`;
  if (findings)
    return t`the command of finding ${findings.join(", ")} ends otherwise only while a new file is there that nothing names: a person has to judge whether that resolves it`;
  if (tests) return t`it breaks tests of the base (${tests.join(", ")}): a person has to approve, too`;
  if (notCrossed) return t`the base's tests could not be run on it: a person has to approve, too`;
  if (unguarded)
    return t`no test guards it, and one command is all that shows it: a person has to approve, too`;
  if (!paths) return t`a person has to approve, too (gates.${criticality} human)`;
  const some = paths.slice(0, 5).join(", ");
  return t`a person has to approve, too: it changes ${some}${paths.length > 5 ? ", …" : ""} (gates.protected human)`;
}

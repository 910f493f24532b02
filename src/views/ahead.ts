/** A preview of a run, for a person to read before it. */
import type { Budgets } from "../core/settings/budget-schema.ts";
import { plainHint, plainLine } from "../core/text/sanitize.ts";
import { behindRemedy, behindWords } from "../core/relay/behind.ts";
import type { Behind } from "../core/relay/behind.ts";
import type { BaselineSeen } from "../core/relay/baseline.ts";
import { hiddenWords, lentWords, refusedWords, showsWords } from "../core/home/home-files.ts";
import type { HomeAhead } from "../core/home/home-files.ts";
import { short } from "../core/text/figures.ts";
import { leaves, valueAt } from "../core/settings/values.ts";
import { adviceWords } from "./hint.ts";
import { tableLines } from "./table.ts";
import { paint } from "./paint.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

/** `goesOn` is the phase of the issue's open relay. */
export type InOrder = {
  id: string;
  title: string;
  criticality: string | null;
  after: string[];
  goesOn: string | null;
  /** The reason for which an open pull request waits: the run looks at it. */
  waits: string | null;
  /** A person approves the work, by the gate of its criticality. */
  approval: boolean;
};

/** The schema of `run --dry-run --json`, which also has the agents of `agent list --json`. */
export type Ahead = {
  base: string;
  /** Relays at once. */
  jobs: number;
  order: InOrder[];
  refused: { id: string; because: string; hint: string | null }[];
  /** Issues that would not begin, because of a refused one. */
  waiting: { id: string; waitsFor: string[] }[];
  policy: string | null;
  sessionsMax: number;
  budgets: Budgets;
  /** How set-up and checks ended on the base; null if there are none. */
  baseline: BaselineSeen | null;
  /** The commits of its upstream that the base lacks, as last fetched. */
  behind: Behind | null;
  /** A change of protected paths also waits for a person. */
  protectedToo: boolean;
} & HomeAhead;

export function renderAhead(ahead: Ahead, agents: readonly string[]): string {
  const { order, refused, waiting, base, jobs } = ahead;
  const rows = order.map((issue, index) => [
    `${index + 1}`.padStart(3),
    { text: issue.id, tone: "bold" } as const,
    plainLine(issue.title, 40),
    notesOf(issue),
  ]);
  const not = [
    ...refused.flatMap(({ id, because, hint }) => [
      `  ${id}  ${plainLine(because, 600)}`,
      ...(hint === null ? [] : [`  ${" ".repeat(id.length)}  ${plainHint(hint)}`]),
    ]),
    ...waiting.map(({ id, waitsFor }) => `  ${id}  ${t`waits for ${waitsFor.join(", ")}`}`),
  ];
  const lines = [
    paint(
      "bold",
      order.length === 0 ? t`nothing would run on ${base}` : t`would run on ${base}, ${jobs} at once:`,
    ),
    ...tableLines(rows),
    ...(not.length === 0
      ? []
      : [paint("bold", t`would not be begun:`), ...not.map((line) => paint("plain", line))]),
    paint("bold", t`agents:`),
    ...agents.map((line) => `  ${line}`),
    ...(ahead.behind
      ? [t`base       ${behindWords(ahead.behind)}: ${adviceWords(behindRemedy(ahead.behind))}`]
      : []),
    ...(ahead.baseline ? [t`baseline   ${baselineWords(ahead.baseline)}`] : []),
    ...ahead.hidden.map((one) => t`hidden     ${hiddenWords(one)}: ${showsWords([one.path])}`),
    ...ahead.fallbacks.map((one) => t`refused    ${refusedWords(one)}: ${adviceWords(one.hint)}`),
    ...ahead.profiles.map((one) => t`login      ${lentWords(one)}`),
    budgetLine(ahead),
    t`approvals  ${approvalWords(ahead)}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function notesOf({ after, goesOn, waits, approval, criticality }: InOrder): string {
  return [
    ...(goesOn === null
      ? []
      : [
          waits === null
            ? t`goes on (${named(goesOn)})`
            : t`goes on (${named(goesOn)}): ${plainLine(waits, 400)}`,
        ]),
    ...(after.length === 0 ? [] : [t`after ${after.join(", ")}`]),
    ...(approval ? [t`a person approves (${criticality ?? "medium"})`] : []),
  ].join("; ");
}

/** The budgets, each by its key in monoco.yaml. */
function budgetLine({ policy, sessionsMax, budgets }: Ahead): string {
  const set = leaves(budgets).map((path) => `${path.join(".")} ${String(valueAt(budgets, path))}`);
  const prefix = policy === null ? "" : `${plainLine(policy)}: `;
  const limits = set.length === 0 ? t`no budget is set` : set.join(", ");
  return t`budgets    ${prefix}${limits}; at most ${sessionsMax} sessions a relay`;
}

function approvalWords({ order, protectedToo }: Ahead): string {
  const waits = order.filter(({ approval }) => approval).length;
  const gated = t`${waits === 0 ? named("none") : waits} of ${order.length} will wait for a person by criticality`;
  return protectedToo
    ? t`${gated}; what changes protected paths will, too, which cannot be known ahead`
    : gated;
}

export function baselineWords({ base, commit, is, failed }: BaselineSeen): string {
  const at = `${base} (${short(commit)})`;
  const how = plainLine(failed.join("; "), 600);
  if (is === "off") return t`none: set-up and checks do not run on the base`;
  if (is === "green") return t`green on ${at}`;
  if (is === "red") return t`red on ${at}, and the same failures count against nobody: ${how}`;
  if (is === "cannot_run") return t`cannot run on ${at}, so no session starts: ${how}`;
  return t`not measured on ${at}: set-up and checks run there once, before the first session`;
}

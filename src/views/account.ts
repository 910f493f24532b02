/** Accounts of relays as Markdown, for a chat or a pull request: nothing that others wrote takes effect there. */
import type { Account } from "../core/report/account.ts";
import type { Criterion } from "../core/review/verdict-schema.ts";
import { counted } from "../core/language/counted.ts";
import { seconds, short } from "../core/text/figures.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { t } from "../core/language/translate.ts";

export type Accounts = { accounts: readonly Account[]; sinceMs: number | null; madeAtMs: number };

export function accountsMarkdown({ accounts, sinceMs, madeAtMs }: Accounts): string {
  const merged = accounts.filter(({ mergedAs }) => mergedAs !== null).length;
  const since = sinceMs === null ? "" : t` with something new since ${dateWords(sinceMs)}`;
  const head = `# ${counted(accounts.length, "relay")}${since}, ${merged} merged\n\n${spentWords(totalOf(accounts))}. Made ${dateWords(madeAtMs)}.`;
  return `${[...(accounts.length === 1 ? [] : [head]), ...accounts.map(oneMarkdown)].join("\n\n")}\n`;
}

function oneMarkdown(account: Account): string {
  const { issue, title, phase, because, objective, criteria, decided, undo } = account;
  const undone = undoCommand(undo);
  const parts = [
    `## ${issue}: ${words(title)}`,
    `**${phase}**: ${words(because)}. ${spentWords(account.spent)}.`,
    `### Asked\n\n${words(objective, 1_000) || t`The issue states no objective.`}`,
    t`### Evidence by criterion\n\n${criteria.map(criterionLine).join("\n")}`,
    decided.length === 0
      ? ""
      : `### Decided\n\n${decided.map(({ atMs, text }) => `- ${dateWords(atMs)} ${words(text, 300)}`).join("\n")}`,
    undone === undefined ? "" : `### Undo\n\n    ${undone}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function criterionLine({ text, evidence }: Account["criteria"][number], index: number): string {
  const shown = evidence.map((one) => `\n   - ${words(evidenceWords(one), 300)}`).join("");
  return `${index + 1}. ${words(text, 300)}${shown || t`\n   - not judged`}`;
}

export function evidenceWords({ result, command, file, line, exitCode, base, worth }: Criterion): string {
  const place = command ?? (file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}`);
  const ends = exitCode === undefined ? "" : t`, exit status ${exitCode ?? "none"}`;
  const before = base === undefined ? "" : t`, ${base ?? "none"} on the base`;
  const value = worth === undefined ? "" : ` (${worth.replaceAll("_", " ")})`;
  return `${result.replace("_", " ")}: ${plainLine(place, 300)}${ends}${before}${value}`;
}

/** The command that takes the merge back. */
export function undoCommand(undo: Account["undo"]): string | undefined {
  if (!undo) return undefined;
  const { commit, strategy, after } = undo;
  if (strategy === "merge") return t`git revert -m 1 ${short(commit)}`;
  return strategy === "squash"
    ? t`git revert ${short(commit)}`
    : t`git revert ${short(after)}..${short(commit)}`;
}

/** `$1.20 in 4 sessions (12 min 3 s)` */
export function spentWords({ sessions, costKnown, costUsd, durationMs }: Account["spent"]): string {
  const known =
    costKnown === sessions ? "" : t`, ${costKnown === 0 ? "none" : costKnown} of which told the cost`;
  const cost = costKnown === 0 ? "" : `$${costUsd.toFixed(2)} in `;
  return `${cost}${counted(sessions, "session")}${known} (${seconds(durationMs)})`;
}

export function totalOf(accounts: readonly Account[]): Account["spent"] {
  const sum = (of: keyof Account["spent"]): number => accounts.reduce((all, { spent }) => all + spent[of], 0);
  return {
    sessions: sum("sessions"),
    costKnown: sum("costKnown"),
    costUsd: sum("costUsd"),
    durationMs: sum("durationMs"),
  };
}

/** `2026-11-21 17:05` in UTC, so that it reads the same for everybody. */
export function dateWords(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function words(text: string, charsMax = 200): string {
  return plainLine(text, charsMax).replaceAll(/[\\|`[\]<>@*_#!~&]/g, "\\$&");
}

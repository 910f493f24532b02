/** Accounts of relays as Markdown, for a chat or a pull request: no foreign text has a formatting effect. */
import { codeSpan, fence } from "../core/prompt/fence.ts";
import type { Account } from "../core/report/account.ts";
import type { Criterion } from "../core/review/verdict-schema.ts";
import { counted } from "../core/language/counted.ts";
import { seconds, short, momentOf, timeOf } from "../core/text/figures.ts";
import { plain, plainLine } from "../core/text/sanitize.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

export type Accounts = {
  accounts: readonly Account[];
  sinceMs: number | null;
  madeAtMs: number;
  /** What needs the person, and the commits of the base that its upstream lacks. */
  top?: { needed: readonly { name: string; text: string; command: string }[]; unpushed: number };
};

export function accountsMarkdown(all: Accounts): string {
  const { accounts } = all;
  const head = `# ${headWords(all)}\n\n${madeWords(all)}`;
  const top = topLines(all).map(
    ({ text, command }) => `- ${escaped(text, 400)}${command === "" ? "" : ` → ${codeSpan(command)}`}`,
  );
  const parts = [...(accounts.length === 1 ? [] : [head]), top.join("\n"), ...accounts.map(oneMarkdown)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** What needs the person, each with its command, then `not pushed: 19 commits`. */
export function topLines({ top }: Accounts): { text: string; command: string }[] {
  if (!top) return [];
  const needed = top.needed.map(({ name, text, command }) => ({
    text: t`needs you: ${`${name} ${text}`}`,
    command: plainLine(command, 400),
  }));
  const unpushed = { text: t`not pushed: ${counted(top.unpushed, "commit")}`, command: "" };
  return [...needed, ...(top.unpushed > 0 ? [unpushed] : [])];
}

/** `2 relays with something new since 2026-11-21 17:05 UTC, 1 merged` */
export function headWords({ accounts, sinceMs }: Accounts): string {
  const merged = accounts.filter(({ mergedAs }) => mergedAs !== null).length;
  const since = sinceMs === null ? "" : t` with something new since ${timeOf(sinceMs)}`;
  return t`${counted(accounts.length, "relay")}${since}, ${merged} merged`;
}

export function madeWords({ accounts, madeAtMs }: Accounts): string {
  return t`${spentWords(totalOf(accounts))}. Made ${timeOf(madeAtMs)}.`;
}

/** The phase with its reason, and the spending; `name` and `because` carry the format's own marks. */
export function phaseWords({ spent }: Account, { name, because }: { name: string; because: string }): string {
  return t`${name}: ${because}. ${spentWords(spent)}.`;
}

function oneMarkdown(account: Account): string {
  const { issue, title, phase, because, objective, criteria, decided, undo } = account;
  const undone = undoCommand(undo);
  const parts = [
    `## ${issue}: ${escaped(title)}`,
    phaseWords(account, { name: `**${named(phase)}**`, because: escaped(because, 1_000) }),
    `### ${t`Asked`}\n\n${escaped(objective, 1_000) || t`The issue states no objective.`}`,
    `### ${t`Evidence by criterion`}\n\n${criteria.map(criterionLine).join("\n")}`,
    decided.length === 0
      ? ""
      : `### ${t`Decided`}\n\n${decided.map(({ atMs, text }) => `- ${momentOf(atMs).slice(0, 16)} ${escaped(text, 300)}`).join("\n")}`,
    undone === undefined ? "" : `### ${t`Undo`}\n\n    ${undone}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function criterionLine({ text, evidence }: Account["criteria"][number], index: number): string {
  const shown = evidence.map((one) => `\n   - ${evidenceLine(one)}`).join("");
  return `${index + 1}. ${escaped(text, 300)}${shown || `\n   - ${t`not judged`}`}`;
}

/** The command is neither cut nor escaped: a person copies it. */
function evidenceLine(one: Criterion): string {
  const { result, place, rest } = evidenceParts(one);
  if (one.command === undefined) return escaped(t`${result}: ${place}${rest}`, 300);
  const command = plain(one.command).trim();
  if (!command.includes("\n")) return t`${escaped(result)}: ${codeSpan(command)}${escaped(rest, 300)}`;
  const fenced = fence(command).replaceAll("\n", "\n     ");
  return `${escaped(`${result}${rest}`, 300)}\n\n     ${fenced}`;
}

export function evidenceWords(one: Criterion): string {
  const { result, place, rest } = evidenceParts(one);
  return t`${result}: ${plainLine(place, 300)}${rest}`;
}

/** The command, else the place, between the words before and after it. */
export function evidenceParts(one: Criterion): { result: string; place: string; rest: string } {
  const { result, command, file, line, exitCode, base, worth } = one;
  const place = command ?? (file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}`);
  const ends = exitCode === undefined ? "" : t`, exit status ${exitCode ?? named("none")}`;
  const before = base === undefined ? "" : t`, ${base ?? named("none")} on the base`;
  const value = worth === undefined ? "" : t` (${named(worth.replaceAll("_", " "))})`;
  return { result: named(result.replace("_", " ")), place, rest: `${ends}${before}${value}` };
}

/** The command that reverts the merge. */
export function undoCommand(undo: Account["undo"]): string | undefined {
  if (!undo) return undefined;
  return `git revert ${undo.strategy === "merge" ? "-m 1 " : ""}${short(undo.commit)}`;
}

/** `$1.20 in 4 sessions (12 min 3 s)` */
export function spentWords({ sessions, costKnown, costUsd, durationMs }: Account["spent"]): string {
  const cost = costWords({ sessions, costKnown, costUsd });
  return t`${cost} (${seconds(durationMs)})`;
}

/** `$1.20 in 4 sessions, 3 reported a cost` */
export function costWords({ sessions, costKnown, costUsd }: Omit<Account["spent"], "durationMs">): string {
  const all = counted(sessions, "session");
  if (costKnown === 0) return sessions === 0 ? all : t`${all}, none reported a cost`;
  const cost = costUsd.toFixed(2);
  return costKnown === sessions ? t`$${cost} in ${all}` : t`$${cost} in ${all}, ${costKnown} reported a cost`;
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

function escaped(text: string, charsMax = 200): string {
  return plainLine(text, charsMax).replaceAll(/[\\|`[\]<>@*_#!~&]/g, "\\$&");
}

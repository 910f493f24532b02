/** The pages about one issue: its sessions and waits, findings, handoff and output; its evidence; and the keys. */
import { languageSpoken, t, translatable, translated } from "../../core/language/translate.ts";
import { named } from "../../core/language/names.ts";
import { databaseVariable } from "../../core/lease/database.ts";
import type { Item } from "../../core/overview/item.ts";
import { findingsText } from "../../core/prompt/findings-text.ts";
import type { Detail } from "../../core/report/detail.ts";
import type { Span } from "../../core/report/spans.ts";
import { inspectionLines } from "../../core/review/inspection.ts";
import type { Criterion } from "../../core/review/verdict-schema.ts";
import { percent, seconds, short, timeOf } from "../../core/text/figures.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { trialLines } from "../../core/trial/trial-words.ts";
import { evidenceParts, evidenceWords } from "../account.ts";
import { wrapTo } from "../columns.ts";
import { whyWords } from "../inbox.ts";
import { cell } from "./line.ts";
import type { Piece, ScreenLine } from "./line.ts";
import { untilWords } from "./row.ts";

/** A line of an agent's output. */
export type Output = { is: "said" | "tool"; text: string };

export type PageOf = {
  item: Item;
  detail: Detail | undefined;
  output: readonly Output[];
  width: number;
  nowMs: number;
};

/** The texts of others on a page, lines: a handoff may be long. */
const textLinesMax = 400;
/** Lines of output: Chinese ones take a millisecond each to wrap, in each frame. */
const outputMax = 60;

export function detailPage(of: PageOf): ScreenLine[] {
  const { item, detail, output, width } = of;
  const head = [...headOf(item), ...whyLines(of)];
  if (!detail) return [...head, [], [["dim", item.sinceMs === null ? t`nothing has begun it` : "…"]]];
  const { spans, handoff } = detail;
  return [
    ...head,
    ...section(
      t`Sessions`,
      spans.map((span) => spanLine(span, of)),
    ),
    ...section(t`Findings`, findingLines(detail, width)),
    ...section(
      handoff ? t`Handoff of session ${handoff.session}` : "",
      textLines(handoff?.text ?? "", width),
    ),
    ...section(
      t`Output of session ${item.last?.session ?? 0}`,
      output.slice(-outputMax).flatMap((one) => outputLines(one, width)),
    ),
  ];
}

export function reviewPage(of: PageOf): ScreenLine[] {
  const { item, detail, width } = of;
  const head = headOf(item);
  if (!detail) return detailPage(of);
  const { submission } = detail;
  if (!submission) return [...head, ...whyLines(of), [], [["dim", t`nothing is submitted yet`]]];
  const { checks, trial, inspection, review } = submission;
  const language = languageSpoken();
  const { paths = [], weakened = [] } = inspection
    ? inspectionLines(inspection, language, review?.answers)
    : {};
  const verdict = review
    ? t`${named(review.verdict)} by ${named(review.by.replaceAll("_", " "))}`
    : t`no verdict yet`;
  const ran = (checks?.results ?? []).map(({ command, exitCode }): ScreenLine => [
    [exitCode === 0 ? "good" : "bad", t`${command}: exit status ${exitCode ?? named("none")}`],
  ]);
  const dim = (texts: readonly string[]): ScreenLine[] => texts.flatMap((text) => textLines(text, width));
  return [
    ...head,
    [["plain", t`submission ${submission.submission}, commit ${short(submission.head)}: ${verdict}`]],
    ...section(t`Evidence by criterion`, evidenceLines(detail, width)),
    ...section(t`Where it stands`, whyLines(of)),
    ...section(t`Checks`, ran),
    ...section(t`The tests, put to the test`, trial ? dim(trialLines(trial, language)) : []),
    ...section(t`Protected paths that it changes`, dim(paths)),
    ...section(t`What may weaken tests or checks`, dim(weakened)),
    ...section(t`Findings`, findingLines(detail, width)),
  ];
}

function headOf({ id, title }: Item): ScreenLine[] {
  return [[["bold", `${id}  ${plainLine(title)}`]]];
}

/** A question is shown whole, with its lines. */
function whyLines({ item, width, nowMs }: PageOf): ScreenLine[] {
  const { kind, why } = item;
  if (kind === "question" && "because" in why) return textLines(why.because, width);
  const words = `${whyWords(why)}${untilWords(item, nowMs)}`;
  return wrapTo(words, width, 4).map((text): ScreenLine => [["plain", text]]);
}

const badEnds = new Set(["failure", "cut_off"]);

/** A narrow terminal has no room for the agent and the time. */
function spanLine(span: Span, { width, nowMs }: PageOf): ScreenLine {
  if (span.is === "wait") {
    const took = seconds(span.toMs - span.fromMs);
    const words = t`waited ${took}: ${plainLine(span.because, 300)}`;
    return [
      ["plain", "     "],
      ["dim", words],
    ];
  }
  const { session, role, agent, reason, startedAtMs, endedAtMs, contextTokens, windowTokens, costUsd } = span;
  const by = width < 60 ? "" : `${cell(agent, 8)} ${timeOf(startedAtMs, nowMs)}  `;
  const parts = [
    seconds((endedAtMs ?? nowMs) - startedAtMs),
    ...(contextTokens ? [t`context ${percent(contextTokens, windowTokens ?? undefined)}`] : []),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
  ];
  return [
    ["plain", `${String(session).padStart(3)}  ${cell(named(role), 9)} ${by}`],
    [reason === null ? "good" : badEnds.has(reason) ? "bad" : "plain", cell(named(reason ?? "running"), 13)],
    ["dim", ` ${parts.join(", ")}`],
  ];
}

function section(title: string, lines: readonly ScreenLine[]): ScreenLine[] {
  return lines.length === 0 ? [] : [[], [["bold", title]], ...lines];
}

/** From this width on, the evidence is a table. */
const tableFrom = 70;

/** A row for each piece of evidence: criterion, command or place, its result on the base and on the branch, and its worth. */
function evidenceLines({ account }: Detail, width: number): ScreenLine[] {
  const isTable = width >= tableFrom;
  const free = Math.max(20, width - 36);
  const columns = [3, Math.floor(free * 0.4), Math.ceil(free * 0.6), 5, 6, 16];
  const row = (tone: Piece[0], cells: readonly string[]): ScreenLine[] => {
    const wrapped = cells.map((text, index) => wrapTo(plainLine(text, 400), columns[index]!, 4));
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, line): ScreenLine => [
      [tone, columns.map((columnWidth, index) => cell(wrapped[index]?.[line] ?? "", columnWidth)).join(" ")],
    ]);
  };
  const head = row("dim", ["#", t`criterion`, t`evidence`, t`base`, t`branch`, t`worth`]);
  const rows = account.criteria.flatMap(({ text, evidence }, index): ScreenLine[] => {
    const number = `${index + 1}`;
    if (isTable) {
      if (evidence.length === 0) return row("bad", [number, text, t`not judged`]);
      return evidence.flatMap((one) =>
        row(one.result === "met" ? "plain" : "bad", [number, text, ...cellsOf(one)]),
      );
    }
    const shown = evidence.length === 0 ? [t`not judged`] : evidence.map(evidenceWords);
    return textLines(
      [`${number}. ${plainLine(text, 400)}`, ...shown.map((words) => `   ${words}`)].join("\n"),
      width,
    );
  });
  return isTable && rows.length > 0 ? [...head, ...rows] : rows;
}

function cellsOf(one: Criterion): string[] {
  const { text, exitCode, base, worth } = one;
  const { result, place } = evidenceParts(one);
  return [
    place || (text ?? result),
    base === undefined ? "" : `${base ?? named("none")}`,
    exitCode === undefined ? "" : `${exitCode ?? named("none")}`,
    worth === undefined ? result : named(worth.replaceAll("_", " ")),
  ];
}

function findingLines({ submission }: Detail, width: number): ScreenLine[] {
  const findings = submission?.review?.findings ?? [];
  if (!submission || findings.length === 0) return [];
  return textLines(findingsText({ submission: submission.submission, findings }), width);
}

function textLines(text: string, width: number): ScreenLine[] {
  const lines = plain(text).trimEnd().split("\n").slice(0, textLinesMax);
  if (text.trim() === "") return [];
  return lines.flatMap((line) =>
    line.trim() === "" ? [[]] : wrapIndented(line, width).map((piece): ScreenLine => [["plain", piece]]),
  );
}

/** The line's pieces, each as far from the left as the line begins. */
function wrapIndented(line: string, width: number): string[] {
  const text = line.trimStart();
  const indent = " ".repeat(Math.min(line.length - text.length, Math.floor(width / 3)));
  return wrapTo(text, width - indent.length, 20).map((piece) => `${indent}${piece}`);
}

function outputLines({ is, text }: Output, width: number): ScreenLine[] {
  const tone = is === "tool" ? "dim" : "plain";
  return wrapTo(text, width, 10).map((piece): ScreenLine => [[tone, piece]]);
}

/** Who works on what on all machines, in the lines of `monoco fleet status`. */
export function fleetPage(fleet: readonly string[], width: number): ScreenLine[] {
  return fleet.length > 0
    ? textLines(fleet.join("\n"), width)
    : [[["dim", t`no fleet: ${databaseVariable} names no database`]]];
}

/** What each sign of the list and each key is for. */
export function helpPage(width: number): ScreenLine[] {
  return translated(helpText)
    .split("\n")
    .flatMap((line) =>
      wrapIndented(line, width).map((piece): ScreenLine => [
        [line.startsWith(" ") ? "plain" : "bold", piece],
      ]),
    );
}

const helpText = translatable(`The list: what needs you comes first
  ? asks   ! waits for your decision   x stuck, cut off or unreadable
  # stopped by a signal   | rests   > works   ~ waits
  + done   - cancelled   . not begun
  ===|=-|--|--- context in use; each | is a mark: plan to wrap up, wrap up, stop
  12:30/60m the session's time and limit; then cost, and the last event's age
  The order stays for 3 s after a key, so nothing moves from under it.
About the chosen issue
  enter  its sessions, stop reasons, waits, findings, handoff, output (G: end)
  a      answer its question         s  say something to it
  v      review: the evidence first; there y approves, n requests changes
  d      its diff in your pager      x  stop it with a handoff
  r      go on with it, in the background
The list
  f      the workers of a fleet, what each has, and for how long
  up down j k, page up, page down, g, G    move
  1 needs you   2 working and waiting   3 done   4 not begun   0 all but done
  /      only rows with these words; escape shows all
  ctrl-z sets the view aside   q or ctrl-c leaves it; relays go on`);

/** The overview for a person: five lines of figures, then the issues that need the person, each with one reason and one command. */
import { agoWords, timeOf } from "../core/text/figures.ts";
import { groupOf, kinds } from "../core/overview/item.ts";
import type { Item, Kind, Why } from "../core/overview/item.ts";
import type { Overview } from "../core/overview/overview.ts";
import { counted } from "../core/language/counted.ts";
import { named } from "../core/language/names.ts";
import { plainHint, plainLine } from "../core/text/sanitize.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { costWords } from "./account.ts";
import { cutTo, padTo, widthOf, wrapTo } from "./columns.ts";
import { firstWay, manyAtOnce } from "./hint.ts";
import { paint } from "./paint.ts";
import { translatable, translated, t } from "../core/language/translate.ts";

type States = ReadonlyMap<string, RelayState & { remote?: boolean }>;

/** `all`: show more than one screen. */
export type InboxOptions = { width: number; all: boolean };

/** A screen has 24 rows; the prompt takes one, and the last line one. */
const rowsMax = 22;
/** The number of issues of one kind from which a single entry shows them, if one command handles them all. */
const foldFrom = 4;
/** Longer reasons are cut even where there is room. */
const reasonCharsMax = 1_000;

export function renderInbox(overview: Overview, states: States, { width, all }: InboxOptions): string {
  const head = headOf(overview).map(([name, text]) =>
    cutTo(`${padTo(name, 11)} ${plainLine(text, 400)}`, width),
  );
  const needed = entriesOf(overview, states);
  const entries = [...needed, ...overview.items.flatMap(goingOn)];
  const shown = needed.length === 0 ? [nothingFor(overview)] : [];
  let rows = head.length + 1 + shown.length;
  const whole = entries.map((entry) => linesOf(entry, width, Infinity));
  const isFree = all || rows + rowsOf(whole.flat(), width) <= rowsMax;
  for (const [index, entry] of entries.entries()) {
    const lines = (isFree ? whole[index] : undefined) ?? linesOf(entry, width, 1);
    rows += rowsOf(lines, width);
    if (!all && rows > rowsMax) {
      shown.push(t`… and ${moreEntries(entries.length - index)}: ${manyAtOnce.all}`);
      break;
    }
    shown.push(...lines.map((line, at) => paint(at === 0 ? "plain" : "dim", line)));
  }
  const [first = "", ...others] = head;
  return [paint("bold", first), ...others.map((line) => paint("plain", line)), "", ...shown, ""].join("\n");
}

/** The rows that the lines take in a terminal of this width. */
function rowsOf(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0);
}

function moreEntries(count: number): string {
  return counted(count, "more entry").replace("entrys", "entries");
}

/** Everything that is not done: like the inbox, but without folding or cuts, and with the issues that have not begun. */
export function renderNotDone(overview: Overview, states: States, width: number): string {
  const rest = kinds.filter((kind) => groupOf(kind) !== "done" && groupOf(kind) !== "needs_you");
  const entries = rest.flatMap((kind): Entry[] => {
    const items = overview.items.filter((item) => item.kind === kind);
    if (items.length === 0 || kind === "misled") return [];
    const ids = items.map((item) => (kind === "held" ? t`${item.id} (${whyWords(item.why)})` : item.id));
    const command = kind === "ready" ? manyAtOnce.ready : "";
    const text = t`${translated(phrases[kind])}: ${ids.join(", ")}`;
    return [{ name: `${items.length}`, text, command }];
  });
  return [...entriesOf(overview, states), ...entries]
    .flatMap(({ name, text, command }) => {
      const [first = "", ...more] = wrapTo(plainLine(text, Infinity), Math.max(20, width - 11), Infinity);
      const lines = [`${padTo(name, 10)} ${first}`, ...[...more, plainHint(command)].map(indented)];
      return lines.filter((line) => line.trim() !== "").map((line) => `${paint("plain", line)}\n`);
    })
    .join("");
}

function indented(line: string): string {
  return `${" ".repeat(11)}${line}`;
}

const phrases: Record<Kind, string> = translatable({
  question: "ask",
  approval: "wait for your approval",
  pull_review: "wait for a review of their pull request",
  stuck: "stuck",
  frozen: "stopped by a signal",
  cut_off: "cut off",
  idle: "ready to go on",
  unreadable: "cannot be read",
  left: "done on a branch of their own",
  paused: "paused",
  working: "work",
  waiting: "wait",
  pull_request: "wait for their pull request",
  merged: "merged",
  taken_over: "taken over",
  closed: "closed without a relay here",
  cancelled: "cancelled",
  misled: "wait for what cannot come",
  ready: "ready",
  held: "wait for others",
  put_off: "put off",
});

/** Each figure with its name. */
export function headOf(overview: Overview): [name: string, text: string][] {
  const { items, counts, spent, lastLookMs, mergedSince, atMs } = overview;
  const counted = (of: readonly Kind[], more: Partial<Record<Kind, string>> = {}): string =>
    of
      .filter((kind) => counts[kind] > 0)
      .map((kind) => {
        const said = t`${counts[kind]} ${translated(phrases[kind])}`;
        return more[kind] ? t`${said} (${more[kind]})` : said;
      })
      .join(" · ") || named("none");
  const since =
    lastLookMs === null || counts.merged === 0
      ? ""
      : t`${mergedSince} since your last look ${agoWords(atMs - lastLookMs)} ago`;
  const untilMs = Math.min(
    ...items.filter(({ kind }) => kind === "waiting").map((item) => item.untilMs ?? Infinity),
  );
  const until = Number.isFinite(untilMs) ? t`until ${timeOf(untilMs, atMs)}` : "";
  const needs = kinds.filter((kind) => groupOf(kind) === "needs_you");
  return [
    [t`needs you`, counted(needs)],
    [t`working`, counted(["working", "waiting", "pull_request"], { waiting: until })],
    [t`done`, counted(["merged", "taken_over", "closed", "cancelled"], { merged: since })],
    [t`not begun`, counted(["ready", "held", "misled", "put_off"])],
    [t`spent`, costWords(spent)],
    ...(overview.background ? [backgroundRow(overview.background, atMs)] : []),
  ];
}

function backgroundRow(
  { pid, sinceMs }: NonNullable<Overview["background"]>,
  nowMs: number,
): [string, string] {
  const who = pid === undefined ? t`on another machine` : t`process ${pid}`;
  return [t`background`, t`a run since ${timeOf(sinceMs, nowMs)} (${who}): monoco log -f`];
}

/** `folded`: one entry for several issues, whose names are its text. */
type Entry = { name: string; text: string; command: string; folded?: boolean };

/** The issues that need a person, and those that cannot begin before somebody edits them. */
export function entriesOf({ items }: Overview, states: States): Entry[] {
  const needed = items.filter(({ group, kind }) => group === "needs_you" || kind === "misled");
  // No command deals with several relays of the remote at once.
  const isThere = [...states.values()].some(({ remote }) => remote);
  const folded = new Set(
    (["approval", "idle"] as const).filter(
      (kind) => !isThere && needed.filter((one) => one.kind === kind).length >= foldFrom,
    ),
  );
  const isFolded = (kind: Kind): kind is "approval" | "idle" => (folded as Set<Kind>).has(kind);
  const shown = new Set<Kind>();
  return needed.flatMap((item) => {
    const { kind } = item;
    if (!isFolded(kind)) return entryOf(item, states.get(item.id));
    if (shown.has(kind)) return [];
    shown.add(kind);
    const ids = needed.filter((one) => one.kind === kind).map(({ id }) => id);
    const text = t`${translated(phrases[kind])}: ${ids.join(" ")}`;
    return { name: `${ids.length}`, text, command: manyAtOnce[kind], folded: true };
  });
}

function entryOf(item: Item, state: (RelayState & { remote?: boolean }) | undefined): Entry {
  const title = item.title === "" ? "" : `${plainLine(item.title, 30)} · `;
  const command =
    item.kind === "misled" ? manyAtOnce.lint : firstWay(item.hint, { ...state, issue: item.id });
  return {
    name: item.id,
    text: `${title}${saidOf(item)}`,
    command,
  };
}

/** The reason for an item's group, with the words before it. */
export function saidOf(item: Item): string {
  return `${translated(kindWords[item.kind] ?? "")}${whyWords(item.why)}`;
}

/** What goes on without the person: a relay that runs, or waits for its pull request. */
function goingOn({ id, title, group, kind, why, running, pullRequest }: Item): Entry[] {
  if (kind !== "working" && (pullRequest === null || group === "needs_you")) return [];
  const now = running ? `${running.agent}, ${agoWords(running.elapsedMs)}` : whyWords(why);
  return [{ name: id, text: `${plainLine(title, 30)} · ${now}`, command: pullRequest ?? "" }];
}

/** An item on one line: what it asks, or does. */
export function lineOf({ kind, why, running }: Item): string {
  if (kind === "working" && running?.doing) return plainLine(running.doing, reasonCharsMax);
  return `${translated(kindWords[kind] ?? "")}${whyWords(why)}`;
}

/** Words before a reason that does not name the kind itself. */
const kindWords: Partial<Record<Kind, string>> = translatable({
  question: "asks: ",
  idle: "nobody runs it; ",
});

/** Why the issue is in its group. */
export function whyWords(why: Why): string {
  if ("because" in why) return plainLine(why.because, reasonCharsMax);
  if ("handedOver" in why) return plainLine(t`${why.handedOver} is handed over`, 400);
  const ids = why.waitsFor.join(", ");
  if (!("how" in why)) return t`nothing has begun it`;
  return {
    open: t`waits for ${ids}`,
    dropped: t`waits for ${ids}, which was closed and never done`,
    unknown: t`waits for ${ids}, which is not there`,
    circle: t`these wait for each other: ${why.waitsFor.join(" → ")}`,
  }[why.how];
}

/** Wraps a reason to `linesMax` lines and cuts the rest, but never a command, so that it can be copied. */
function linesOf({ name, text, command, folded }: Entry, width: number, linesMax: number): string[] {
  const [first = "", ...more] = wrapTo(
    plainLine(text, reasonCharsMax),
    Math.max(20, width - 11),
    folded ? 1 : linesMax,
  );
  const lines = [`${padTo(name, 10)} ${first}`, ...more.map(indented)];
  return command === "" ? lines : [...lines, indented(plainHint(command))];
}

function nothingFor({ counts, items }: Overview): string {
  if (items.length === 0) return t`no issues yet: monoco issue create "Title" writes one`;
  const idle = counts.working + counts.waiting === 0 && counts.ready > 0;
  return idle ? t`nothing needs you; ${manyAtOnce.ready} begins what is ready` : t`nothing needs you`;
}

/** One relay as a stream: its facts when they change, each moment of its journal by its sequence number, and what its session prints. */
import { describeEvent } from "../../core/journal/events/records.ts";
import { wordsOf } from "../../core/error/error.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { named } from "../../core/language/names.ts";
import type { Detail } from "../../core/report/detail.ts";
import { explain } from "../../core/report/explain.ts";
import { contextOf } from "../../app/live/context.ts";
import { detailOf } from "../../app/live/detail.ts";
import { openTail } from "../../app/live/tail.ts";
import { spentWords } from "../../views/account.ts";
import { explanationLines } from "../../views/explanation.ts";
import type { MomentFacts, RelayFacts, TailFacts } from "../../views/page/facts.ts";
import { markdownTree } from "../../views/page/markdown-tree.ts";
import type { Place, Readers } from "./readers.ts";

export type StreamEvent =
  | { event: "facts"; data: RelayFacts; id?: undefined }
  /** Why what is shown is old; empty if it is not. */
  | { event: "fault"; data: string; id?: undefined }
  | { event: "moment"; data: MomentFacts; id: number }
  | { event: "tail"; data: readonly TailFacts[]; id?: undefined };

/** What came after the event `since`, then what comes, until the reader is gone. */
export async function* relayStream(
  { issue, root }: { issue: string; root: string | undefined },
  { since, readers, gone }: { since: number; readers: Readers; gone: AbortSignal },
): AsyncGenerator<StreamEvent> {
  let seen = since;
  let [shown, told, printed] = ["", "", ""];
  let tail: { session: number; read(): readonly TailFacts[] } | undefined;
  for await (const _ of readers.ticks(gone)) {
    const place = readers.placeOf(issue, root);
    const { here, state, row } = place;
    const print = JSON.stringify([state?.seq, row]);
    let { fault } = place;
    const read = print === shown ? undefined : await readOnce(place, print).catch(wordsOf);
    if (typeof read === "string") fault ||= read;
    else if (read) {
      shown = print;
      const { facts, events } = read;
      yield { event: "facts", data: facts };
      for (const moment of momentsOf(events, seen)) yield { event: "moment", data: moment, id: moment.seq };
      seen = Math.max(seen, events.at(-1)?.seq ?? 0);
    }
    if (fault !== told) yield { event: "fault", data: (told = fault) };
    const session = row?.running?.session;
    if (session !== tail?.session)
      tail = session === undefined || !state ? undefined : { session, read: openTail(here, issue, state) };
    const lines = tail?.read() ?? [];
    const text = JSON.stringify(lines);
    if (text !== printed) yield { event: "tail", data: lines };
    printed = text;
  }
}

type Read = { facts: RelayFacts; events: readonly RelayEvent[] };

/** What was last read of each relay: it is the same for all readers. */
const lastRead = new WeakMap<RelayState, { print: string; read: Promise<Read> }>();

function readOnce(place: Place, print: string): Promise<Read> {
  const { here, issue, state } = place;
  if (!state) return Promise.resolve({ facts: relayFacts(place, undefined), events: [] });
  const before = lastRead.get(state);
  if (before?.print === print) return before.read;
  const read = detailOf(here, issue).then((detail) => ({
    facts: relayFacts(place, detail),
    events: detail?.events ?? [],
  }));
  lastRead.set(state, { print, read });
  read.catch(() => lastRead.delete(state));
  return read;
}

function momentsOf(events: readonly RelayEvent[], since: number): MomentFacts[] {
  return events
    .filter(({ seq }) => seq > since)
    .flatMap((event) => {
      const line = describeEvent(event);
      return line ? { seq: event.seq, atMs: event.atMs, ...line } : [];
    });
}

function relayFacts({ here, issue, state, row }: Place, detail: Detail | undefined): RelayFacts {
  const { account, events = [] } = detail ?? {};
  const { opening } = state ?? {};
  return {
    id: issue,
    title: row?.title ?? account?.title ?? "",
    row,
    phase: account ? named(account.phase) : "",
    because: account?.because ?? row?.text ?? "",
    question: opening?.question?.text ?? null,
    objective: markdownTree(account?.objective ?? ""),
    spent: account ? spentWords(account.spent) : "",
    openedAtMs: account?.openedAtMs ?? 0,
    sessions: (account?.sessions ?? []).flatMap((one, index) => {
      const record = opening?.sessions[index];
      if (!record) return [];
      const context = contextOf(here, issue, record, opening.settings);
      return { ...one, ...context, tokens: record.tokens ?? null };
    }),
    decisions: explain(events, Date.now()).map((one) => ({
      seq: one.seq,
      what: one.decision,
      by: named(one.by.replaceAll("_", " ")),
      because: one.because,
      lines: explanationLines(one).slice(1),
    })),
    handoffs: (opening?.sessions ?? []).flatMap(({ handoff }) => {
      if (!handoff) return [];
      const { session, source, text } = handoff;
      return { session, source: named(source), text, blocks: markdownTree(text) };
    }),
  };
}

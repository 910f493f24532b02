/** One relay as a stream: its facts when they change, each moment of its journal by its sequence number, and what its session prints. */
import { explain } from "../../core/report/explain.ts";
import { accountOf } from "../../core/report/account.ts";
import { describeEvent } from "../../core/journal/events/records.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { replay } from "../../core/journal/state.ts";
import { reportOf } from "../../core/report/report.ts";
import { markdownTree } from "../../views/page/markdown-tree.ts";
import { named } from "../../core/language/names.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { openTail } from "../../app/live/tail.ts";
import type { TailLine } from "../../app/live/tail.ts";
import { lookAt } from "../../app/overview/relay-look.ts";
import { firstWay } from "../../views/hint.ts";
import { spentWords } from "../../views/account.ts";
import type { MomentFacts, RelayFacts } from "../../views/page/facts.ts";
import { actsOf } from "./inbox-facts.ts";
import type { Readers } from "./readers.ts";
import { contextOf } from "./context.ts";

export type StreamEvent =
  | { event: "facts"; data: RelayFacts; id?: undefined }
  | { event: "moment"; data: MomentFacts; id: number }
  | { event: "tail"; data: readonly TailLine[]; id?: undefined };

type Of = { here: Here; issue: string };

/** What came after the event `since`, then what comes, until the reader is gone. */
export async function* relayStream(
  of: Of,
  { since, readers, gone }: { since: number; readers: Readers; gone: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const { here, issue } = of;
  const { journal } = placesFor(here, issue);
  let seen = since;
  let shown = "";
  let printed = "";
  let tail: { session: number; read(): readonly TailLine[] } | undefined;
  for await (const { repositories } of readers.ticks(gone)) {
    const { overview, states } = repositories.find(({ root }) => root === here.repository.root) ?? {};
    const item = overview?.items.find(({ id }) => id === issue);
    const state = states?.get(issue);
    const print = JSON.stringify([state?.seq, item?.kind]);
    if (print !== shown) {
      shown = print;
      const events = viewJournal(journal);
      yield { event: "facts", data: await relayFacts(of, events, item ? actsOf(item) : []) };
      for (const moment of momentsOf(events, seen)) yield { event: "moment", data: moment, id: moment.seq };
      seen = Math.max(seen, events.at(-1)?.seq ?? 0);
    }
    const session = item?.running?.session;
    if (session !== tail?.session)
      tail = session === undefined || !state ? undefined : { session, read: openTail(here, issue, state) };
    const lines = tail?.read() ?? [];
    const text = JSON.stringify(lines);
    if (text !== printed) yield { event: "tail", data: lines };
    printed = text;
  }
}

function momentsOf(events: readonly RelayEvent[], since: number): MomentFacts[] {
  return events
    .filter(({ seq }) => seq > since)
    .flatMap((event) => {
      const line = describeEvent(event);
      return line ? [{ seq: event.seq, atMs: event.atMs, text: line.text, tone: line.tone }] : [];
    });
}

async function relayFacts(
  { here, issue }: Of,
  events: RelayEvent[],
  acts: RelayFacts["acts"],
): Promise<RelayFacts> {
  const state = replay(events);
  const { now, current } = await lookAt(here, issue);
  const report = reportOf(state, now);
  const account = accountOf(events, { state, now });
  const { opening } = state;
  const sessions = opening?.sessions ?? [];
  return {
    repository: here.repository.root,
    id: issue,
    title: report.title,
    atMs: now.nowMs,
    openedAtMs: opening?.atMs ?? now.nowMs,
    phase: named(report.phase),
    because: report.because,
    next: report.next,
    command: firstWay(report.hint, { ...state, issue }),
    question: report.question?.text ?? null,
    objective: markdownTree(account?.objective ?? ""),
    spent: account ? spentWords(account.spent) : "",
    sessions: (account?.sessions ?? []).map((one, index) => ({
      ...one,
      ...contextOf(here, issue, sessions[index]!, opening!.settings),
    })),
    decisions: explain(events, now.nowMs),
    handoffs: sessions.flatMap(({ handoff }) =>
      handoff
        ? [
            {
              session: handoff.session,
              source: named(handoff.source),
              text: handoff.text,
              blocks: markdownTree(handoff.text),
            },
          ]
        : [],
    ),
    running: current?.processAlive ? { session: current.session, agent: current.agent } : null,
    acts,
  };
}

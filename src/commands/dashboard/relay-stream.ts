/** One relay as a stream: its facts when they change, each moment of its journal by its sequence number, and what its session prints. */
import { statSync } from "node:fs";
import { explain } from "../../core/report/explain.ts";
import { accountOf } from "../../core/report/account.ts";
import { describeEvent } from "../../core/journal/events/records.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { replay } from "../../core/journal/state.ts";
import { reportOf } from "../../core/report/report.ts";
import { markdownTree } from "../../core/text/markdown-tree.ts";
import { named } from "../../core/language/names.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { lookAt } from "../../app/overview/relay-look.ts";
import { firstWay } from "../../views/hint.ts";
import { spentWords } from "../../views/account.ts";
import type { MomentFacts, RelayFacts } from "../../views/page/facts.ts";
import { actsOf } from "./inbox-facts.ts";
import type { Feed } from "./feed.ts";
import { contextOf, outputOf } from "./output.ts";

export type StreamEvent =
  | { event: "facts"; data: RelayFacts; id?: undefined }
  | { event: "moment"; data: MomentFacts; id: number }
  | { event: "tail"; data: { session: number; lines: string[] }; id?: undefined };

type Of = { here: Here; name: string; issue: string };

/** What came after the event `since`, then what comes, until the reader is gone. */
export async function* relayStream(
  of: Of,
  { since, feed, gone }: { since: number; feed: Feed; gone: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const { here, issue } = of;
  const places = placesFor(here, issue);
  let seen = since;
  let size = -1;
  let tail: ReturnType<typeof outputOf> | undefined;
  let last = "";
  for await (const { repositories } of feed.ticks(gone)) {
    const item = repositories
      .find(({ name }) => name === of.name)
      ?.overview.items.find(({ id }) => id === issue);
    const bytes = statSync(places.journal, { throwIfNoEntry: false })?.size ?? 0;
    const state = `${bytes} ${item?.kind}`;
    if (state !== last) {
      last = state;
      const events = viewJournal(places.journal);
      const facts = await relayFacts(of, events, item ? actsOf(item) : []);
      yield { event: "facts", data: facts };
      if (bytes !== size) {
        size = bytes;
        for (const moment of momentsOf(events, seen)) yield { event: "moment", data: moment, id: moment.seq };
        seen = events.at(-1)?.seq ?? seen;
      }
      const session = facts.running?.session;
      if (tail?.session !== session)
        tail = session === undefined ? undefined : outputOf(here, issue, replay(events));
    }
    const lines = tail?.newLines() ?? [];
    if (tail && lines.length > 0) yield { event: "tail", data: { session: tail.session, lines } };
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
  { here, name, issue }: Of,
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
    repository: name,
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
    sessions: report.sessions.map((one, index) => ({
      ...one,
      startedAtMs: sessions[index]!.startedAtMs,
      endedAtMs: sessions[index]!.ended?.atMs ?? null,
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

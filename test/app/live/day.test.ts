/** A day of one relay's sessions and their output, as fast as the files take it: what the terminal view holds of it stays as small as it was. */
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { openHere, placesFor } from "../../../src/app/here.ts";
import { detailOf } from "../../../src/app/live/detail.ts";
import { openFeed } from "../../../src/app/live/feed.ts";
import { openTail } from "../../../src/app/live/tail.ts";
import { within } from "../../../src/io/io.ts";
import { openJournal } from "../../../src/store/journal.ts";
import { arrange, newModel } from "../../../src/views/watch/model.ts";
import { detailPage } from "../../../src/views/watch/pages.ts";
import { screenOf } from "../../../src/views/watch/screen.ts";
import { testRows } from "../../support/full.ts";
import { approves, openPlace, run } from "../../support/place.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** MB in use, after the garbage is gone. */
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

/** A session every five minutes, each with 300 kB of output. */
const [sessions, outputBytes] = [288, 300_000];

testRows([1, 4])(
  "after %i quarters of a day the view holds no more than at its beginning",
  async (quarters) => {
    const place = await openPlace(
      { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] },
      { limits: { questionsMax: 1 } },
    );
    await place.monoco("run", "FEAT-0001");
    await within({ cwd: place.project, env: place.sandbox.env }, async () => {
      const here = await openHere(place.project);
      const places = placesFor(here, "FEAT-0001");
      const journal = openJournal(places.journal);
      const before = journal.events();
      // The events of the last session, which come again under new numbers.
      const first = before.findLastIndex(({ type }) => type === "session.started");
      const bodies = before.slice(first).map(({ v: _v, seq: _seq, prev: _prev, atMs: _at, ...body }) => body);
      const abort = new AbortController();
      const feed = openFeed([here], { signal: abort.signal });
      let model = newModel;
      let tail: ReturnType<typeof openTail> | undefined;
      const lines: number[] = [];
      const sees = async (seq: number): Promise<void> => {
        for (;;) {
          const { value } = await feed.next();
          const [view] = value!.repositories;
          const { overview, states, root, name } = view!;
          const state = states.get("FEAT-0001")!;
          const shown = overview.items.map((item) => ({ key: item.id, root, repository: name, item }));
          model = arrange({ ...model, page: "list" }, shown, Date.now()).model;
          tail = openTail(here, "FEAT-0001", state);
          const [row] = shown;
          const size = { width: 150, height: 50 };
          const nowMs = Date.now();
          const detail = await detailOf(here, "FEAT-0001");
          const page = detailPage({ item: row!.item, detail, output: tail(), width: 150, nowMs });
          const scene = {
            model,
            overview,
            shown,
            row,
            state,
            fleet: [],
            lines: page,
            said: undefined,
            typing: undefined,
          };
          lines.push(screenOf({ ...scene, everywhere: false, nowMs }, size).length);
          lines.push(tail().length);
          if (state.seq >= seq) return;
        }
      };
      const figures: number[] = [];
      const count = (sessions * quarters) / 4;
      for (let at = 0; at < count; at += 1) {
        const session = before.length + at;
        for (const body of bodies) {
          const { seq = 0 } = journal.events().at(-1) ?? {};
          journal.append(seq, { ...body, ...("session" in body && { session }) }, Date.now());
        }
        const { stream } = places.session(session, "executor");
        mkdirSync(dirname(stream), { recursive: true });
        appendFileSync(
          stream,
          `${JSON.stringify({ type: "message", text: "x".repeat(900) })}\n`.repeat(outputBytes / 940),
        );
        if (at % 12 !== 11) continue;
        await sees(journal.events().at(-1)!.seq);
        figures.push(heap());
      }
      abort.abort();
      // It ends, and git with it.
      await feed.next();
      journal.close();
      expect(Math.max(...lines)).toBeLessThanOrEqual(200);
      // The records of the sessions themselves, which this test's writer keeps, too.
      expect(figures.at(-1)! - figures[0]!).toBeLessThan(5);
    });
  },
);

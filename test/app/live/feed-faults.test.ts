/** The feed when what it reads goes wrong: it says so, forgets nothing, and is right again as soon as its files are. */
import { appendFileSync, chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openHere } from "../../../src/app/here.ts";
import { openFeed } from "../../../src/app/live/feed.ts";
import type { Snapshot } from "../../../src/app/live/feed.ts";
import { within } from "../../../src/io/io.ts";
import { followJournal, viewJournal } from "../../../src/store/journal-view.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { followInbox, openDashboardUnder } from "../../support/dashboard.ts";
import { skipWithout } from "../../support/namespaces.ts";
import { issuePath, issueText, openPlace, run, works, approves } from "../../support/place.ts";
import type { Place } from "../../support/place.ts";

const asks = { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] };
const journalOf = (place: Place): string => join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl");

/** Does `what` while a feed of these folders is read; `until` waits at most 2 s for a snapshot. */
async function whileFed(
  place: Place,
  folders: readonly string[],
  what: (sees: (kinds: (string | undefined)[]) => Promise<Snapshot>) => Promise<void>,
): Promise<void> {
  await within({ cwd: place.project, env: place.sandbox.env }, async () => {
    const heres = await Promise.all(folders.map((folder) => openHere(folder)));
    const abort = new AbortController();
    let last: Snapshot | undefined;
    const reading = (async () => {
      for await (const snapshot of openFeed(heres, { signal: abort.signal })) last = snapshot;
    })();
    const failed = reading.then(() => Promise.reject(new Error("the feed has ended")));
    failed.catch(() => undefined);
    try {
      await Promise.race([
        failed,
        what(async (kinds) => {
          await vi.waitFor(() => expect(kindsOf(last!)).toEqual(kinds), { timeout: 2_000, interval: 20 });
          return last!;
        }),
      ]);
    } finally {
      abort.abort();
      await reading.catch(() => undefined);
    }
  });
}

/** The kind of each issue, or that its repository cannot be read. */
const kindsOf = ({ repositories }: Snapshot): string[] =>
  repositories.flatMap(({ fault, overview }) => (fault ? "fault" : overview.items.map(({ kind }) => kind)));

test("a journal that loses half a line, is damaged, is gone and comes back is seen as what it is", async () => {
  const place = await openPlace(asks);
  await place.monoco("run", "FEAT-0001");
  const path = journalOf(place);
  const whole = readFileSync(path);
  await whileFed(place, [place.project], async (sees) => {
    await sees(["question"]);
    // The question's line is cut: what is whole says that a session runs, and its runner is gone.
    const cut = whole.indexOf('"seq":4') + 1;
    writeFileSync(path, whole.subarray(0, cut));
    await sees(["cut_off"]);
    appendFileSync(path, whole.subarray(cut));
    await sees(["question"]);
    writeFileSync(path, whole.toString().replace('"seq":2', '"seq":7'));
    await sees(["unreadable"]);
    rmSync(path);
    await sees(["ready"]);
    writeFileSync(path, whole);
    await sees(["question"]);
    rmSync(path);
    await place.sh(`mkdir '${path}'`);
    await sees(["unreadable"]);
    rmSync(path, { recursive: true });
    await place.sh(`ln -s journal.jsonl '${path}'`);
    await sees(["unreadable"]);
    rmSync(path);
    writeFileSync(path, whole);
    await sees(["question"]);
  });
});

/** The journal of the relay that merges, and one of as many events that asks. */
async function twoJournals(): Promise<{ place: Place; merged: Buffer; asking: Buffer }> {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  const other = await openPlace(asks, { limits: { questionsMax: 3 } });
  await other.monoco("run", "FEAT-0001");
  const merged = readFileSync(journalOf(place));
  const count = place.events().length;
  const lines = readFileSync(journalOf(other), "utf8").trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(count);
  return { place, merged, asking: Buffer.from(`${lines.slice(0, count).join("\n")}\n`) };
}

test("a relay that another one replaced, with as many events, is the other one at once", async () => {
  const { place, merged, asking } = await twoJournals();
  await whileFed(place, [place.project], async (sees) => {
    await sees(["merged"]);
    rmSync(journalOf(place));
    writeFileSync(journalOf(place), asking);
    await sees(["question"]);
  });
  // In place, and longer than what was read: the beginning does not go on to the end.
  const path = join(place.around, "journal.jsonl");
  writeFileSync(path, `${asking.toString().split("\n")[0]}\n`);
  const state = followJournal(path);
  expect(state().seq).toBe(1);
  writeFileSync(path, merged);
  expect(state()).toEqual(replay(viewJournal(path)));
});

test("a repository that is deleted, or cannot be read, while it is watched says so, and hides no other", async () => {
  const place = await openPlace(asks);
  await place.monoco("run", "FEAT-0001");
  const other = join(place.around, "other");
  cpSync(place.project, other, { recursive: true });
  await whileFed(place, [place.project, other], async (sees) => {
    await sees(["question", "question"]);
    renameSync(other, `${other}-moved`);
    await sees(["question", "fault"]);
    renameSync(`${other}-moved`, other);
    await sees(["question", "question"]);
    rmSync(other, { recursive: true });
    await sees(["question", "fault"]);
    rmSync(join(place.project, ".monoco"), { recursive: true });
    await sees(["ready", "fault"]);
  });
});

test("a clock that jumps, back or forth, holds up no look", async () => {
  const place = await openPlace(asks);
  await place.monoco("run", "FEAT-0001");
  const whole = readFileSync(journalOf(place));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  await whileFed(place, [place.project], async (sees) => {
    await sees(["question"]);
    vi.setSystemTime(Date.now() - 3_600_000);
    place.write(issuePath("FEAT-0002"), issueText("FEAT-0002"));
    await sees(["question", "ready"]);
    vi.setSystemTime(Date.now() + 7_200_000);
    rmSync(journalOf(place));
    await sees(["ready", "ready"]);
    writeFileSync(journalOf(place), whole);
    await sees(["question", "ready"]);
  });
});

test("two feeds of one repository see the same, and one that ends takes nothing from the other", async () => {
  const place = await openPlace(asks);
  await whileFed(place, [place.project], async (sees) => {
    await whileFed(place, [place.project], async (too) => {
      await sees(["ready"]);
      await too(["ready"]);
    });
    await place.monoco("run", "FEAT-0001");
    await sees(["question"]);
  });
});

/** The rows of a dashboard's inbox, as they are now. */
async function rowsUnder(
  under: readonly string[],
  place: Place,
  what: (shows: (kinds: string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const told = followInbox(await openDashboardUnder(under, place));
  await what((kinds) =>
    vi.waitFor(
      () => {
        expect(told()?.repositories.map(({ fault }) => fault)).toEqual([null]);
        expect(told()!.rows.map(({ kind }) => kind)).toEqual(kinds);
      },
      { timeout: 2_000, interval: 20 },
    ),
  );
}

test("without a watch left in the system, it sees what changes all the same", async (context) => {
  skipWithout("a user namespace", context);
  const place = await openPlace(asks);
  const none = 'echo 0 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"';
  await rowsUnder(["unshare", "-Ur", "sh", "-c", none], place, async (shows) => {
    await shows(["ready"]);
    await place.monoco("run", "FEAT-0001");
    await shows(["question"]);
  });
});

test("a journal that may not be read is one issue that cannot be read", async () => {
  const place = await openPlace(asks, { issues: ["FEAT-0001", "FEAT-0002"] });
  await place.monoco("run", "--all");
  // Root may read all files, unless these rights are taken from it.
  const isRoot = process.getuid?.() === 0;
  const under = isRoot ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];
  await rowsUnder(under, place, async (shows) => {
    await shows(["question", "question"]);
    chmodSync(journalOf(place), 0);
    await shows(["question", "unreadable"]);
    chmodSync(journalOf(place), 0o600);
    await shows(["question", "question"]);
  });
});

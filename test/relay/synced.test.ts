/** What is on the disk before the next session begins: each event, and the handoff that it is given. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../support/cli.ts";
import { approves, commit, openPlace, run } from "../support/place.ts";

const note = (word: string): object => run(`echo ${word} >> "$PERSON/../synced"`);
const begins = note("begins");
const ends = note("ends");
const writes = run("date +%N >> file.txt");

const handsOver = run("echo '# RALPH.md' > RALPH.md");
/** The file and its folder, before the session's end is journaled: afterwards the workspace may be written. */
const keptHandoff = "synced:0002-executor/* synced:sessions/0002-executor";

/** What was synced between two agents besides the journal, the journal's own syncs, and its events. */
async function syncsOf(work: readonly object[]) {
  const session = [begins, ...work, ends];
  const place = await openPlace(
    { executor: [session, session, session], reviewer: [approves] },
    { limits: { sessionsMax: 3 } },
  );
  const log = join(place.around, "synced");
  const env = { NODE_OPTIONS: `--import=${fixture("synced-files.mjs")}`, SYNCED: log };
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  const all = readFileSync(log, "utf8").trim().split("\n");
  // One of a session's events (what the agent calls it) may come before or after the agent's first step.
  const isOfJournal = (line: string): boolean => line === "synced:FEAT-0001/journal.jsonl";
  const lines = all.filter((line) => !isOfJournal(line));
  const from = lines.flatMap((line, at) => (line === "ends" ? [at] : []));
  const to = lines.flatMap((line, at) => (line === "begins" ? [at] : []));
  const between = from.slice(0, -1).map((at, n) => lines.slice(at + 1, to[n + 1]));
  return {
    changes: between.slice(1).map((change) => change.toSorted().join(" ")),
    journal: all.filter(isOfJournal).length,
    events: place.events().length,
  };
}

test.for<[string, readonly object[], string]>([
  ["that changed nothing", [], ""],
  ["with uncommitted work", [writes], ""],
  ["with a commit", [writes, commit], ""],
  ["with a handoff of its own", [handsOver], keptHandoff],
])("after a session %s each event and a handoff are synced, and no more", async ([, work, synced]) => {
  const { changes, events, journal } = await syncsOf(work);
  for (const change of changes) expect(change).toBe(synced);
  expect(changes).toHaveLength(1);
  expect(journal).toBe(events);
});

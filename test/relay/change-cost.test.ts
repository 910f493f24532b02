/** What a change of sessions costs, in processes of git and in waits for the disk: time differs between machines, a count does not. */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { fixture } from "../support/cli.ts";
import { approves, commit, openPlace, run } from "../support/place.ts";

// On a disk: of files in memory no index is kept from one session to the next.
process.env["TMPDIR"] = "/var/tmp";

const note = (word: string): object => run(`echo ${word} >> "$PERSON/../gits"`);
const begins = note("begins");
const ends = note("ends");
const writes = run("date +%N >> file.txt");

const handsOver = run("echo '# RALPH.md' > RALPH.md");
/** The file and its folder, before the session's end is journaled: afterwards the workspace may be written. */
const keptHandoff = "synced:0002-executor/* synced:sessions/0002-executor";

const isSync = (cost: string): boolean => cost.startsWith("synced:");
const bySync = (a: string, b: string): number => Number(isSync(a)) - Number(isSync(b)) || (a < b ? -1 : 1);

type Cost = { first: string; firstChange: string; changes: string[]; journalSyncs: number; events: number };

/** `first`: the git of a run before its first agent; `firstChange`, `changes`: what came between two agents, sorted: the verbs of monoco's own git, then the files that it synced besides the journal. */
async function costOf(work: readonly object[]): Promise<Cost> {
  const session = [begins, ...work, ends];
  const place = await openPlace(
    { executor: [session, session, session], reviewer: [approves] },
    { limits: { sessionsMax: 3 } },
  );
  const log = join(place.around, "gits");
  const shim = `#!/bin/sh
case "$*" in *core.hooksPath=*)
  verb=; skip=; for word; do
    if [ -n "$skip" ]; then skip=; elif [ "$word" = -c ]; then skip=1; else verb=$word; break; fi
  done
  echo "$verb" >> '${log}';;
esac
exec '${execaSync("/bin/sh", ["-c", "command -v git"]).stdout}' "$@"
`;
  place.write("../bin/git", shim);
  chmodSync(join(place.around, "bin/git"), 0o755);
  const env = {
    PATH: `${join(place.around, "bin")}:${process.env["PATH"]}`,
    NODE_OPTIONS: `--import=${fixture("synced-files.mjs")}`,
    SYNCED: log,
  };
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  const all = readFileSync(log, "utf8").trim().split("\n");
  // One of a session's events (what the agent calls it) may come before or after the agent's first step.
  const isOfJournal = (line: string): boolean => line === "synced:FEAT-0001/journal.jsonl";
  const lines = all.filter((line) => !isOfJournal(line));
  const from = lines.flatMap((line, at) => (line === "ends" ? [at] : []));
  const to = lines.flatMap((line, at) => (line === "begins" ? [at] : []));
  const between = from.slice(0, -1).map((at, n) => lines.slice(at + 1, to[n + 1]));
  const first = lines.slice(0, lines.indexOf("begins")).filter((line) => !isSync(line));
  const [firstChange = "", ...changes] = between.map((change) => change.toSorted(bySync).join(" "));
  return {
    first: first.toSorted().join(" "),
    firstChange,
    changes,
    journalSyncs: all.filter(isOfJournal).length,
    events: place.events().length,
  };
}

test.for<[string, readonly object[], string]>([
  ["that changed nothing", [], "status"],
  ["with uncommitted work", [writes], "commit-tree status update-index write-tree"],
  ["with a commit", [writes, commit], "index-pack status update-ref"],
  ["with a handoff of its own", [handsOver], `status ${keptHandoff}`],
])(
  "after a session %s git is started for these verbs, each event and a handoff are synced, and no more",
  async ([, work, verbs]) => {
    const { first, changes, events, journalSyncs } = await costOf(work);
    expect(first).toBe("cat-file checkout config config init rev-parse");
    for (const change of changes) expect(change).toBe(verbs);
    expect(journalSyncs).toBe(events);
  },
);

test("after a first session the relay's branch begins, and no index is made: git wrote one with the workspace", async () => {
  const { firstChange } = await costOf([]);
  expect(firstChange).toBe("status update-ref");
});

/** A git directory that cannot be fetched from holds the only copy of its session's commits: it is kept, whatever happens. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { fixture } from "../support/cli.ts";
import { approves, commit, openPlace, run } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { testRows } from "../support/full.ts";

const breaksGit = [
  run("echo once > file.txt"),
  commit,
  run('git rev-parse HEAD > "$PERSON/../commit" && rm .git/HEAD'),
];

// TRAP 61
testRows(["synced", "torn"])(
  "killed where the session's end is journaled (%s), monoco keeps the git directory that this event names",
  async (when) => {
    const place = await openPlace({ executor: [breaksGit, []], reviewer: [approves] });
    const preload = `--import=${fixture("kill-at-append.mjs")}`;
    const env = { NODE_OPTIONS: preload, KILL_AT: "session.ended", KILL_WHEN: when };
    const ran = await place.sandbox.monoco(["run", "FEAT-0001", "--once"], { cwd: place.project, env });
    expect(ran.signal).toBe("SIGKILL");
    if (when === "synced") expect(keptIn(place)).toBe(true);
    await place.monoco("relay", "resume", "FEAT-0001", "--once");
    await place.monoco("relay", "resume", "FEAT-0001", "--once");
    expect(keptIn(place)).toBe(true);
  },
);

/** Whether the commit that only the session had is where its end says. */
function keptIn(place: Place): boolean {
  const told = place.all("session.ended").flatMap(({ evidence }) => evidence);
  const unreadable = told.find((one) => typeof one !== "string" && one.rule === "git_unreadable" && one.kept);
  const folder = (unreadable as { kept?: string } | undefined)?.kept ?? "";
  const commit = readFileSync(join(place.around, "commit"), "utf8").trim();
  return existsSync(join(folder, "objects", commit.slice(0, 2), commit.slice(2)));
}

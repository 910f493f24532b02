/** What a change of sessions costs, in processes of git: time is another thing on each machine, a count is not. */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { approves, commit, openPlace, run } from "../support/place.ts";

const note = (word: string): object => run(`echo ${word} >> "$PERSON/../gits"`);
const begins = note("begins");
const ends = note("ends");
const writes = run("date +%N >> file.txt");

/** Between the end of one session's agent and the beginning of the next one's: the verbs that monoco's own git was asked for. */
async function gitsBetween(work: readonly object[]): Promise<string[][]> {
  const session = [begins, ...work, ends];
  const place = await openPlace(
    { executor: [session, session, session], reviewer: [approves] },
    { limits: { sessionsMax: 3 } },
  );
  const log = join(place.around, "gits");
  const shim = `#!/bin/sh
case "$*" in */journal*) ;; *core.hooksPath=*)
  verb=; skip=; for word; do
    if [ -n "$skip" ]; then skip=; elif [ "$word" = -c ]; then skip=1; else verb=$word; break; fi
  done
  echo "$verb" >> '${log}';;
esac
exec '${execaSync("/bin/sh", ["-c", "command -v git"]).stdout}' "$@"
`;
  place.write("../bin/git", shim);
  chmodSync(join(place.around, "bin/git"), 0o755);
  const env = { PATH: `${join(place.around, "bin")}:${process.env["PATH"]}` };
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const from = lines.flatMap((line, at) => (line === "ends" ? [at] : []));
  const to = lines.flatMap((line, at) => (line === "begins" ? [at] : []));
  return from.slice(1, -1).map((at, n) => lines.slice(at + 1, to[n + 2]).toSorted());
}

test.for<[string, readonly object[], string]>([
  ["that changed nothing", [], "config status worktree"],
  [
    "with uncommitted work",
    [writes],
    "commit-tree config config diff-tree diff-tree diff-tree log status update-index update-ref worktree write-tree",
  ],
  [
    "with a commit",
    [writes, commit],
    "config diff-tree diff-tree fetch log merge-base read-tree rev-list status update-ref worktree",
  ],
])("after a session %s git is started for these verbs, and no others", async ([, work, verbs]) => {
  for (const started of await gitsBetween(work)) expect(started.join(" ")).toBe(verbs);
});

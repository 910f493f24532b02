/** kill -9 of monoco while it has temporary files, or behind its last event: `relay resume` finds and removes what is left. */
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { printCopy } from "../../src/core/journal/copy-parts.ts";
import { fixture } from "../support/cli.ts";
import { approves, commit, openPlace, run, submit, works } from "../support/place.ts";
import { full as test } from "../support/full.ts";

/** A git that once kills the monoco that calls it with a git directory or an index whose path has `word` in it. */
function murderousGit(folder: string, word: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh
case "$GIT_DIR $GIT_INDEX_FILE" in *${word}*)
  if mkdir '${folder}/killed' 2> /dev/null; then
    caller=$PPID
    # Between the two stands what gives git a group of its own.
    until [ "$(readlink /proc/$caller/exe)" = '${process.execPath}' ]; do
      caller=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$caller/status)
    done
    kill -9 $caller
  fi;;
esac
PATH=\${PATH#*:} exec git "$@"
`,
  );
  chmodSync(join(bin, "git"), 0o755);
  return bin;
}

test.for<[string, string]>([
  ["the first session's files are taken", "snapshot"],
  ["the merged tree is made", "scratch"],
])(
  "killed while %s, nothing stays in the temporary folder, and the relay's end removes the rest",
  async ([, word]) => {
    const place = await openPlace(
      // Uncommitted work, so that a snapshot has something to take.
      { executor: [[...works, run("echo more > more.txt")], works], reviewer: [approves] },
      { settings: "checks: []\n" },
    );
    const tmp = join(place.around, "tmp");
    mkdirSync(tmp);
    const bin = murderousGit(place.around, word);
    const env = { TMPDIR: tmp, PATH: `${bin}:${place.sandbox.env["PATH"]}` };
    const first = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
    expect(first.signal, first.stdout + first.stderr).toBe("SIGKILL");
    const state = join(place.around, "state", "monoco");
    const clones = (): string[] => readdirSync(state).flatMap((name) => readdirSync(join(state, name)));
    expect(clones().filter((name) => name === `FEAT-0001.${word}`)).toHaveLength(1);
    // Node keeps its cache of compiled modules there.
    const ours = (): string[] => readdirSync(tmp).filter((name) => name.startsWith("monoco-"));
    expect(ours().filter((name) => !/^monoco-[0-9a-f]{16}-FEAT-0001-/.test(name))).toEqual([]);
    const resumed = await place.sandbox.monoco(["relay", "resume", "FEAT-0001"], { cwd: place.project, env });
    expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(place.all("merge.done")).toHaveLength(1);
    expect(ours()).toEqual([]);
    expect(clones().filter((name) => /snapshot|scratch/.test(name))).toEqual([]);
  },
);

test("killed behind the merge's last event, relay resume says that it is merged, and that is no error", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const env = { NODE_OPTIONS: `--import=${fixture("kill-at-append.mjs")}`, KILL_AT: "merge.done" };
  const killed = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  expect(killed.signal, killed.stdout + killed.stderr).toBe("SIGKILL");
  const before = place.events();
  expect(before.at(-1)?.type).toBe("merge.done");
  const resumed = await place.monoco("relay", "resume", "FEAT-0001");
  expect(resumed).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^\d\d:\d\d:\d\d  FEAT-0001  done: merged as [0-9a-f]{8}; monoco verify [0-9a-f]{8} runs its evidence again\n?$/,
    ) as string,
    stderr: "",
    signal: undefined,
  });
  expect(place.events()).toEqual(before);
  // The copy of the journal was still to be made.
  const journal = place.read(".monoco/relays/FEAT-0001/journal.jsonl").trimEnd();
  expect(await place.sh(printCopy("refs/monoco/FEAT-0001/journal"))).toBe(journal);
});

test("a repository of SHA-256 is worked in like any other", async () => {
  const place = await openPlace({
    executor: [
      [{ write: { "file.txt": "text\n" } }, commit, run("echo x > y.txt"), { handoff: { next: ["go on"] } }],
      [commit, submit],
    ],
    reviewer: [approves],
  });
  await place.sh(
    "rm -rf .git && git init -q -b main --object-format=sha256 . && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
  );
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("session.ended")[0]?.wip).toMatch(/^[0-9a-f]{64}$/);
  expect(await place.git("ls-tree", "--name-only", "main", "y.txt", "file.txt")).toBe("file.txt\ny.txt");
});

test("killed while a Reviewer's new clone is set up, relay resume makes that clone anew", async () => {
  const sees = run('cat out/ready >> "$PERSON/../seen"');
  const place = await openPlace(
    { executor: [works], reviewer: [[sees], [sees, ...approves]] },
    { settings: "setup: [sh setup.sh]\n", files: { ".gitignore": "out/\n" } },
  );
  const [count, fifo] = [join(place.around, "count"), join(place.around, "fifos", "third")];
  // The Executor's clone, the one that is checked, and the Reviewer's second.
  const third = `mkfifo '${fifo}' 2> /dev/null; echo here > '${fifo}'; sleep 600`;
  place.write(
    "setup.sh",
    `echo . >> '${count}'
if [ "$(wc -l < '${count}')" = 3 ]; then ${third}; fi
mkdir -p out; echo ready > out/ready
`,
  );
  await place.sh("git add -A && git commit -qm Set-up");
  const running = place.start("run", "FEAT-0001");
  await place.heard("third");
  running.kill("SIGKILL");
  await running;
  const resumed = await place.monoco("relay", "resume", "FEAT-0001");
  expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(place.all("session.ended").map(({ reason }) => reason)).toEqual([
    "submitted",
    "no_verdict",
    "decided",
  ]);
  expect(readFileSync(join(place.around, "seen"), "utf8")).toBe("ready\nready\n");
});

test("what a set-up is kept as for later clones is on the disk before it counts", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { settings: "setup: [mkdir deps]\ncache: [deps]\n", files: { ".gitignore": "deps\n" } },
  );
  const synced = join(place.around, "synced");
  place.write("../bin/sync", `#!/bin/sh\necho "$1 $2 $(ls "$2")" >> '${synced}'\n`);
  chmodSync(join(place.around, "bin", "sync"), 0o755);
  const env = { PATH: `${join(place.around, "bin")}:${place.sandbox.env["PATH"]}` };
  const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const kept = await place.sandbox.sh(place.around, "ls -d state/monoco/*/cache/*");
  expect(readFileSync(synced, "utf8")).toMatch(new RegExp(`^-f ${place.around}/${kept}\\.\\w+ deps\n$`));
});

/** Ctrl-C at a real terminal, which sends it to the whole process group in the foreground: monoco's own, and no helper's. */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { describe, expect, onTestFinished, it } from "vitest";
import { cliPath, processesOf } from "../support/cli.ts";
import { approves, openPlace, run, say, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const ctrlC = "\u0003";
const stands = [say("working"), run("exec sleep 600")];

// TRAP 56
describe("Ctrl-C at a terminal", () => {
  it("while a clone is made ends the run in plain words, and the clone with it", async () => {
    const place = await openPlace({ executor: [works], reviewer: [approves] });
    const terminal = openTerminal(place, { at: "checkout", does: "exec sleep 600" });
    await place.heard("git");
    terminal.write(ctrlC);
    expect(await terminal.ended).toEqual({
      exitCode: 130,
      last: [
        "stopping: nothing is lost; again to stop at once",
        "FEAT-0001  interrupted; nothing is lost: monoco resume FEAT-0001",
        "",
      ],
    });
    await gone(place);
  });

  test("while a session's work is collected interrupts no git: its end and its handoff are recorded", async () => {
    const place = await openPlace({ executor: [[run("echo half > half.txt")]], reviewer: [approves] });
    const terminal = openTerminal(place, { at: "write-tree", does: 'cat "$FIFO.go" > /dev/null' });
    await place.sh('mkfifo "../fifos/git.go"');
    await place.heard("git");
    terminal.write(ctrlC);
    await expect.poll(() => terminal.text()).toContain("stopping: the session is ended and handed over");
    await place.go("git.go");
    const { exitCode, last } = await terminal.ended;
    expect([exitCode, last.at(-2)]).toEqual([
      130,
      "FEAT-0001  interrupted; nothing is lost: monoco resume FEAT-0001",
    ]);
    expect(place.all("session.ended")).toMatchObject([{ filesChanged: 1 }]);
    expect(place.all("handoff.recorded")).toHaveLength(1);
    await gone(place);
  });

  test("twice, while a clone is made and its git ignores it, leaves nothing alive", async () => {
    const place = await openPlace({ executor: [works], reviewer: [approves] });
    const does = "trap '' INT TERM; while :; do sleep 600; done";
    const terminal = openTerminal(place, { at: "checkout", does });
    await place.heard("git");
    terminal.write(ctrlC);
    await expect.poll(() => terminal.text()).toContain("again to stop at once");
    terminal.write(ctrlC);
    expect((await terminal.ended).exitCode).toBe(130);
    await gone(place);
  });
});

test("a kill of monoco while a clone is made leaves no git alive", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const path = gitThat(place, { at: "checkout", does: "exec sleep 600" });
  const running = place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env: { PATH: path } });
  await place.heard("git");
  running.kill("SIGKILL");
  await running;
  await gone(place);
});

test.for([
  ["an Executor works", { executor: [stands], reviewer: [approves] }],
  ["a Reviewer works", { executor: [works], reviewer: [stands] }],
] as const)("SIGINT while %s ends the run within 5 s beside two busy processes a core", async ([, story]) => {
  const place = await openPlace({ executor: [...story.executor], reviewer: [...story.reviewer] });
  const running = place.start("run", "FEAT-0001");
  await place.heard("working");
  const busy = new AbortController();
  onTestFinished(() => busy.abort());
  const spin = "for i in 1 2; do while :; do :; done & done; trap 'kill 0' TERM; wait";
  for (let core = 0; core < 2; core += 1)
    void execa("/bin/sh", ["-c", spin], { detached: true, reject: false, cancelSignal: busy.signal });
  const start = performance.now();
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(performance.now() - start).toBeLessThan(5_000);
});

// TRAP 62
test("one SIGINT ends a run whose git waits at a pipe that no look finds, and leaves no git alive", async () => {
  // Its refs are packed, or monoco would take the commit without a git that reads this configuration.
  const hides = run(
    'git commit -qm work --allow-empty && git pack-refs --all && mkfifo "$PERSON/../pipe" && git config include.path "$PERSON/../pipe"',
  );
  const place = await openPlace({ executor: [[hides]], reviewer: [approves] });
  const running = place.start("run", "FEAT-0001");
  await expect.poll(() => processesOf(place.around).join(), { timeout: 20_000 }).toContain("upload-pack");
  running.kill("SIGINT");
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(place.all("session.ended")).toEqual([]);
  await gone(place);
});

/** monoco in a pseudo-terminal, with a git that says where it is. */
function openTerminal(place: Place, stop: { at: string; does: string }) {
  const command = `exec '${process.execPath}' '${cliPath}' run FEAT-0001`;
  const child = execa("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    cwd: place.project,
    env: { ...place.sandbox.env, PATH: gitThat(place, stop), SHELL: "/bin/sh" },
    extendEnv: false,
    reject: false,
    stdin: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = child.then(({ exitCode }) => ({ exitCode, last: shown(text).slice(-3) }));
  return { ended, text: () => text, write: (keys: string) => void child.stdin.write(keys) };
}

/** The lines that a terminal shows of this, without colours and the time of day: what is erased is gone. */
function shown(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.split("\r\u001b[2K").at(-1) ?? "");
  return lines.map((line) => stripVTControlCharacters(line).replace(/^\d\d:\d\d:\d\d {2}/, ""));
}

/** A PATH with a git that reports when it is first called for `at`, and runs `does` before it goes on. */
function gitThat(place: Place, { at, does }: { at: string; does: string }): string {
  const bin = join(place.around, "bin");
  mkdirSync(bin);
  place.write(
    "../bin/git",
    `#!/bin/sh
FIFO='${place.around}/fifos/git'
case " $* " in *" ${at} "*) if mkdir '${bin}/once' 2> /dev/null; then mkfifo "$FIFO" 2> /dev/null; echo here > "$FIFO"; ${does}; fi;; esac
PATH=\${PATH#*:} exec git "$@"
`,
  );
  chmodSync(join(bin, "git"), 0o755);
  return `${bin}:${place.sandbox.env["PATH"]}`;
}

async function gone(place: Place): Promise<void> {
  await expect.poll(() => processesOf(place.around), { timeout: 10_000 }).toEqual([]);
}

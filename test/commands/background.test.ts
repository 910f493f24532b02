/** A run in the background: it outlives its terminal, is followed and stopped from any other, and loses nothing. */
import { on } from "node:events";
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { main } from "../../src/main.ts";
import { cliPath } from "../support/cli.ts";
import type { Ran } from "../support/cli.ts";
import { approves, commit, openPlace, run, say, submit, waitFor, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { transcript } from "../support/transcript.ts";

const stands = [say("working"), waitFor("go"), ...works];
const asleep = [say("working"), run("exec sleep 600")];

/** Ends what a failed test leaves: nobody else would. */
async function placeWith(executor: unknown[]): Promise<Place> {
  const place = await openPlace({ executor: [executor], reviewer: [approves] });
  onTestFinished(async () => {
    await place.monoco("stop", "--all");
  });
  return place;
}

/** As a snapshot can hold it. */
const told = (ran: Ran): string =>
  transcript(ran)
    .replaceAll(/process \d+/g, "process <pid>")
    .replaceAll(/\b\d\d:\d\d\b/g, "<minute>");

describe("monoco run --detach", () => {
  test("goes on when its terminal is closed, shows in the overview, and is followed to its end", async () => {
    const place = await placeWith(stands);
    const terminal = openTerminal(place, "run --all --detach");
    expect((await terminal.ended).exitCode, terminal.text()).toBe(0);
    await place.heard("working");
    expect(told(await place.monoco())).toMatchInlineSnapshot(`
      "needs you   none
      working     1 work
      done        none
      not begun   none
      spent       1 session, none reported a cost
      background  a run since <time> UTC (process <pid>): monoco log -f

      nothing needs you
      FEAT-0001  Write a file · a, 0 min"
    `);
    const again = await place.monoco("run", "--all", "--detach");
    expect(told(again)).toMatchInlineSnapshot(`
      "! error: a run goes on in the background already (process <pid> on <host>, since <time> UTC)
      ! hint: monoco log -f follows it; monoco stop --all ends it with a handoff
      exit 3"
    `);
    const pid = await pidOf(place);
    expect(readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[5]).toBe(String(pid));
    process.kill(pid, "SIGHUP");
    const followed = openTerminal(place, "log -f");
    await followed.shows("session 1");
    await place.go("go");
    expect(told(await followed.ended)).toMatchInlineSnapshot(`
      "<date> <time> UTC  monoco run --all --detach  (goes on)
      <time>  FEAT-0001  opened: Write a file (base main <hash>)
      <time>  FEAT-0001  session 1 (executor, a) started: new relay
      <time>  FEAT-0001  session 1 ended: submitted [<duration>, 1 commit]
      <time>  FEAT-0001  submission 1: commit <hash> by executor
      <time>  FEAT-0001  submission 1: no checks are configured
      <time>  FEAT-0001  session 2 (reviewer, a) started: submission 1 is checked
      <time>  FEAT-0001  session 2 ended: decided [<duration>]
      <time>  FEAT-0001  submission 1: approved by the reviewer
      <time>  FEAT-0001  merge of submission 1 prepared as <hash>
      <time>  FEAT-0001  merged submission 1 as <hash>
      <time>  FEAT-0001  done: merged as <hash>; monoco verify <hash> runs its evidence again"
    `);
    expect(place.all("merge.done")).toHaveLength(1);
    expect(transcript(await place.monoco("log", "-n", "1"))).toMatchInlineSnapshot(`
      "<date> <time> UTC  monoco run --all --detach  (ended)
      <time>  FEAT-0001  done: merged as <hash>; monoco verify <hash> runs its evidence again"
    `);
    expect((await place.monoco("inbox", "--json")).stdout).toContain('"background":null');
  });

  test.for([
    ["an unknown issue", ["FEAT-0009"], 2],
    ["a setting that is none", ["--all", "--set", "limits.nonsense=1"], 2],
  ] as const)("prints the refusal of %s, and keeps the log of the last run", async ([, args, exitCode]) => {
    const place = await placeWith(works);
    const inFront = await place.start("run", ...args);
    place.write(".monoco/run.log", "the last run\n");
    const ran = await place.start("run", ...args, "--detach");
    expect(ran).toMatchObject({ exitCode, stdout: "" });
    expect(ran.stderr).toContain(inFront.stderr.split("\n").find((line) => line.startsWith("error")));
    expect(place.read(".monoco/run.log")).toBe("the last run\n");
    expect(await place.sh("ls .monoco")).not.toMatch(/run\.\d/);
  });

  test("says that there was nothing to do", async () => {
    const place = await placeWith(works);
    await place.monoco("run", "--all");
    const ran = await place.start("run", "--all", "--detach");
    expect(transcript(ran)).toMatchInlineSnapshot(`"<time>  no open issues on main: nothing to run"`);
  });
});

describe("monoco stop --all", () => {
  test("hands over what runs in the background, and says how to go on", async () => {
    const place = await placeWith([run("echo half > half.txt"), ...asleep]);
    expect(await place.start("run", "FEAT-0001", "--detach")).toMatchObject({ exitCode: 0 });
    await place.heard("working");
    expect(transcript(await place.monoco("stop", "--all"))).toMatchInlineSnapshot(`
      "stopping: the session is ended and handed over; again to stop at once
      <time>  FEAT-0001  session 1 ended: user interrupt [<duration>, uncommitted work kept]
      <time>  FEAT-0001  handoff of session 1 for the next Executor: generated by monoco
      <time>  FEAT-0001  interrupted; nothing is lost: monoco resume FEAT-0001"
    `);
    expect(place.all("session.ended")).toMatchObject([{ filesChanged: 1 }]);
    expect(place.all("handoff.recorded")).toHaveLength(1);
    expect(transcript(await place.monoco("stop", "--all"))).toMatchInlineSnapshot(`
      "! error: no run goes on in the background
      ! hint: Ctrl-C ends a run at its own terminal; monoco stop ID ends the session of one relay
      exit 2"
    `);
  });
});

test("a run that waits for work is in the background, too, and says what ends it", async () => {
  const place = await placeWith(works);
  await place.monoco("run", "--all");
  expect(told(await place.start("run", "--all", "--watch", "--detach"))).toMatchInlineSnapshot(`
    "<time>  waits for work: an issue on main, an answer, an approval; monoco stop --all ends it
    in the background: monoco run --all --watch --detach (process <pid>)
      output: .monoco/run.log
      monoco             shows where it stands
      monoco log -f      follows it
      monoco stop --all  ends it with a handoff"
  `);
  expect(told(await place.monoco("stop", "--all"))).toMatchInlineSnapshot(
    `"stopping: nothing is lost; again to stop at once"`,
  );
});

test("an approval is acted on by the run in the background, where one watches", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { settings: "gates: { medium: human }\n" },
  );
  onTestFinished(async () => {
    await place.monoco("stop", "--all");
  });
  expect(await place.start("run", "--all", "--watch", "--detach")).toMatchObject({ exitCode: 0 });
  const types = (): string[] => place.events().map(({ type }) => type);
  await expect.poll(types, { timeout: 30_000 }).toContain("relay.blocked");
  expect(await place.monoco("issue", "review", "FEAT-0001", "--approve")).toMatchObject({
    exitCode: 0,
    stdout: "FEAT-0001: submission 1: approve\nnext: monoco status FEAT-0001",
  });
  await expect.poll(types, { timeout: 30_000 }).toContain("merge.done");
});

test("an approval that the run in the background does not take goes on by itself, or says what does", async () => {
  const place = await openPlace(
    { executor: [works, works, asleep], reviewer: [approves, approves] },
    { issues: ["FEAT-0001", "FEAT-0002", "FEAT-0003"], settings: "gates: { medium: human }\n" },
  );
  onTestFinished(async () => {
    await place.monoco("stop", "--all");
  });
  await place.monoco("run", "FEAT-0001", "FEAT-0002", "--jobs", "1");
  expect(await place.start("run", "FEAT-0003", "--detach")).toMatchObject({ exitCode: 0 });
  const approve = (id: string, ...flags: string[]): Promise<Ran> =>
    place.monoco("issue", "review", id, "--approve", ...flags);
  expect(await approve("FEAT-0001", "--detach")).toMatchObject({
    exitCode: 0,
    stdout: "FEAT-0001: submission 1: approve\nnext: monoco resume FEAT-0001",
  });
  expect(await approve("FEAT-0002")).toMatchObject({ exitCode: 0 });
  expect(place.all("merge.done", "FEAT-0002")).toHaveLength(1);
});

test("two that begin at once keep their logs apart", async () => {
  const place = await openPlace(
    { executor: [asleep], reviewer: [approves] },
    { issues: ["FEAT-0001", "FEAT-0002"] },
  );
  onTestFinished(async () => {
    await place.monoco("stop", "--all");
  });
  const from = (id: string): Promise<string> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const printed = Promise.all([text(stdout), text(stderr)]).then((both) => both.join(""));
    const { project, sandbox } = place;
    const surroundings = { cwd: project, env: sandbox.env, stdin: new PassThrough(), stdout, stderr };
    void main(["run", id, "--detach"], surroundings).finally(() => [stdout.end(), stderr.end()]);
    return printed;
  };
  const said = await Promise.all([from("FEAT-0001"), from("FEAT-0002")]);
  const begun = said.findIndex((one) => one.includes("in the background: "));
  expect(said[1 - begun]).toContain("a run goes on in the background already");
  expect(said[1 - begun]).not.toContain(`FEAT-000${begun + 1}`);
  expect(place.read(".monoco/run.log")).toContain(`monoco run FEAT-000${begun + 1} --detach`);
});

describe("monoco attach", () => {
  const talks = [
    { say: "I read\nthe \u001b[31mcode." },
    ...stands.slice(0, 2),
    { say: "Now I write." },
    { write: { "file.txt": "text\n" } },
    commit,
    submit,
  ];

  test("shows what the agent of the running session prints, until it ends", async () => {
    const place = await placeWith(talks);
    const running = place.start("run", "FEAT-0001");
    await place.heard("working");
    const attached = openTerminal(place, "attach FEAT-0001");
    await attached.shows("session 1");
    await place.go("go");
    expect(told(await attached.ended)).toMatchInlineSnapshot(`
      "FEAT-0001: session 1, executor by a
      I read
      the code.
      $ f="$FIFOS/working"; mkfifo "$f" 2> /dev/null; echo here > "$f"
      $ f="$FIFOS/go"; mkfifo "$f" 2> /dev/null; cat "$f"
      go
      Now I write.
      $ git add -A && git commit -qm work
      $ monoco issue submit
      FEAT-0001: commit <hash> (1 file) is put up for review
      next: stop now; an independent Reviewer decides
      FEAT-0001: session 1 ended: submitted [<duration>, 1 commit]"
    `);
    await running;
    expect(transcript(await place.monoco("attach", "FEAT-0001"))).toMatchInlineSnapshot(`
      "! error: FEAT-0001: no session runs now
      ! hint: monoco status FEAT-0001 shows where it stands, monoco log FEAT-0001 what has happened
      exit 2"
    `);
  });
});

test("monoco log -f ID follows a relay to the end of its run", async () => {
  const place = await placeWith(stands);
  const running = place.start("run", "FEAT-0001");
  await place.heard("working");
  const followed = openTerminal(place, "log FEAT-0001 -f -n 1");
  await followed.shows("session.");
  await place.go("go");
  const lines = (await followed.ended).stdout.split("\n").slice(1);
  const types = lines.map((line) => /:\d\d {2}([\w.]+)/.exec(line)?.[1]);
  expect([types[0], types.at(-1)]).toEqual(["session.identified", "merge.done"]);
  await running;
});

test("monoco log says of which run it is, and where one at a terminal is found", async () => {
  const place = await openPlace({ executor: [stands], reviewer: [approves] });
  place.write(".monoco/run.log", "2026-11-01 08:00 UTC  monoco run --all --detach\nthe last line\n");
  const running = place.start("run", "FEAT-0001");
  await place.heard("working");
  expect((await place.monoco("log", "-f")).stdout).toMatchInlineSnapshot(`
    "2026-11-01 08:00 UTC  monoco run --all --detach  (ended)
    another run prints at its own terminal: monoco log FEAT-0001 has its events
    the last line"
  `);
  await place.go("go");
  await running;
  expect((await place.monoco("log", "-f")).stdout).toMatchInlineSnapshot(`
    "2026-11-01 08:00 UTC  monoco run --all --detach  (ended)
    the last line"
  `);
});

async function pidOf(place: Place): Promise<number> {
  const { background } = JSON.parse((await place.monoco("inbox", "--json")).stdout) as {
    background: { pid: number };
  };
  return background.pid;
}

/** monoco in a pseudo-terminal, which hangs up when it ends. */
function openTerminal(place: Place, args: string) {
  const command = `exec '${process.execPath}' '${cliPath}' ${args}`;
  const child = execa("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    cwd: place.project,
    env: { ...place.sandbox.env, SHELL: "/bin/sh" },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (shown += chunk));
  const text = (): string => stripVTControlCharacters(shown).replaceAll("\r", "").trimEnd();
  /** Resolves once this is shown; rejects if the end comes first. */
  const shows = async (wanted: string): Promise<void> => {
    const news = on(child.stdout, "data", { close: ["end"] });
    while (!text().includes(wanted)) if ((await news.next()).done) break;
    await news.return?.();
    if (!text().includes(wanted)) throw new Error(`ended without ${wanted}: ${text()}`);
  };
  const ended = child.then(({ exitCode }): Ran => ({
    exitCode,
    stdout: text(),
    stderr: "",
    signal: undefined,
  }));
  return { ended, shows, text };
}

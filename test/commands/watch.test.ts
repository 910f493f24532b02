/** monoco watch in a real terminal (tmux): what it shows, what its keys do, and the terminal as it was afterwards. */
import { expect, test, vi } from "vitest";
import { fixture } from "../support/cli.ts";
import { approves, issuePath, issueText, openPlace, run, say, waitFor, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { monocoIn, openWindow, skipWithoutTmux } from "../support/tmux.ts";
import type { Window } from "../support/tmux.ts";

vi.setConfig({ testTimeout: 120_000 });

const done =
  "echo $MONOCO_ISSUE >> $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit";
/** FEAT-0001 merges, 2 asks, 3 waits for approval, 4 gets nowhere. */
const executor = [
  { usage: { contextTokens: 130_000, windowTokens: 200_000, costUsd: 1.2 } },
  run(
    `case $MONOCO_ISSUE in FEAT-0002) monoco relay ask "Which port? 端口?";; FEAT-0004) true;; *) ${done};; esac`,
  ),
];

async function weekend(): Promise<Place> {
  const place = await openPlace(
    { executor: [executor], reviewer: [[{ verdict: "approve" }]] },
    {
      limits: { stalledMax: 1, questionsMax: 1 },
      settings: "gates: { high: human }\nbreaker: { reopen: manual }\n",
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001"),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002").replace("Write a file", "提供一个文件 over HTTP"),
        [issuePath("FEAT-0003")]: issueText("FEAT-0003", "criticality: high\n"),
        [issuePath("FEAT-0004")]: issueText("FEAT-0004", "priority: high\n"),
        [issuePath("FEAT-0005")]: issueText("FEAT-0005", "dependencies: [FEAT-0004]\n"),
      },
    },
  );
  await place.monoco("run", "--all");
  return place;
}

/** The screen without what differs from run to run: ages, times, commits, and blanks at the ends of lines. */
const steady = (screen: string): string[] =>
  screen.split("\n").map((line) =>
    line
      .replace(/ +\d+[smh]$/, (age) => `${" ".repeat(age.length - 2)}0s`)
      .replaceAll(/\d+\.\d s/g, "1.0 s")
      .replaceAll(/\d\d:\d\d UTC/g, "12:00 UTC")
      .replaceAll(/commit \w{8}/g, "commit 01234567")
      .replaceAll(/[0-9a-f]{12,}/g, (hash) => "0".repeat(hash.length))
      .trimEnd(),
  );

async function watching(
  place: Place,
  size: { width: number; height: number; env?: Record<string, string> },
): Promise<Window & { found: Awaited<ReturnType<Window["modes"]>> }> {
  const window = await openWindow(place, size);
  await window.shows(/^[$#]/);
  const found = await window.modes();
  expect(found).toMatchObject({ cursor: true, alternate: false });
  await window.type(monocoIn("watch"));
  await window.keys("Enter");
  await window.shows("FEAT-0002");
  return { ...window, found };
}

test("the list, at three sizes: what needs you comes first, each with its words, the chosen one with its command", async (context) => {
  skipWithoutTmux(context);
  const place = await weekend();
  const window = await watching(place, { width: 80, height: 24 });
  expect(steady(await window.screen())).toMatchInlineSnapshot(`
    [
      "needs you   1 ask · 1 wait for your approval · 1 stuck",
      "working     none",
      "done        1 merged",
      "not begun   1 wait for others",
      "spent       $4.80 in 6 sessions, 4 reported a cost",
      "── all that is not done",
      ">? FEAT-0002  提供一个文件 over H… · asks: Which port? 端口?          $1.20   0s",
      " ! FEAT-0003  Write a file · submission 1 is approved by the Revie…   $1.20   0s",
      " x FEAT-0004  Write a file · no progress in 1 session in a row (st…   $1.20   0s",
      " . FEAT-0005  Write a file · waits for FEAT-0004",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "FEAT-0002  提供一个文件 over HTTP",
      "asks: Which port? 端口?",
      "$ monoco answer FEAT-0002 "…"",
      "",
      "",
      "? help  enter open  a answer  s say  v review  d diff  x stop  r resume  / find",
    ]
  `);
  // The issue that waits for approval: its page, then its evidence first, at each size.
  await window.keys("Down", "Enter");
  await window.shows("Sessions");
  expect(steady(await window.screen())).toMatchInlineSnapshot(`
    [
      "FEAT-0003  Write a file",
      "submission 1 is approved by the Reviewer: a person has to approve, too",
      "(gates.high human)",
      "",
      "Sessions",
      "  1  executor  a        12:00 UTC  submitted     1.0 s, context 65 %, $1.20",
      "  2  reviewer  a        12:00 UTC  decided       1.0 s",
      "",
      "Output of session 2",
      "$ git rev-parse HEAD",
      "0000000000000000000000000000000000000000",
      "$ test -z "$(git diff -I'^[^ ]+ -( [*]/)?$'",
      "0000000000000000000000000000000000000000)"; sh -c "exit $?"",
      "$ sh -c 'exit 0'",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "$ monoco issue review FEAT-0003",
      "? help  esc back  a answer  s say  v review  d diff  x stop  r resume  G end",
    ]
  `);
  await window.keys("v");
  await window.shows("Evidence by criterion");
  expect(steady(await window.screen())).toMatchInlineSnapshot(`
    [
      "FEAT-0003  Write a file",
      "submission 1, commit 01234567: approve by reviewer",
      "",
      "Evidence by criterion",
      "#   criterion         evidence                    base  branch worth",
      "1   the file is there test -z "$(git diff -I'^[^  1     0      shown",
      "                      ]+ -( [*]/)?$'",
      "                      000000000000000000000000000",
      "                      0000000000000)"; sh -c "ex…",
      "1   the file is there sh -c 'exit 0'              0     0      as before",
      "",
      "Where it stands",
      "submission 1 is approved by the Reviewer: a person has to approve, too",
      "(gates.high human)",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "$ monoco issue review FEAT-0003",
      "? help  esc back  y approve  n request changes  d diff",
    ]
  `);
  await window.resize(40, 12);
  await window.shows("1. the file is there");
  expect(steady(await window.screen())).toMatchInlineSnapshot(`
    [
      "FEAT-0003  Write a file",
      "submission 1, commit 01234567: approve…",
      "",
      "Evidence by criterion",
      "1. the file is there",
      "   met: test -z "$(git diff -I'^[^ ]+ -(",
      "   [*]/)?$' 0000000000000000000000000000",
      "   000000000000)"; sh -c "exit $?", exit",
      "   status 0, 1 on the base (shown)",
      "   met: sh -c 'exit 0', exit status 0, 0",
      "$ monoco issue review FEAT-0003",
      "? help  esc back  y approve  n request…",
    ]
  `);
  await window.resize(150, 50);
  await window.shows(/worth$/m);
  expect(steady(await window.screen()).filter((line) => line !== "")).toMatchInlineSnapshot(`
    [
      "FEAT-0003  Write a file",
      "submission 1, commit 01234567: approve by reviewer",
      "Evidence by criterion",
      "#   criterion                                     evidence                                                              base  branch worth",
      "1   the file is there                             test -z "$(git diff -I'^[^ ]+ -( [*]/)?$'                             1     0      shown",
      "                                                  0000000000000000000000000000000000000000)"; sh -c "exit $?"",
      "1   the file is there                             sh -c 'exit 0'                                                        0     0      as before",
      "Where it stands",
      "submission 1 is approved by the Reviewer: a person has to approve, too (gates.high human)",
      "$ monoco issue review FEAT-0003",
      "? help  esc back  y approve  n request changes  d diff",
    ]
  `);
  await window.keys("q");
  await window.shows("Sessions");
  await window.keys("q", "Up");
  await window.shows(/not begun +1 wait for others/);
  await window.shows(/\$1\.20 +\d+[sm]$/m);
  expect(steady(await window.screen()).filter((line) => line !== "")).toMatchInlineSnapshot(`
    [
      "needs you   1 ask · 1 wait for your approval · 1 stuck",
      "working     none",
      "done        1 merged",
      "not begun   1 wait for others",
      "spent       $4.80 in 6 sessions, 4 reported a cost",
      "── all that is not done",
      ">? FEAT-0002  提供一个文件 over HTTP · asks: Which port? 端口?                                                                 a            $1.20   0s",
      " ! FEAT-0003  Write a file · submission 1 is approved by the Reviewer: a person has to approve, too (gates.high human)         a            $1.20   0s",
      " x FEAT-0004  Write a file · no progress in 1 session in a row (stalledMax 1)                                                  a            $1.20   0s",
      " . FEAT-0005  Write a file · waits for FEAT-0004",
      "FEAT-0002  提供一个文件 over HTTP",
      "asks: Which port? 端口?",
      "$ monoco answer FEAT-0002 "…"",
      "? help  enter open  a answer  s say  v review  d diff  x stop  r resume  / find",
    ]
  `);
  await window.resize(40, 12);
  await window.shows("not begun 1");
  expect(steady(await window.screen())).toMatchInlineSnapshot(`
    [
      "needs you 3 · working 0",
      "done 1 · not begun 1",
      "── all that is not done",
      ">? FEAT-0002  asks: Which port? 端…   0s",
      " ! FEAT-0003  submission 1 is appr…   0s",
      " x FEAT-0004  no progress in 1 ses…   0s",
      " . FEAT-0005  waits for FEAT-0004",
      "",
      "",
      "",
      "$ monoco answer FEAT-0002 "…"",
      "? help  enter open  a answer  s say  v…",
    ]
  `);
  await window.keys("q");
  await expect.poll(window.modes).toEqual(window.found);
  expect(await window.screen()).toContain(monocoIn("watch"));
});

test.for<[string, (pid: number, window: Window) => void]>([
  ["SIGTERM", (pid) => process.kill(pid, "SIGTERM")],
  ["SIGHUP", (pid) => process.kill(pid, "SIGHUP")],
  ["ctrl-c", (_pid, window) => void window.keys("C-c")],
])("ended by %s, it leaves the terminal as it was", async ([, ends], context) => {
  skipWithoutTmux(context);
  const place = await openPlace({ executor: [works], reviewer: [approves] }, { issues: ["FEAT-0002"] });
  const window = await watching(place, { width: 80, height: 24 });
  const { stty, ...screen } = await window.modes();
  expect(screen).toEqual({ cursor: false, alternate: true });
  expect(stty).not.toBe(window.found.stty);
  ends(await window.pid(), window);
  await expect.poll(window.modes).toEqual(window.found);
  await window.type("echo typed-on");
  await window.keys("Enter");
  await window.shows(/(?<!echo )typed-on/);
});

test("after a crash the terminal is as it was, and the words of the error are there", async (context) => {
  skipWithoutTmux(context);
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const window = await openWindow(place, {
    width: 80,
    height: 24,
    env: { CLI: fixture("crashing-view.ts") },
  });
  await window.shows(/^[$#]/);
  const found = await window.modes();
  for (const how of ["draw", "timer", "promise"]) {
    await window.type(`clear; ${monocoIn(how)}`);
    await window.keys("Enter");
    await window.shows(`it broke in a ${how}`);
    await expect.poll(window.modes).toEqual(found);
  }
});

test("its keys do what the commands do: answer, request changes, resume, diff, approve, say, filter, set aside", async (context) => {
  skipWithoutTmux(context);
  const place = await weekend();
  const window = await watching(place, { width: 110, height: 30 });
  await window.keys("a");
  await window.shows("your answer");
  expect(await window.screen()).toContain("asks: Which port? 端口?\n");
  await window.type("-1 is no port; ");
  await window.paste("8080\n端口\n");
  await window.resize(60, 20);
  await window.shows(/^> -1 is no port; 8080 端口/m);
  await window.resize(110, 30);
  await window.keys("Enter");
  await window.shows("the next session is told");
  expect(place.all("question.answered", "FEAT-0002")).toMatchObject([{ text: "-1 is no port; 8080 端口" }]);

  await window.keys("/");
  await window.type("feat-0003");
  await window.keys("Enter");
  await window.shows("filter: feat-0003");
  await window.keys("a");
  await window.shows("FEAT-0003 asks nothing; s says something to it");
  await window.keys("v");
  await window.shows("Evidence by criterion");
  await window.keys("n");
  await window.type("端口 is missing");
  await window.keys("Enter");
  await expect
    .poll(() => place.all("review.decided", "FEAT-0003").at(-1), { timeout: 20_000 })
    .toMatchObject({ by: "person", verdict: "request_changes" });
  await window.keys("r");
  await window.shows(/submission 2, commit \w+: approve by reviewer[^]*a person has to approve/, 60_000);
  await expect.poll(() => place.monoco("inbox").then(({ stdout }) => stdout)).not.toContain("background");
  await window.keys("d");
  await window.shows("+FEAT-0003");
  await window.keys("q");
  await window.shows("Evidence by criterion");
  await window.keys("y");
  await window.shows("approve FEAT-0003, and merge it");
  await window.keys("y");
  await expect.poll(() => place.all("merge.done", "FEAT-0003").length, { timeout: 60_000 }).toBe(1);
  await window.keys("Escape");
  await window.shows("esc back  a answer");
  await window.keys("Escape");
  await window.shows("enter open");
  await window.keys("3");
  await window.shows(/\+ FEAT-0003/);

  // The filter holds in each section, until it is left. A key right after an escape would be another one.
  await window.keys("Escape");
  await window.shows("── all that is not done");
  await window.keys("1");
  await window.shows("FEAT-0004");
  await window.keys("/");
  await window.type("feat-0004");
  await window.keys("Enter");
  await window.shows("filter: feat-0004");
  await window.keys("s");
  await window.type("Measure first.");
  await window.keys("Enter");
  await window.shows("$ monoco say FEAT-0004");
  await expect.poll(() => place.all("note.said", "FEAT-0004").length, { timeout: 20_000 }).toBe(1);
  await window.keys("?");
  await window.shows("The list: what needs you comes first");
  await window.keys("q", "0", "/", "C-u");
  await window.type("feat-0005");
  await window.keys("Enter");
  await window.shows(/filter: feat-0005[^]*FEAT-0005/);
  await window.keys("Enter");
  await window.shows("FEAT-0005  Write a file\nwaits for FEAT-0004");
  await place.sh("rm issues/FEAT-0005*");
  await window.shows("it is no longer there");
  await window.keys("C-z");
  await window.shows("Stopped");
  expect(await window.modes()).toEqual(window.found);
  await window.type("fg");
  await window.keys("Enter");
  await window.shows("it is no longer there");
  await window.keys("C-c");
  await expect.poll(window.modes).toEqual(window.found);
});

test("with no shell behind it and its folder gone, it stays, says why a key fails, and keeps what was typed", async (context) => {
  skipWithoutTmux(context);
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { settings: "gates: { medium: human }\n" },
  );
  await place.monoco("run", "FEAT-0001");
  await place.sh("git worktree add -q ../linked");
  const window = await openWindow(place, { width: 80, height: 24 });
  await window.shows(/^[$#]/);
  await window.type(`cd ../linked && exec ${monocoIn("watch")}`);
  await window.keys("Enter");
  await window.shows("! FEAT-0001");
  await window.keys("C-z");
  // A key that is typed while the view is aside is nobody's.
  const back = async (): Promise<string> => window.keys("1").then(window.screen);
  await expect.poll(back, { timeout: 10_000 }).toMatch(/── needs you/);
  await place.sh("rm -r ../linked");
  await window.keys("s");
  await window.type("Measure first.");
  await window.keys("Enter");
  await window.shows(/ENOENT[^]*\$ monoco say FEAT-0001[^]*> Measure first\./);
  await window.keys("Escape");
  await expect.poll(window.screen).not.toContain("> Measure");
  await window.keys("?");
  await window.shows("The list: what needs you comes first");
});

test("a page follows a session, its output as it comes and none of its escapes; x stops it with a handoff", async (context) => {
  skipWithoutTmux(context);
  const hostile = "\u001b]0;owned\u0007\u001b[2J\u001b[?1049lI read src/login.ts\u202e";
  const place = await openPlace(
    {
      executor: [
        [{ say: "begun" }, say("begun"), waitFor("on"), { say: hostile }, say("said"), waitFor("never")],
      ],
      reviewer: [approves],
    },
    { issues: ["FEAT-0002"] },
  );
  void place.start("run", "FEAT-0002");
  await place.heard("begun");
  const window = await watching(place, { width: 80, height: 24 });
  await window.keys("Enter");
  await window.shows(/1 +executor +a +.*running/);
  await place.go("on");
  await place.heard("said");
  await window.keys("G");
  const screen = await window.shows("I read src/login.ts");
  expect(screen).not.toMatch(/owned|\u202e/);
  expect(await window.modes()).toMatchObject({ alternate: true });
  await window.keys("Escape");
  // The agent's last words: the command that told this test.
  await window.shows(/> FEAT-0002 .*FIFOS\/said/);
  await window.keys("x");
  await window.shows("stop FEAT-0002 with a handoff");
  await window.keys("y");
  await window.shows("$ monoco stop FEAT-0002");
  const live = ".monoco/relays/FEAT-0002/sessions/0001-executor/live.json";
  await expect.poll(() => place.read(live), { timeout: 20_000 }).toContain("user_interrupt");
  await window.keys("q");
  await expect.poll(window.modes).toEqual(window.found);
});

test("a page says that its session was cut off when the runner is killed, which leaves no event", async (context) => {
  skipWithoutTmux(context);
  const place = await openPlace(
    { executor: [[say("begun"), waitFor("on"), ...works]], reviewer: [approves] },
    { issues: ["FEAT-0002"] },
  );
  const { stdout } = await place.monoco("run", "FEAT-0002", "--detach", "--json");
  await place.heard("begun");
  const window = await watching(place, { width: 80, height: 24 });
  await window.keys("Enter");
  await window.shows(/1 +executor +a +.*running/);
  process.kill((JSON.parse(stdout) as { pid: number }).pid, "SIGKILL");
  await window.shows(/1 +executor +a +.*cut off/);
});

test("without a terminal, or at a dumb one, it says what to use instead; NO_COLOR takes the colours", async (context) => {
  const place = await openPlace({ executor: [works], reviewer: [approves] }, { issues: ["FEAT-0002"] });
  const stderr =
    "error: watch needs a terminal\nhint: monoco inbox prints the same once, monoco inbox --json for programs";
  expect(await place.monoco("watch")).toMatchObject({ exitCode: 2, stderr });

  skipWithoutTmux(context);
  const coloured = await watching(place, { width: 80, height: 24 });
  // eslint-disable-next-line no-control-regex
  const colour = /\u001b\[(?:\d+;)*(?:1|3[0-7]|9\d)m/;
  expect(await coloured.coloured()).toMatch(colour);
  await coloured.keys("q");
  await coloured.shows(/^[$#]/);
  await coloured.type(`clear; NO_COLOR=1 ${monocoIn("watch")}`);
  await coloured.keys("Enter");
  await coloured.shows("FEAT-0002");
  expect(await coloured.coloured()).not.toMatch(colour);
  await coloured.keys("q");
  await coloured.type(`clear; TERM=dumb ${monocoIn("watch")}; echo "exit $?"`);
  await coloured.keys("Enter");
  expect(await coloured.shows("exit 2")).toContain(stderr);
});

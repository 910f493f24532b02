/** Failures seen in other systems, reproduced with small programs as agents: what the relay makes of them. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { Running } from "../support/cli.ts";
import { timelineOf } from "../support/clock.ts";
import { approves, openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { approvalProgram } from "../support/verdict.ts";
import { full as test, testRows } from "../support/full.ts";

const approve = `[ "$MONOCO_ROLE" = reviewer ] && { ${approvalProgram}; exit 0; }`;
const work = "echo 1 >> file.txt; git add -A; git commit -qm work";
const program = (body: string): string => `#!/bin/sh\ncat > /dev/null\n${approve}\n${body}\n`;

/** A repository whose agent is `agent.sh` with this text. */
async function openProgram(
  text: string,
  { limits = {}, settings = "" }: { limits?: object; settings?: string } = {},
): Promise<Place> {
  const place = await openPlace({ executor: [[]], reviewer: [[]] }, { limits, settings });
  writeFileSync(join(place.project, "agent.sh"), text, { mode: 0o755 });
  place.write(
    "monoco.yaml",
    place
      .read("monoco.yaml")
      .replace(/agents: \{ a: .*/, "agents: { a: { kind: command, run: [./agent.sh] } }"),
  );
  await place.sh("git rm -q --cached story.yaml; rm story.yaml; git add -A; git commit -qm Agent");
  return place;
}

// TRAP 5
describe("an agent that fails again and again is waited for longer each time, and stopped by the breaker", () => {
  testRows<[string, string, object, string]>([
    ["it cannot be started", "#!/no/such/interpreter\n", {}, "failure"],
    ["it exits with an error", program("exit 3"), {}, "failure"],
    ["it is killed", program("kill -9 $$"), {}, "failure"],
    ["it says nothing any more", program("exec sleep 600"), { silenceMinutes: 0.001 }, "silent"],
  ])("%s", async ([, text, limits, reason]) => {
    const place = await openProgram(text, { limits: { backoffSeconds: 15, ...limits } });
    const time = timelineOf(place);
    const end = await time.run("FEAT-0001", { wait: ({ because }) => !because.includes("stalledMax") });
    expect(end).toMatchObject({
      end: "later",
      reason: { rule: "breaker_open", by: { rule: "no_progress", sessions: 3, max: 3 } },
    });
    expect(place.all("session.ended").map((ended) => ended.reason)).toEqual([reason, reason, reason]);
    expect(
      time.waits.map(({ because, atMs, untilMs }) => [because, Math.round((untilMs - atMs) / 5_000) * 5]),
    ).toEqual([
      ["back-off after 1 failed session without progress", 15],
      ["back-off after 2 failed sessions without progress", 30],
      ["no progress in 3 sessions in a row (stalledMax 3)", 1_800],
    ]);
    const starts = place.events().filter((event) => event.type === "session.started");
    expect(starts[1]!.atMs - starts[0]!.atMs).toBeGreaterThanOrEqual(15_000);
    expect(starts[2]!.atMs - starts[1]!.atMs).toBeGreaterThanOrEqual(30_000);
  });
});

// TRAP 14
describe("words about limits in the work are work", () => {
  const words =
    "echo \"You've hit your usage limit · resets 3pm\"; echo 'Claude AI usage limit reached|1795253808' >&2";
  testRows([
    ["and its process ends well", program(words), "completed_without_submit"],
    ["and its process fails", program(`${words}; exit 1`), "failure"],
    [
      "and a line of JSON that is not one by itself",
      program(`echo 'I print {"type":"limit","kind":"usage"} when it is reached'`),
      "completed_without_submit",
    ],
  ] as const)("%s", async ([, text, reason]) => {
    const place = await openProgram(text);
    await place.monoco("run", "FEAT-0001", "--once");
    expect(place.all("session.ended")).toMatchObject([{ reason }]);
    expect(place.all("limit.hit")).toEqual([]);
  });
});

test("a wait that it does not tell the length of is a limit and no failure to start, and the next agent goes on", async () => {
  const limits = { silenceMinutes: 0.05, startSeconds: 0.3 };
  const place = await openProgram(program(`${work}\nmonoco issue submit`), { limits });
  const bin = join(place.around, "bin");
  mkdirSync(bin);
  const recorded = join(import.meta.dirname, "..", "agents", "recorded", "codex", "busy-until-untold.jsonl");
  const asked = 'case "$1" in --version) echo codex-cli 0.171.0; exit;; esac';
  const text = `#!/bin/sh\n${asked}\ncat '${recorded}'\nexec sleep 600\n`;
  writeFileSync(join(bin, "codex"), text, { mode: 0o755 });
  // Without a login it would be tried last.
  mkdirSync(join(place.around, "home", ".codex"), { recursive: true });
  writeFileSync(join(place.around, "home", ".codex", "auth.json"), "{}");
  place.write(
    "monoco.yaml",
    place.read("monoco.yaml").replace("executor: { agents: [a] }", "executor: { agents: [codex, a] }"),
  );
  await place.sh("git commit -qam Codex");
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const ran = await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project, env });
  const end = place.events().find((event) => event.type === "session.ended")!;
  const by = { rule: "silent_wait", said: expect.any(String) as string };
  expect(end).toMatchObject({
    reason: "usage_limit",
    evidence: expect.arrayContaining([{ rule: "stopped", by }]) as object[],
    resetGuessed: true,
  });
  const limitsHit = place.all("limit.hit").map(({ resetsAtMs, resetGuessed }) => ({
    hours: (resetsAtMs - end.atMs) / 3_600_000,
    resetGuessed,
  }));
  expect(limitsHit).toEqual([{ hours: expect.closeTo(1, 2) as number, resetGuessed: true }]);
  const agents = place.all("session.started").map(({ agent }) => agent);
  expect(agents, ran.stdout + ran.stderr).toEqual(["codex", "a", "a"]);
});

// TRAP 58
test("an agent that has not started is waited for like a failure, and says so with the last words of its standard error", async () => {
  const body = "echo 'waiting for the server' >&2; exec sleep 600";
  const place = await openProgram(program(body), { limits: { startSeconds: 0.3, backoffSeconds: 15 } });
  const bin = join(place.around, "bin");
  mkdirSync(bin);
  const version = 'case "$1" in --version) echo codex-cli 0.171.0; exit;; esac';
  writeFileSync(join(bin, "codex"), `#!/bin/sh\n${version}\n${body}\n`, { mode: 0o755 });
  place.write(
    "monoco.yaml",
    place.read("monoco.yaml").replace("executor: { agents: [a] }", "executor: { agents: [codex] }"),
  );
  await place.sh("git commit -qam Codex");
  const time = timelineOf(place);
  process.env["PATH"] = `${bin}:${process.env["PATH"] ?? ""}`;
  await time.run("FEAT-0001", { wait: () => false });
  const [end] = place.all("session.ended");
  expect(end).toMatchObject({ reason: "not_started" });
  expect(endingWords(end!.evidence).join("\n")).toContain(
    "nothing came of its start within 0.3 seconds\nstderr: waiting for the server",
  );
  const waits = time.waits.map(({ because }) => because);
  expect(waits).toContain("back-off after 1 failed session without progress");
});

// TRAP 15
testRows([
  ["an expired login", '"api_error_status":401,"result":"API Error: 401 authentication_error"', ""],
  [
    "a bill that was not paid",
    '"api_error_status":400,"result":"Credit balance is too low"',
    '{"type":"assistant","error":"billing_error","message":{"model":"<synthetic>","content":[]}}',
  ],
] as const)(
  "%s asks a person at once: one session, exit code 4, nothing tried again",
  async ([, fields, before]) => {
    const place = await openProgram(program("exit 1"));
    const bin = join(place.around, "bin");
    await place.sandbox.sh(place.around, "mkdir bin");
    const result = `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error",${fields}}`;
    writeFileSync(
      join(bin, "claude"),
      `#!/bin/sh\nread -r _\nprintf '%s\\n' '{"type":"system","subtype":"init","session_id":"s"}' '${before || "{}"}' '${result}'\nexit 1\n`,
      { mode: 0o755 },
    );
    place.write(
      "monoco.yaml",
      place.read("monoco.yaml").replace("executor: { agents: [a] }", "executor: { agents: [claude] }"),
    );
    await place.sh("git commit -qam Claude");
    const run = (...args: string[]) =>
      place.sandbox.monoco(args, {
        cwd: place.project,
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      });
    const ran = await run("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 4 });
    expect(ran.stdout).toContain("claude needs a person");
    expect(place.all("session.ended")).toMatchObject([{ reason: "needs_login" }]);
    const status = await run("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({
      phase: "blocked",
      waitingUntilMs: null,
      sessionsSpent: 0,
    });
  },
);

// TRAP 22
it("sessions that work and end in under a second are good ones: no back-off, no breaker, and their work is merged", async () => {
  const place = await openProgram(program(`${work}\n[ "$MONOCO_SESSION" -lt 5 ] || monoco issue submit`), {
    limits: { backoffSeconds: 15 },
    settings: "exit: { submit: false }\n",
  });
  const time = timelineOf(place);
  expect(await time.run("FEAT-0001")).toMatchObject({ rest: { phase: "done" } });
  expect(time.waits).toEqual([]);
  expect(place.all("breaker.changed")).toEqual([]);
  const executors = place.all("session.ended").slice(0, 5);
  expect(executors.map(({ reason, progress }) => [reason, progress])).toEqual([
    ...Array.from({ length: 4 }, () => ["completed_without_submit", true]),
    ["submitted", true],
  ]);
  expect(place.read("file.txt")).toBe("1\n".repeat(5));
});

// TRAP 23
describe("how a run ended is told by its exit code and by the status", () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  type Row = [string, string, { limits?: object; settings?: string }, string[], number, object];
  testRows<Row>([
    ["done", program(`${work}; monoco issue submit`), {}, [], 0, { phase: "done" }],
    [
      "halted by the breaker",
      program("exit 0"),
      { limits: { stalledMax: 1 }, settings: "breaker: { reopen: manual }\n" },
      [],
      1,
      { phase: "blocked", because: "no progress in 1 session in a row (stalledMax 1)" },
    ],
    [
      "out of sessions",
      program("echo $MONOCO_SESSION > file.txt"),
      { limits: { sessionsMax: 2 } },
      [],
      1,
      { phase: "blocked", because: "spent 2 sessions (sessionsMax 2)" },
    ],
    [
      "limited",
      program(`echo '{"type":"limit","kind":"usage","resetsAt":"${inAnHour}"}'`),
      {},
      ["--once"],
      75,
      { phase: "ready", next: "wait", waitingUntilMs: Date.parse(inAnHour), because: "usage limit of a" },
    ],
    [
      "failed, to be tried again later",
      program("exit 1"),
      { limits: { backoffSeconds: 3_600 } },
      ["--once"],
      75,
      { phase: "ready", next: "wait", because: "back-off after 1 failed session without progress" },
    ],
    [
      "with a question",
      program('monoco relay ask "Which port?"'),
      { limits: { questionsMax: 1 } },
      [],
      1,
      {
        phase: "blocked",
        because: "session 1 asks: Which port?",
        question: { session: 1, text: "Which port?" },
      },
    ],
  ])("%s", async ([, text, options, flags, exitCode, status]) => {
    const place = await openProgram(text, options);
    expect(await place.monoco("run", "FEAT-0001", ...flags)).toMatchObject({ exitCode });
    const told = await place.monoco("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(told.stdout)).toMatchObject(status);
  });

  testRows<[string, (running: Running, place: Place) => Promise<unknown>, number, object]>([
    [
      "interrupted",
      async (running) => running.kill("SIGINT"),
      130,
      { phase: "ready", sessions: [{ reason: "user_interrupt" }], hint: "monoco resume FEAT-0001" },
    ],
    [
      "paused by a person",
      (_, place) => place.monoco("relay", "stop", "FEAT-0001"),
      1,
      { phase: "paused", because: "a person asked it to stop" },
    ],
  ])("%s", async ([, ends, exitCode, status]) => {
    const place = await openProgram(program('touch "$MONOCO_SESSION_DIR/here"; exec sleep 600'));
    const running = place.start("run", "FEAT-0001");
    const here = join(place.project, ".monoco/relays/FEAT-0001/sessions/0001-executor/here");
    await expect.poll(() => existsSync(here), { timeout: 60_000 }).toBe(true);
    await ends(running, place);
    expect(await running).toMatchObject({ exitCode });
    const told = await place.monoco("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(told.stdout)).toMatchObject(status);
  });
});

it("an agent that is denied its tools is not asked a third time: the breaker opens and says which", async () => {
  const denied = program(`echo '{"type":"denied","tool":"Bash(git *)"}'; exit 0`);
  const place = await openProgram(denied, {
    limits: { backoffSeconds: 0 },
    settings: "breaker: { reopen: manual }",
  });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran.exitCode, ran.stderr).toBe(1);
  expect(ran.stdout).toContain("blocked: tools were denied in 2 sessions in a row, last Bash(git *)");
  expect(place.all("session.ended").map((ended) => ended.denied)).toEqual([["Bash(git *)"], ["Bash(git *)"]]);
});

// TRAP 51
test("a clone finds nothing of the person's: it lies outside, where no node_modules and no tests of another are", async () => {
  const find = `node -e "require('left')"`;
  const look = `pwd; if ${find} 2> /dev/null; then echo found; else echo nothing; fi`;
  const looks = `#!/bin/sh\ncat > /dev/null\n{ ${look}; } >> ../seen-$MONOCO_ROLE.txt\n`;
  const place = await openProgram(`${looks}${approve}\n${work}; monoco issue submit\n`);
  place.write(".gitignore", "node_modules/\n");
  place.write("node_modules/left/index.js", "");
  await place.sh(`git add -A; git commit -qm Modules; ${find}`);
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  const [seen = ""] = globSync("**/seen-executor.txt", { cwd: place.around });
  for (const role of ["executor", "reviewer"]) {
    const text = readFileSync(join(place.around, dirname(seen), `seen-${role}.txt`), "utf8");
    const [folder = "", found] = text.trim().split("\n");
    expect(found).toBe("nothing");
    expect(relative(place.project, folder)).toMatch(/^\.\.\//);
  }
});

// TRAP 54
testRows([["setpriv"], ["unshare"]])(
  "where %s is refused the process group holds the tree, which is found out once and said",
  async ([name = ""]) => {
    const place = await openProgram(program(`${work}; monoco issue submit`));
    const folder = join(place.around, "refused");
    const log = join(place.around, "asked.txt");
    mkdirSync(folder);
    writeFileSync(join(folder, name), `#!/bin/sh\necho asked >> '${log}'\nexit 1\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    // What works on a machine is found out once a process.
    const ran = await place.sandbox.start(["run", "FEAT-0001"], { cwd: place.project, env });
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(new Set(place.all("session.started").map(({ containment }) => containment))).toEqual(
      new Set(["process-group"]),
    );
    // The launcher of git asks for setpriv, too: once.
    expect(readFileSync(log, "utf8")).toBe("asked\n".repeat(name === "setpriv" ? 2 : 1));
    const status = await place.monoco("relay", "status", "FEAT-0001");
    expect(status.stdout).toContain("sandbox   none; process tree held by process-group");
  },
);

// TRAP 57
test("a file that is dirty again after each submit asks a person the third time, and is named", async () => {
  const works = [run("date >> work.txt && git add -A && git commit -qm work"), submit];
  const place = await openPlace({
    executor: [[...works, run("echo called >> hook.log")]],
    reviewer: [approves],
  });
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran.exitCode, ran.stderr).toBe(1);
  expect(ran.stdout).toContain("find what writes hook.log, and undo, ignore or commit it");
  expect(place.all("submission.refused")).toMatchObject(
    [1, 2, 3].map((session) => ({ session, kind: "uncommitted", paths: ["hook.log"] })),
  );
  expect(place.all("session.started")).toHaveLength(3);
});

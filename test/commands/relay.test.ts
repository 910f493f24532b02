/** What a person does with a relay from the outside: stop, interrupt, resume, clear, submit, review, look. */
import { globSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RelayEvent } from "../../src/core/journal/event.ts";
import { eventsOf, openSandbox, processesOf } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { approvalProgram } from "../support/verdict.ts";
import { full as test, testRows } from "../support/full.ts";
import { transcript } from "../support/transcript.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

type Story = { executor: unknown[][]; reviewer: unknown[][] };
type Place = {
  sandbox: Sandbox;
  project: string;
  monoco(...args: string[]): Promise<Ran>;
  start(...args: string[]): ReturnType<Sandbox["start"]>;
  events(issue?: string): RelayEvent[];
  types(issue?: string): string[];
  /** Waits until an event of the type is in the journal. */
  until(type: RelayEvent["type"]): Promise<void>;
  write(path: string, text: string): void;
};

const issueText = (id: string, more = ""): string =>
  `---\nid: ${id}\ntitle: Write a file\nstatus: open\nstage: draft\n${more}---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] file.txt is there\n`;

/** A repository with an issue (or several) and the scripted agent in both roles. JSON is YAML. */
async function makePlace(
  story: Story,
  options: { settings?: string; issues?: string[] } = {},
): Promise<Place> {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const project = join(sandbox.folder, "a project, 项目");
  mkdirSync(join(project, "issues"), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(project, path), text);
  for (const id of options.issues ?? ["FEAT-0001"]) write(`issues/${id}-write-a-file.md`, issueText(id));
  write("story.yaml", JSON.stringify(story));
  write(
    "monoco.yaml",
    `agents: { a: { kind: scripted, script: story.yaml } }\nroles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\nbreaker: { reopen: manual }\n${options.settings ?? 'checks: ["test -f file.txt"]\nlimits: { backoffSeconds: 0 }\n'}`,
  );
  await sandbox.sh(
    project,
    "git init -q -b main . && git config user.name P && git config user.email p@example.com && git add -A && git commit -qm Begin",
  );
  const journal = (issue: string): string => join(project, ".monoco", "relays", issue, "journal.jsonl");
  const events = (issue = "FEAT-0001"): RelayEvent[] => eventsOf(project, issue);
  return {
    sandbox,
    project,
    monoco: (...args) => sandbox.monoco(args, { cwd: project }),
    start: (...args) => sandbox.start(args, { cwd: project }),
    events,
    types: (issue) => events(issue).map((event) => event.type),
    until: (type) =>
      expect
        .poll(
          () =>
            existsSync(journal("FEAT-0001")) &&
            readFileSync(journal("FEAT-0001"), "utf8").includes(`"type":"${type}"`),
          { timeout: 30_000, interval: 20 },
        )
        .toBe(true),
    write,
  };
}

const commit = { run: "git add -A && git commit -qm work" };
/** Drops the message of a submit. */
const drops = `printf '{"id":"12345678-x","atMs":1,"type":"submit","commit":"%s"}' $(git rev-parse HEAD) > "$TMPDIR/1.json" && mv "$TMPDIR/1.json" "$MONOCO_SESSION_DIR/outbox/1.json"`;
const works = [{ write: { "file.txt": "text\n" } }, commit, { submit: true }];
const approves = [{ verdict: "approve" }];
const hangs = [{ usage: { contextTokens: 10 } }, { sleep: 600 }];
const good: Story = { executor: [works], reviewer: [approves] };

/** Waits until the running session's agent has said something: it is in its work then. */
const atWork = (place: Place): Promise<void> => place.until("session.identified");

/** The agents learn the person's own folder, to commit there while a relay runs: as $PERSON. */
async function tellWhereThePersonIs(place: Place): Promise<void> {
  const settings = readFileSync(join(place.project, "monoco.yaml"), "utf8");
  const env = `env: { PERSON: ${JSON.stringify(place.project)} }`;
  place.write("monoco.yaml", settings.replace("story.yaml }", `story.yaml, ${env} }`));
  await place.sandbox.git(place.project, "commit", "-qam", "Settings");
}

describe("stopping", () => {
  it("Ctrl-C ends the session, keeps a handoff and the uncommitted work, leaves nothing running, and exits with 130 (TRAP 8, 9)", async () => {
    const place = await makePlace({
      executor: [[{ write: { "half.txt": "half\n" } }, ...hangs]],
      reviewer: [approves],
    });
    const running = place.start("run", "FEAT-0001");
    await atWork(place);
    const half = "state/monoco/*/FEAT-0001/half.txt";
    await expect.poll(() => globSync(half, { cwd: place.sandbox.folder })).toHaveLength(1);
    const began = Date.now();
    running.kill("SIGINT");
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(Date.now() - began).toBeLessThan(10_000);
    const ended = place.events().find((event) => event.type === "session.ended");
    expect(ended).toMatchObject({ reason: "user_interrupt", progress: true });
    expect(place.types()).toContain("handoff.recorded");
    expect(
      await place.sandbox.git(place.project, "show", "refs/monoco/FEAT-0001/sessions/1/wip:half.txt"),
    ).toBe("half");
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });

  test("Ctrl-C twice stops at once, and resume goes on from there", async () => {
    const place = await makePlace({ executor: [[{ run: "true" }, ...hangs], works], reviewer: [approves] });
    const running = place.start("run", "FEAT-0001");
    await atWork(place);
    running.kill("SIGINT");
    running.kill("SIGTERM");
    await running;
    await expect.poll(() => processesOf(place.sandbox.folder)).toEqual([]);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.types().at(-1)).toBe("merge.done");
  });

  it("relay stop pauses a relay whose session runs; status says so; resume goes on", async () => {
    const place = await makePlace({ executor: [hangs, works], reviewer: [approves] });
    const running = place.start("run", "FEAT-0001");
    await atWork(place);
    const stopped = await place.monoco("relay", "stop", "FEAT-0001", "--json");
    expect(JSON.parse(stopped.stdout)).toEqual({ issue: "FEAT-0001", stop: "runner" });
    expect(await running).toMatchObject({ exitCode: 1 });
    const status = await place.monoco("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({
      phase: "paused",
      runner: "none",
      next: "nothing",
      hint: "monoco resume FEAT-0001",
    });
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.types().filter((type) => type === "merge.done")).toHaveLength(1);
  });

  test("relay stop without a runner is journaled by the command itself", async () => {
    const place = await makePlace({ executor: [[{ exit: 0 }], works], reviewer: [approves] });
    await place.monoco("run", "FEAT-0001", "--once");
    const stopped = await place.monoco("relay", "stop", "FEAT-0001", "--json");
    expect(JSON.parse(stopped.stdout)).toEqual({ issue: "FEAT-0001", stop: "taken" });
    expect(place.types().at(-1)).toBe("relay.paused");
  });

  test("an agent whose process group is stopped by a signal is told as that, with how it is known", async () => {
    const place = await makePlace({ executor: [hangs], reviewer: [approves] });
    const running = place.start("run", "FEAT-0001");
    await atWork(place);
    const identity = readFileSync(
      join(place.project, ".monoco/relays/FEAT-0001/sessions/0001-executor/session.json"),
      "utf8",
    );
    const { pid } = JSON.parse(identity) as { pid: number };
    process.kill(-pid, "SIGSTOP");
    const status = async (...more: string[]) =>
      (await place.monoco("relay", "status", "FEAT-0001", ...more)).stdout;
    await expect
      .poll(() => status(), { timeout: 60_000 })
      .toContain(`process STOPPED by a signal (/proc/${pid}/stat; kill -CONT -${pid} lets it go on), `);
    expect(JSON.parse(await status("--json"))).toMatchObject({
      current: { processAlive: true, stoppedProcess: { pid, group: pid } },
    });
    process.kill(-pid, "SIGCONT");
    await expect.poll(() => status(), { timeout: 60_000 }).toContain("process alive, ");
    running.kill("SIGINT");
    await running;
  });

  test("a window that neither the agent nor the settings tell is assumed, and the status says so", async () => {
    const place = await makePlace({
      executor: [[{ usage: { contextTokens: 30_000 } }, { sleep: 600 }]],
      reviewer: [approves],
    });
    const running = place.start("run", "FEAT-0001");
    await expect
      .poll(async () => (await place.monoco("relay", "status", "FEAT-0001")).stdout, { timeout: 60_000 })
      .toMatch(/context 15 % of an assumed window of 200000 tokens \(agents\.a\.windowTokens sets it\)/);
    const status = await place.monoco("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({
      current: { contextTokens: 30_000, windowTokens: 200_000, windowAssumed: true },
    });
    running.kill("SIGINT");
    await running;
  });

  test("a status after the runner was killed says that the session was cut off, not that it runs (TRAP 3)", async () => {
    const place = await makePlace({ executor: [hangs, works], reviewer: [approves] });
    const running = place.start("run", "FEAT-0001");
    await atWork(place);
    running.kill("SIGKILL");
    await running;
    await expect.poll(() => processesOf(place.sandbox.folder)).toEqual([]);
    const status = JSON.parse(
      (await place.monoco("relay", "status", "FEAT-0001", "--json")).stdout,
    ) as object;
    expect(status).toMatchObject({
      runner: "none",
      because: "session 1 was cut off: its runner died",
      hint: "monoco resume FEAT-0001",
      current: { processAlive: false },
    });
  });
});

it("relay log tells the events in words, the newest last, and as the journal has them", async () => {
  const place = await makePlace({ executor: [works], reviewer: [approves] });
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const told = await place.monoco("relay", "log", "FEAT-0001", "-n", "3");
  expect(
    told.stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => /:\d\d {2}(\S+)/.exec(line)?.[1]),
  ).toEqual(place.types().slice(-3));
  expect(transcript(told)).toMatchInlineSnapshot(`
    "times: UTC
      13  <time>  review.decided  submission 1: approved by the reviewer
      14  <time>  merge.prepared  merge of submission 1 prepared as <hash>
      15  <time>  merge.done  merged submission 1 as <hash>"
  `);
  const raw = await place.monoco("relay", "log", "FEAT-0001", "--json");
  expect(
    raw.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(place.events());
  expect(transcript(await place.monoco("relay", "log", "FEAT-0009"))).toMatchInlineSnapshot(`
    "! error: FEAT-0009 exists nowhere: no branch has a file issues/**/FEAT-0009*.md
    ! hint: monoco issue list shows what there is
    exit 2"
  `);
});

test("a merged relay stays merged when it is cleared, and is no relay to go on with", async () => {
  const place = await makePlace({ executor: [works], reviewer: [approves] });
  expect(transcript(await place.monoco("relay", "status", "FEAT-0001"))).toMatchInlineSnapshot(`
    "! error: FEAT-0001 has no open relay
    ! hint: monoco run FEAT-0001 (opens one)
    exit 2"
  `);
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  const merged =
    /^error: FEAT-0001 is merged as [0-9a-f]{8}: it has no open relay\nhint: .*monoco issue reopen FEAT-0001/;
  const expectMerged = async (): Promise<void> => {
    const status = await place.monoco("relay", "status", "FEAT-0001", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ phase: "done", mergedAs: expect.any(String) });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/FEAT-0001 {2}is done: merged as/) as string,
    });
    expect((await place.monoco("relay", "say", "FEAT-0001", "hello")).stderr).toMatch(merged);
    expect((await place.monoco("stats")).stdout).toContain("relays 1: merged 1 (100 %)");
  };
  await expectMerged();
  expect(await place.monoco("relay", "clear", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  await expectMerged();
  expect((await place.monoco("relay", "clear", "FEAT-0001")).stderr).toMatch(merged);
});

describe("limits", () => {
  it("--once runs one session, and does not wait until the next could start", async () => {
    const story = { executor: [[{ exit: 3 }], works], reviewer: [approves] };
    const place = await makePlace(story, { settings: "limits: { backoffSeconds: 3600 }\n" });
    const ran = await place.monoco("run", "FEAT-0001", "--once");
    expect(transcript(ran)).toMatchInlineSnapshot(`
      "<time>  FEAT-0001  opened: Write a file (base main <hash>)
      <time>  FEAT-0001  session 1 (executor, a) started: new relay
      <time>  FEAT-0001  session 1 ended: failure (exit status 3) [<duration>]
      <time>  FEAT-0001  handoff of session 1 for the next Executor: generated by monoco
      <time>  FEAT-0001  back-off after 1 failed session without progress: try again at <time> UTC (or use --wait)
      exit 75"
    `);
    expect(place.types().filter((type) => type === "session.started")).toHaveLength(1);
    expect(place.types().at(-1)).toBe("handoff.recorded");
  });

  it("three sessions without progress block the relay, with the command that goes on (TRAP 5, 23)", async () => {
    const place = await makePlace(
      {
        executor: [[{ say: "All done! <promise>COMPLETE</promise>\nEXIT_SIGNAL: true" }]],
        reviewer: [approves],
      },
      { settings: "limits: { backoffSeconds: 0 }\n" },
    );
    const ran = await place.monoco("run", "FEAT-0001");
    expect(transcript(ran)).toMatchInlineSnapshot(`
      "<time>  FEAT-0001  opened: Write a file (base main <hash>)
      <time>  FEAT-0001  session 1 (executor, a) started: new relay
      <time>  FEAT-0001  session 1 ended: completed without submit [<duration>]
      <time>  FEAT-0001  handoff of session 1 for the next Executor: generated by monoco
      <time>  FEAT-0001  session 2 (executor, a) started: session 1 handed over
      <time>  FEAT-0001  session 2 ended: completed without submit [<duration>]
      <time>  FEAT-0001  handoff of session 2 for the next Executor: generated by monoco
      <time>  FEAT-0001  session 3 (executor, a) started: session 2 handed over
      <time>  FEAT-0001  session 3 ended: completed without submit [<duration>]
      <time>  FEAT-0001  handoff of session 3 for the next Executor: generated by monoco
      <time>  FEAT-0001  paused: no progress in 3 sessions in a row (stalledMax 3)
      <time>  FEAT-0001  blocked: no progress in 3 sessions in a row (stalledMax 3)
      <time>  FEAT-0001  hint: monoco say FEAT-0001 "…", then monoco resume FEAT-0001; or monoco resume FEAT-0001 (one session tries)
      exit 1"
    `);
    expect(place.types()).toContain("breaker.changed");
    expect(place.events().filter((event) => event.type === "session.started")).toHaveLength(3);
    expect(place.types()).not.toContain("submission.requested");
  });

  test("a session that finished and forgot to submit is put up for review on its behalf", async () => {
    const says =
      "I implemented it and committed; all tests pass.\n\nRALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: true";
    const place = await makePlace({
      executor: [
        [{ write: { "file.txt": "x" } }, { run: "git add -A && git commit -qm work" }, { say: says }],
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "signal.scored")).toMatchObject({
      session: 1,
      exitSignal: true,
      finished: true,
    });
    expect(place.events().find((event) => event.type === "submission.requested")).toMatchObject({
      by: "monoco",
      session: 1,
    });
    expect(place.types()).toContain("merge.done");
  });

  test("one that finished and left its work uncommitted is refused, and told so", async () => {
    const says = "I implemented it; all tests pass.\n\nRALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: true";
    const place = await makePlace({
      executor: [[{ write: { "file.txt": "x" } }, { say: says }], works],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "submission.refused")).toMatchObject({
      by: "monoco",
      why: "uncommitted changes: file.txt",
    });
  });

  test("a session over its time is stopped and handed over", async () => {
    const place = await makePlace(
      { executor: [[{ write: { "a.txt": "a" } }, { sleep: 600 }], works], reviewer: [approves] },
      { settings: "limits: { backoffSeconds: 0, sessionMinutes: 0.05, silenceMinutes: 5 }\n" },
    );
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({
      reason: "timeout",
      progress: true,
    });
  });

  test("a session whose command fails in the same way again and again wraps up, with a post-mortem", async () => {
    const fails = { run: "echo 'cannot find module x' >&2; exit 1" };
    const place = await makePlace({
      executor: [
        [
          { write: { "a.txt": "a" } },
          ...Array.from({ length: 4 }, () => fails),
          { await: "wrap_up" },
          { handoff: { next: ["install x first"] } },
        ],
        works,
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({
      reason: "failure",
      evidence: [{ rule: "wrapped_up", by: { rule: "same_failure", times: 4 } }, { rule: "handoff_found" }],
    });
    const handoff = place.events().find((event) => event.type === "handoff.recorded");
    expect(handoff).toMatchObject({ text: expect.stringContaining("## Post-mortem") as string });
    expect(handoff).toMatchObject({ text: expect.stringContaining("install x first") as string });
  });

  // TRAP 2
  it("the stop mark ends a session that does not wrap up, and its handoff is generated, with the facts", async () => {
    const place = await makePlace({
      executor: [
        [
          { write: { "a.txt": "a" } },
          { usage: { contextTokens: 180_000, windowTokens: 200_000 } },
          { sleep: 600 },
        ],
        works,
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({
      reason: "context_limit",
    });
    expect(place.events().find((event) => event.type === "handoff.recorded")).toMatchObject({
      session: 1,
      source: "generated",
      text: expect.stringMatching(
        /Stop reason: context_limit[^]*## Next steps[^\n]*\n1\. [^]*## Facts\n[^]*a\.txt/,
      ),
    });
  });
});

describe("checks after a session", () => {
  test("they run once on a tree, and not at all where the settings say so", async () => {
    const story: Story = {
      executor: [[{ write: { "a.txt": "a" } }], [{ say: "nothing" }], works],
      reviewer: [approves],
    };
    const ran = await makePlace(story);
    expect(await ran.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    const checks = ran
      .events()
      .flatMap((event) => (event.type === "checks.ran" ? [`${event.target} ${event.n}`] : []));
    expect(checks).toEqual(["session 1", "submission 1"]);
    // The session that changed nothing hands over what is known of that tree.
    const second = ran.events().find((event) => event.type === "handoff.recorded" && event.session === 2);
    expect(second).toMatchObject({
      text: expect.stringContaining("Red on the base before you began: test -f file.txt") as string,
    });
    const off = await makePlace(story, {
      settings: 'checkAfterSession: false\nchecks: ["test -f file.txt"]\nlimits: { backoffSeconds: 0 }\n',
    });
    expect(await off.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(off.events().filter((event) => event.type === "checks.ran" && event.target === "session")).toEqual(
      [],
    );
  });
});

describe("the review gate", () => {
  it("no verdict is never an approval: twice none, and a person is asked, whose approval then merges", async () => {
    const place = await makePlace({ executor: [works], reviewer: [[{ say: "Looks good, approved!" }]] });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain("2 Reviewer sessions gave no verdict on submission 1");
    const dossier = await place.monoco("issue", "review", "FEAT-0001");
    expect(dossier.stdout).toContain("None yet.");
    expect(dossier.stdout).toContain("file.txt");
    const approved = await place.monoco(
      "issue",
      "review",
      "FEAT-0001",
      "--approve",
      "-m",
      "I looked at it myself",
      "--json",
    );
    expect(JSON.parse(approved.stdout)).toMatchObject({ verdict: "approve", delivered: "taken" });
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(place.project, "issues/FEAT-0001-write-a-file.md"), "utf8")).toContain(
      "approved by a person",
    );
  });

  test("a person's verdict is not taken while a session is at work: its own code could have given it", async () => {
    const place = await makePlace({ executor: [works], reviewer: [hangs] });
    const running = place.start("run", "FEAT-0001");
    const identified = () => place.types().filter((type) => type === "session.identified").length;
    await expect.poll(identified, { timeout: 30_000, interval: 20 }).toBe(2);
    expect(await place.monoco("issue", "review", "FEAT-0001", "--approve", "--no-run")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /session 2 is at work.*\nhint: monoco stop FEAT-0001 ends it.*; then review/,
      ) as string,
    });
    await place.monoco("relay", "stop", "FEAT-0001");
    await running;
    // An approval goes on to the merge by itself.
    expect(await place.monoco("issue", "review", "FEAT-0001", "--approve")).toMatchObject({ exitCode: 0 });
    expect(place.types().at(-1)).toBe("merge.done");
  });

  test("a malformed verdict is none; the same finding in three rounds asks a person, whose resume gives new rounds", async () => {
    const place = await makePlace({
      executor: [[{ run: "date +%N > file.txt" }, commit, { submit: true }]],
      reviewer: [
        [{ run: `echo '{"type":"verdict","verdict":"yes"}'` }],
        [
          {
            verdict: "request_changes",
            findings: [{ id: "a", severity: "major", title: "Again", criterion: "1" }],
          },
        ],
      ],
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran.stdout).toContain("Again: finding a was raised in 3 rounds");
    await place.monoco("relay", "resume", "FEAT-0001");
    expect(place.events().filter((event) => event.type === "review.decided")).toHaveLength(6);
    // TRAP 6: each request is worked on, round after round in one process, and by the next one.
    const started = place.events().filter((event) => event.type === "session.started");
    expect(started.filter(({ role }) => role === "executor")).toHaveLength(6);
  });

  test("an issue's own checks run too, and an issue that was tampered with is named to the Reviewer", async () => {
    const place = await makePlace({
      executor: [
        [
          { write: { "file.txt": "x" } },
          { run: "sed -i 's/A file./Nothing./' issues/*.md && git mv monoco.yaml m.yaml" },
          commit,
          { submit: true },
        ],
      ],
      reviewer: [approves],
    });
    place.write(
      "issues/FEAT-0001-write-a-file.md",
      issueText("FEAT-0001", 'checks: ["grep -q x file.txt"]\n'),
    );
    await place.sandbox.git(place.project, "commit", "-qam", "Check more");
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 1 });
    expect(place.events().at(-1)).toMatchObject({
      type: "relay.blocked",
      reason: { rule: "human_gate", protected: ["the contract (objective)", "monoco.yaml"] },
    });
    expect(place.events().find((event) => event.type === "contract.tampered")).toMatchObject({
      fields: ["objective", "monoco.yaml"],
    });
    expect(
      place.events().find((event) => event.type === "checks.ran" && event.target === "submission"),
    ).toMatchObject({
      results: [
        { command: "test -f file.txt", exitCode: 0 },
        { command: "grep -q x file.txt", exitCode: 0 },
      ],
    });
    const prompt = readFileSync(
      join(place.project, ".monoco/relays/FEAT-0001/sessions/0002-reviewer/prompt.md"),
      "utf8",
    );
    expect(prompt).toContain("TAMPERING");
  });
});

describe("submitting", () => {
  test("a dirty tree and an empty diff are refused in the session; what a liar drops itself is refused by the runner", async () => {
    const place = await makePlace({
      executor: [
        [{ run: "monoco issue submit" }, { write: { "file.txt": "x" } }, { run: "monoco issue submit" }],
        [
          {
            run: drops,
          },
        ],
        works,
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    const stream = readFileSync(
      join(place.project, ".monoco/relays/FEAT-0001/sessions/0001-executor/stream.jsonl"),
      "utf8",
    );
    expect(stream).toContain("nothing differs from main");
    expect(stream).toContain("uncommitted changes in");
    expect(stream).toContain("file.txt");
    // The runner journals the last refusal of the command, too.
    const why = "uncommitted changes: file.txt";
    expect(place.events().filter((event) => event.type === "submission.refused")).toMatchObject([
      { session: 1, why },
      { session: 2, why },
    ]);
  });

  it("a person's branch can be submitted: it is checked, reviewed and merged like any other", async () => {
    const place = await makePlace({ executor: [works], reviewer: [approves] });
    await place.sandbox.sh(
      place.project,
      "git checkout -qb mine && echo mine > file.txt && git add -A && git commit -qm Mine",
    );
    const submitted = await place.monoco("issue", "submit", "FEAT-0001");
    expect(submitted).toMatchObject({ exitCode: 0 });
    expect(submitted.stdout).toContain("next: monoco resume FEAT-0001");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(
      place
        .events()
        .filter((event) => event.type === "session.started")
        .map((event) => event.type === "session.started" && event.role),
    ).toEqual(["reviewer"]);
    expect(await place.sandbox.git(place.project, "show", "main:file.txt")).toBe("mine");
  });
});

test("clear --refs drops the refs of a merged relay, which stays merged", async () => {
  const place = await makePlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001", "--once");
  const open = await place.monoco("relay", "clear", "--refs", "FEAT-0001");
  expect(open).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is not finished") as string });
  await place.monoco("relay", "resume", "FEAT-0001");
  expect((await place.monoco("doctor")).stdout).toMatch(/1 relay, \d+ refs of finished ones/);
  const dropped = await place.monoco("relay", "clear", "--refs", "FEAT-0001");
  expect(dropped).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\d+ refs dropped/) as string });
  expect(await refsIn(place)).toBe("");
  expect((await place.monoco("run", "FEAT-0001")).stdout).toMatch(/FEAT-0001 {2}is done: merged as/);
  expect((await place.monoco("doctor")).stdout).not.toContain("finished ones");
});

test("clear --refs drops work that was not merged only if that is forced", async () => {
  const place = await makePlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001", "--once");
  await place.monoco("relay", "clear", "FEAT-0001");
  const refused = await place.monoco("relay", "clear", "--refs", "FEAT-0001");
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("was not merged") as string });
  expect(await refsIn(place)).toContain("refs/monoco/FEAT-0001/head");
  await place.monoco("relay", "clear", "--refs", "--force", "FEAT-0001");
  expect(await refsIn(place)).toBe("");
});

const refsIn = (place: Place): Promise<string> =>
  place.sandbox.git(place.project, "for-each-ref", "--format=%(refname)", "refs/monoco");

describe("a clone that is cleared away", () => {
  const story = {
    executor: [[{ write: { "a.txt": "a" } }, commit, { write: { "b.txt": "b" } }]],
    reviewer: [approves],
  };
  const leave = async () => {
    const place = await makePlace(story);
    await place.monoco("run", "FEAT-0001", "--once");
    const [folder] = (await place.sandbox.sh(place.sandbox.folder, "ls -d state/monoco/*/FEAT-0001")).split(
      "\n",
    );
    return { place, folder: join(place.sandbox.folder, folder!) };
  };

  test("goes with what its sessions left, committed or not: that is kept as commits", async () => {
    const { place, folder } = await leave();
    const cleared = await place.monoco("relay", "clear", "FEAT-0001", "--json");
    expect(JSON.parse(cleared.stdout)).toMatchObject({
      cleared: true,
      keptBranch: "monoco/FEAT-0001",
      keptClones: [],
    });
    expect(await place.sandbox.sh(join(folder, ".."), "ls")).not.toContain("FEAT-0001");
  });

  // TRAP 26
  test.for([
    ["a file", "echo mine > mine.txt", "not committed: mine.txt"],
    ["a commit", "git commit -q --allow-empty -m Mine", "it has commits that no session left"],
  ] as const)("stays, and is named, where a person has left %s there since", async ([, command, why]) => {
    const { place, folder } = await leave();
    await place.sandbox.sh(folder, command);
    const cleared = await place.monoco("relay", "clear", "FEAT-0001");
    expect(cleared).toMatchObject({ exitCode: 0, stderr: "" });
    const [, kept, because] = /^kept: (.*?): (.*)$/m.exec(cleared.stdout) ?? [];
    expect(because).toBe(why);
    expect(kept).toMatch(/FEAT-0001\.kept-\d+$/);
    expect(await place.sandbox.sh(kept!, "cat a.txt b.txt; cat mine.txt || git log -1 --format=%s")).toMatch(
      /^ab(mine|Mine)$/,
    );
  });
});

describe("several issues", () => {
  test("run of several ends with the worst of their exit codes, and the good ones are merged", async () => {
    const place = await makePlace(good, { issues: ["FEAT-0001", "FEAT-0002"] });
    const ran = await place.monoco("run", "FEAT-0001", "FEAT-0002", "FEAT-0404");
    expect(ran).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain("FEAT-0404 exists nowhere");
    const list = JSON.parse((await place.monoco("issue", "list", "--all", "--json")).stdout) as {
      issues: object[];
    };
    expect(list.issues).toMatchObject([
      { status: "closed", relay: "done" },
      { status: "closed", relay: "done" },
    ]);
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  });
});

describe("one that goes wrong", () => {
  it("an error of one issue's own is told, and the other issues go on", async () => {
    const place = await makePlace(good, { issues: ["FEAT-0001", "FEAT-0002"] });
    mkdirSync(join(place.project, ".monoco/relays/FEAT-0001/journal.jsonl"), { recursive: true });
    const ran = await place.monoco("run", "FEAT-0001", "FEAT-0002", "--jobs", "1");
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("FEAT-0001") as string });
    expect(place.types("FEAT-0002").at(-1)).toBe("merge.done");
  });

  test("a bug in monoco on one issue is told with its stack and 70, and the other issues go on", async () => {
    const place = await makePlace(good, { issues: ["FEAT-0001", "FEAT-0002"] });
    // Nobody can foresee a bug: one is planted into an unmodified monoco.
    const plant = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; const { mkdtempSync } = fs;
      fs.mkdtempSync = (prefix) => { if (prefix.includes("FEAT-0001")) null.planted; return mkdtempSync(prefix); };
      syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` };
    const ran = await place.sandbox.monoco(["run", "FEAT-0001", "FEAT-0002", "--jobs", "1"], {
      cwd: place.project,
      env,
    });
    expect(ran).toMatchObject({ exitCode: 70 });
    expect(ran.stderr).toMatch(
      /^error: FEAT-0001: a bug in monoco: TypeError: [^]*\n {4}at [^]*\nhint: please report it/,
    );
    expect(place.types("FEAT-0002").at(-1)).toBe("merge.done");
  });
});

describe("any program as an agent", () => {
  test("a journal that was cut is refused, and goes on once its copy is put back", async () => {
    const place = await makePlace({ executor: [[{ write: { "a.txt": "a" } }], works], reviewer: [approves] });
    expect(await place.monoco("run", "FEAT-0001", "--once")).toMatchObject({ exitCode: 1 });
    const path = ".monoco/relays/FEAT-0001/journal.jsonl";
    const whole = readFileSync(join(place.project, path), "utf8");
    place.write(path, `${whole.split("\n").slice(0, 2).join("\n")}\n`);
    const refused = await place.monoco("relay", "resume", "FEAT-0001");
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain("were changed or cut");
    const command = /hint: put the copy in its place: (.*); or,/.exec(refused.stderr)?.[1] ?? "";
    await place.sandbox.sh(place.project, command);
    expect(readFileSync(join(place.project, path), "utf8")).toBe(whole);
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  });

  test("an agent that tells its session again and again is journaled once", async () => {
    const place = await makePlace(good);
    place.write(
      "agent.sh",
      `#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9; do echo '{"type":"session","id":"mine-1"}'; done
if [ "$MONOCO_ROLE" = reviewer ]; then ${approvalProgram}; exit 0; fi
echo text > file.txt; git add -A; git commit -qm work; exec monoco issue submit
`,
    );
    chmodSync(join(place.project, "agent.sh"), 0o755);
    const settings = readFileSync(join(place.project, "monoco.yaml"), "utf8");
    place.write(
      "monoco.yaml",
      settings.replace("{ kind: scripted, script: story.yaml }", '{ kind: command, run: ["./agent.sh"] }'),
    );
    await place.sandbox.sh(place.project, "git add -A && git commit -qm Mine");
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.types().filter((type) => type === "session.identified")).toHaveLength(2);
  });

  it("a shell script plays both roles by the command protocol, from beside monoco.yaml, in a clone of its own", async () => {
    const place = await makePlace(good);
    place.write(
      "agent.sh",
      `#!/bin/sh
cat > "$MONOCO_SESSION_DIR/prompt-seen"
echo '{"type":"session","id":"mine-1"}'
echo '{"type":"usage","contextTokens":900,"windowTokens":1000,"costUsd":0.5}'
if [ "$MONOCO_ROLE" = reviewer ]; then ${approvalProgram}; exit 0; fi
echo "$SECRET" > file.txt; pwd >> file.txt; git add -A; git commit -qm work; exec monoco issue submit
`,
    );
    chmodSync(join(place.project, "agent.sh"), 0o755);
    place.write(
      "monoco.yaml",
      'agents: { mine: { kind: command, run: ["./agent.sh"] } }\nroles: { executor: { agents: [mine] }, reviewer: { agents: [mine] } }\nlimits: { contextMarks: [91, 92, 95] }\n',
    );
    await place.sandbox.sh(
      place.project,
      "git rm -q --cached story.yaml; rm story.yaml; git add -A; git commit -qm Mine",
    );
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], {
      cwd: join(place.project, "issues"),
      env: { SECRET: "the person's" },
    });
    expect(ran).toMatchObject({ exitCode: 0 });
    const text = readFileSync(join(place.project, "file.txt"), "utf8");
    expect(text).not.toContain("the person's");
    expect(text).toContain(join(place.sandbox.folder, "state"));
    expect(
      readFileSync(
        join(place.project, ".monoco/relays/FEAT-0001/sessions/0001-executor/prompt-seen"),
        "utf8",
      ),
    ).toContain("RALPH_STATUS");
    expect(place.events().find((event) => event.type === "session.identified")).toMatchObject({
      agentSessionId: "mine-1",
    });
    expect(place.events().find((event) => event.type === "session.ended")).toMatchObject({
      costUsd: 0.5,
      contextTokens: 900,
    });
  });

  it("an agent that is not installed is an error with 4, and nothing is journaled", async () => {
    const place = await makePlace(good, { settings: "" });
    place.write("monoco.yaml", "roles: { executor: { agents: [claude] } }\n");
    const ran = await place.sandbox.monoco(["run", "FEAT-0001"], {
      cwd: place.project,
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(ran).toMatchObject({ exitCode: 4 });
    expect(ran.stderr).toContain("npm install -g @anthropic-ai/claude-code");
    expect(place.types()).toEqual([]);
  });
});

describe("what an agent does to its workspace", () => {
  testRows<[string, string]>([
    ["deletes its .git", "rm -rf .git"],
    ["breaks its .git", "echo broken > .git/HEAD; rm -rf .git/refs .git/objects"],
    ["makes RALPH.md a link to the person's file", 'ln -sf "$PERSON/story.yaml" RALPH.md'],
    ["makes RALPH.md a folder", "rm -f RALPH.md; mkdir RALPH.md"],
    ["makes RALPH.md a fifo", "rm -f RALPH.md; mkfifo RALPH.md"],
    ["deletes its whole workspace", 'd=$PWD; cd /; rm -rf "$d"'],
    ["deletes its outbox", 'rm -rf "$MONOCO_SESSION_DIR/outbox"'],
    [
      "deletes the issue file and detaches HEAD",
      "git rm -q issues/*; git commit -qm gone; git checkout -q --detach",
    ],
    [
      "leaves half a rebase and a lock",
      "git commit -q --allow-empty -m a; touch .git/index.lock; mkdir .git/rebase-merge",
    ],
  ])("an agent that %s is followed by one that finishes", async ([, command]) => {
    const place = await makePlace({
      executor: [[{ run: command }, { exit: 1 }], works],
      reviewer: [approves],
    });
    await tellWhereThePersonIs(place);
    const before = readFileSync(join(place.project, "story.yaml"), "utf8");
    const ran = await place.monoco("run", "FEAT-0001", "--set", "gates.protected=reviewer");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0, stderr: "" });
    expect(
      place
        .events()
        .filter((event) => event.type === "session.ended")
        .map((event) => event.type === "session.ended" && event.reason),
    ).toEqual(["failure", "submitted", "decided"]);
    expect(readFileSync(join(place.project, "story.yaml"), "utf8")).toBe(before);
    expect(await place.sandbox.git(place.project, "status", "--porcelain")).toBe("");
  });
});

describe("what a person does meanwhile", () => {
  test("commits on the relay's branch are kept under a ref, and that is said", async () => {
    const place = await makePlace({
      executor: [[{ write: { "a.txt": "a" } }, commit], works],
      reviewer: [approves],
    });
    await place.monoco("run", "FEAT-0001", "--once");
    await place.sandbox.sh(
      place.project,
      "git checkout -q monoco/FEAT-0001 && echo mine > mine.txt && git add -A && git commit -qm mine && git checkout -q main",
    );
    const mine = await place.sandbox.git(place.project, "rev-parse", "monoco/FEAT-0001");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(
      await place.sandbox.git(place.project, "for-each-ref", "--contains", mine, "--format=%(refname)"),
    ).toBe(`refs/monoco/FEAT-0001/found/${mine.slice(0, 12)}`);
    const ended = place
      .events()
      .findLast((event) => event.type === "session.ended" && event.reason === "submitted");
    expect(ended).toMatchObject({
      evidence: expect.arrayContaining([
        { rule: "foreign_commits", ref: expect.stringContaining("refs/monoco/FEAT-0001/found/") as string },
      ]) as object[],
    });
  });

  test("an issue that changed on the base is not closed against the terms of before: a person is asked", async () => {
    const changes =
      'cd "$PERSON" && sed -i "s/file.txt is there/file.txt and z.txt are there/" issues/*.md && git commit -qam Terms';
    const place = await makePlace({ executor: [[{ run: changes }, ...works]], reviewer: [approves] });
    await tellWhereThePersonIs(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain(
      "issues/FEAT-0001-write-a-file.md has changed on main since the relay opened: criteria",
    );
    expect(place.types()).not.toContain("merge.done");
  });

  test("a base that was renamed is an error with what to do, and nothing is lost", async () => {
    const place = await makePlace({
      executor: [[{ run: 'cd "$PERSON" && git branch -m main trunk' }, ...works]],
      reviewer: [approves],
    });
    await tellWhereThePersonIs(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 1, stderr: "" });
    expect(ran.stdout).toContain("branch main is gone");
    await place.sandbox.git(place.project, "branch", "-m", "trunk", "main");
    expect(await place.monoco("relay", "resume", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  });

  test("runtime files that are removed under a running relay end it in words, and the clone with the work is kept", async () => {
    const place = await makePlace({
      executor: [
        [
          { write: { "a.txt": "a" } },
          commit,
          { run: 'test -e "$PERSON/../once" || rm -rf "$PERSON/.monoco"; touch "$PERSON/../once"' },
          { usage: { contextTokens: 180_000, windowTokens: 200_000 } },
          { sleep: 600 },
        ],
        works,
      ],
      reviewer: [approves],
    });
    await tellWhereThePersonIs(place);
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("was removed or replaced while its relay ran") as string,
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    const kept = await place.sandbox.sh(place.sandbox.folder, "ls -d state/monoco/*/FEAT-0001.kept-*");
    expect(await place.sandbox.git(join(place.sandbox.folder, kept), "log", "--format=%s", "-1")).toBe(
      "work",
    );
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });
});

describe("what cannot be submitted", () => {
  test.for<[string, string, string]>([
    ["RALPH.md", "echo x > RALPH.md; git add -f RALPH.md", "RALPH.md is the relay's own"],
    [
      "an issue's file that was moved",
      "mkdir issues/done; git mv issues/*.md issues/done/",
      "the issue's file is issues/FEAT-0001-write-a-file.md and stays there",
    ],
    [
      "an issue's file that became a folder",
      "f=$(ls issues/*.md); git rm -q $f; mkdir -p $f; echo a > $f/a",
      "and stays there",
    ],
    [
      "a new submodule",
      // Past the command, which refuses it, too.
      `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git update-index --skip-worktree sub; git commit -qm sub; ${drops}`,
      "submodules are changed, which the contract does not allow: sub",
    ],
    [
      "Git LFS",
      "echo '*.bin filter=lfs diff=lfs' > .gitattributes; git add .gitattributes",
      ".gitattributes uses Git LFS",
    ],
  ])("%s, and the next session is told why", async ([, command, words]) => {
    const place = await makePlace({
      executor: [
        [{ run: command }, ...works],
        [{ run: "git reset -q --hard main" }, ...works],
      ],
      reviewer: [approves],
    });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(place.events().find((event) => event.type === "submission.refused")).toMatchObject({
      why: expect.stringContaining(words) as string,
    });
    const prompt = ".monoco/relays/FEAT-0001/sessions/0002-executor/prompt.md";
    expect(readFileSync(join(place.project, prompt), "utf8")).toContain(words);
  });
});

/** What is called from inside a session: the stop hook, relay prepare, relay extend, check, submit. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Live } from "../../src/core/session/live.ts";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full } from "../support/full.ts";

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.dispose();
});

type InSession = {
  sandbox: Sandbox;
  workspace: string;
  folder: string;
  monoco(args: string[], input?: string): Promise<Ran>;
  live(changes: Partial<Live>): void;
  outbox(): string[];
};

const criteria =
  "## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] it is there\n- [x] it is small\n";

/** A session's folder and workspace, as the runner makes them. */
async function inSession(changes: Partial<Live> = {}): Promise<InSession> {
  const sandbox = openSandbox();
  opened.push(sandbox);
  const workspace = join(sandbox.folder, "workspace");
  const folder = join(sandbox.folder, "session");
  mkdirSync(join(folder, "outbox"), { recursive: true });
  mkdirSync(join(workspace, "issues"), { recursive: true });
  writeFileSync(join(workspace, "issues/FEAT-0001.md"), `---\nid: FEAT-0001\ntitle: T\n---\n\n${criteria}`);
  await sandbox.sh(
    workspace,
    "git init -q -b main . && git add -A && git commit -qm Begin && git update-ref refs/remotes/origin/main HEAD && git checkout -qb monoco/FEAT-0001 && printf '/RALPH.md\\n' >> .git/info/exclude",
  );
  const live = (more: Partial<Live>): void => {
    const now = Date.now();
    const base: Live = {
      v: 1,
      issue: "FEAT-0001",
      title: "T",
      session: 3,
      role: "executor",
      language: "en",
      workspace,
      base: "main",
      branch: "monoco/FEAT-0001",
      contractPath: "issues/FEAT-0001.md",
      checks: ["test -f file.txt"],
      checkMinutes: 1,
      handoffGiven: "",
      startedAtMs: now,
      deadlineMs: now + 60_000,
      sessionMinutes: 1,
      toolCalls: 4,
      verdictBySchema: false,
      stopBlocksMax: 8,
      ...more,
    };
    writeFileSync(join(folder, "live.json"), JSON.stringify(base));
  };
  live(changes);
  const env = {
    MONOCO_SESSION_DIR: folder,
    MONOCO_ISSUE: "FEAT-0001",
    MONOCO_ROLE: "executor",
    MONOCO_SESSION: "3",
    AGENT_SECRET: "1",
  };
  return {
    sandbox,
    workspace,
    folder,
    live,
    monoco: (args, input) =>
      sandbox.monoco(args, { cwd: workspace, env, ...(input === undefined ? {} : { input }) }),
    outbox: () => readdirSync(join(folder, "outbox")).filter((name) => name.endsWith(".json")),
  };
}

const stop = (more: object = {}): string =>
  JSON.stringify({ hook_event_name: "Stop", stop_hook_active: false, ...more });
const answer = (ran: Ran): { decision?: string; reason?: string } =>
  ran.stdout === "" ? {} : (JSON.parse(ran.stdout) as object);

describe("hook on-stop", () => {
  test("work left and room left: it blocks and names the open criteria, not the done ones", async () => {
    const place = await inSession({ contextTokens: 20_000, windowTokens: 200_000 });
    const { decision, reason } = answer(await place.monoco(["hook", "on-stop"], stop()));
    expect(decision).toBe("block");
    expect(reason).toContain("- it is there");
    expect(reason).not.toContain("it is small");
    expect(reason).toContain("90 % of the context");
  });

  test("in a loop it says the prompt again, with what is missing, and lets go who has given the promise", async () => {
    const loop = { prompt: "# Do it\n\nAll of it.", promise: "ALL DONE" };
    const place = await inSession({ loop, checks: ["npm test"] });
    const ask = async (more: object): Promise<ReturnType<typeof answer>> =>
      answer(await place.monoco(["hook", "on-stop"], stop(more)));
    const first = await ask({ last_assistant_message: "I print <promise>ALL DONE</promise> later." });
    expect(first.decision).toBe("block");
    expect(first.reason).toContain("# Do it\n\nAll of it.\n");
    expect(first.reason).toContain("- <promise>ALL DONE</promise>\n- `npm test`\n");
    expect(first.reason).not.toMatch(/monoco issue submit|\{\{/);
    expect(await ask({ last_assistant_message: "Done.\n\n<promise>ALL DONE</promise>" })).toEqual({});
    expect(await ask({ stop_hook_active: true })).toEqual({});
    expect(await ask({ last_assistant_message: { not: "text" } })).toEqual({});
  });

  test("it never blocks again when the agent already goes on because of it and has used no tool since", async () => {
    const place = await inSession();
    expect(answer(await place.monoco(["hook", "on-stop"], stop()))).toMatchObject({ decision: "block" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop({ stop_hook_active: true })))).toEqual({});
    place.live({ toolCalls: 5 });
    expect(answer(await place.monoco(["hook", "on-stop"], stop({ stop_hook_active: true })))).toMatchObject({
      decision: "block",
    });
  });

  test("it blocks at most so many times in a row without a tool call", async () => {
    const place = await inSession({ stopBlocksMax: 2 });
    const decisions: (string | undefined)[] = [];
    for (let round = 0; round < 4; round++)
      decisions.push(answer(await place.monoco(["hook", "on-stop"], stop())).decision);
    expect(decisions).toEqual(["block", "block", undefined, undefined]);
  });

  // TRAP 2
  test("at the wrap-up mark it asks once for the handoff, then lets it stop", async () => {
    const place = await inSession({ wrapUp: "152000 tokens of context in use" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop())).reason).toContain("monoco relay prepare");
    expect(answer(await place.monoco(["hook", "on-stop"], stop({ stop_hook_active: true })))).toEqual({});
  });

  test.for<[string, (place: InSession) => Promise<unknown>]>([
    [
      "a session that has submitted",
      async (place) => {
        writeFileSync(join(place.workspace, "file.txt"), "x");
        await place.sandbox.sh(place.workspace, "git add -A && git commit -qm work");
        expect(await place.monoco(["issue", "submit"])).toMatchObject({ exitCode: 0 });
      },
    ],
    [
      "a session that has asked a person",
      async (place) => {
        expect(await place.monoco(["relay", "ask", "Which port?"])).toMatchObject({ exitCode: 0 });
        expect(place.outbox()).toHaveLength(1);
      },
    ],
    ["a session that is asked to stop", async (place) => place.live({ letStop: "it has handed over" })],
    [
      "a folder without live.json: a hook fails open",
      async (place) => writeFileSync(join(place.folder, "live.json"), "{"),
    ],
  ])("it lets stop: %s", async ([, prepare]) => {
    const place = await inSession();
    await prepare(place);
    expect(await place.monoco(["hook", "on-stop"], stop())).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("outside a session it does nothing at all, whatever it is fed; an unknown hook is an error", async () => {
    const place = await inSession();
    expect(await place.sandbox.monoco(["hook", "on-stop"], { input: stop() })).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    expect(await place.monoco(["hook", "on-stop"], "not JSON")).toMatchObject({ exitCode: 0 });
    expect(await place.monoco(["hook", "on-moon"])).toMatchObject({ exitCode: 2 });
  });

  test("a Reviewer is asked once for its verdict, unless its agent asks by schema", async () => {
    const place = await inSession({ role: "reviewer" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop()))).toMatchObject({ decision: "block" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop({ stop_hook_active: true })))).toEqual({});
    place.live({ role: "reviewer", verdictBySchema: true });
    expect(answer(await place.monoco(["hook", "on-stop"], stop()))).toEqual({});
  });

  test("a verdict that stands in the answer is not asked for again", async () => {
    const place = await inSession({ role: "reviewer" });
    const given = stop({ hook_event_name: "AfterAgent", prompt_response: 'So: {"type": "verdict", …' });
    expect(answer(await place.monoco(["hook", "on-stop"], given))).toEqual({});
  });

  test("with all ticked it asks once, whether or not the agent says that it goes on because of that", async () => {
    const place = await inSession({ contractPath: "none.md" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop()))).toMatchObject({ decision: "block" });
    place.live({ contractPath: "none.md", toolCalls: 9 });
    expect(answer(await place.monoco(["hook", "on-stop"], stop()))).toEqual({});
  });

  test("it says in Chinese what it says in English", async () => {
    const place = await inSession({ language: "zh", wrapUp: "很多" });
    expect(answer(await place.monoco(["hook", "on-stop"], stop())).reason).toContain("立即收尾：很多");
  });
});

describe("hook on-tool", () => {
  const used = JSON.stringify({ hook_event_name: "AfterTool", tool_name: "run_shell_command" });
  const told = async (place: InSession): Promise<string> => {
    const { stdout } = await place.monoco(["hook", "on-tool"], used);
    if (stdout === "") return "";
    const { hookSpecificOutput } = JSON.parse(stdout) as {
      hookSpecificOutput: { hookEventName: string; additionalContext: string };
    };
    expect(hookSpecificOutput.hookEventName).toBe("AfterTool");
    return hookSpecificOutput.additionalContext;
  };

  test("it says nothing before a mark, each mark once, and another reason anew", async () => {
    const place = await inSession();
    expect(await told(place)).toBe("");
    place.live({ plan: "121000 tokens" });
    expect(await told(place)).toContain("121000 tokens. Plan to wrap up");
    expect(await told(place)).toBe("");
    place.live({ plan: "121000 tokens", wrapUp: "152000 tokens" });
    expect(await told(place)).toContain("WRAP UP NOW: 152000 tokens");
    expect(await told(place)).toBe("");
    place.live({ wrapUp: "a person asked this session to stop" });
    expect(await told(place)).toContain("WRAP UP NOW: a person asked");
  });

  test.for<[string, (place: InSession) => void]>([
    ["a session that may stop", (place) => place.live({ wrapUp: "much", letStop: "it has submitted" })],
    ["no live.json", (place) => writeFileSync(join(place.folder, "live.json"), "")],
  ])("it says nothing to %s", async ([, prepare]) => {
    const place = await inSession();
    prepare(place);
    expect(await place.monoco(["hook", "on-tool"], used)).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("outside a session it does nothing at all", async () => {
    const place = await inSession({ wrapUp: "much" });
    const ran = await place.sandbox.monoco(["hook", "on-tool"], { input: used });
    expect(ran).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });
});

describe("relay prepare", () => {
  test("it scaffolds RALPH.md with what is known, refuses it without next steps, and hands over once it is valid (TRAP 1)", async () => {
    const place = await inSession();
    const path = join(place.workspace, "RALPH.md");
    const first = await place.monoco(["relay", "prepare", "--reason", "failure"]);
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain("next: ");
    const text = readFileSync(path, "utf8");
    expect(text).toContain("- Issue: FEAT-0001\n- Session: 3\n- Stop reason: failure");
    expect(text).toContain("- [ ] it is there");
    expect(text).toContain("- [x] it is small");
    const second = await place.monoco(["relay", "prepare", "--json"]);
    expect(second).toMatchObject({ exitCode: 2 });
    expect(JSON.parse(second.stdout)).toMatchObject({ valid: false });
    expect(place.outbox()).toEqual([]);
    writeFileSync(path, text.replace(/(## Next steps.*\n(?:<!--.*-->\n)?)/, "$11. Write file.txt\n"));
    expect(await place.monoco(["relay", "prepare"])).toMatchObject({ exitCode: 0 });
    expect(place.outbox()).toHaveLength(1);
    expect(await place.monoco(["hook", "on-stop"], stop())).toMatchObject({ stdout: "" });
  });

  test("decisions, warnings and patterns of the handoff that was given are carried into the scaffold", async () => {
    const place = await inSession();
    const given =
      "# RALPH.md\n\n## Metadata\n- Issue: FEAT-0001\n- Session: 2\n\n## Key decisions\n1. Keep the bus\n\n## Next steps (read first)\n1. Go\n\n## Warnings\n- ⚠️ Not the tests\n\n## Patterns\n- make test\n";
    writeFileSync(join(place.workspace, "RALPH.md"), given);
    await place.monoco(["relay", "prepare"]);
    const text = readFileSync(join(place.workspace, "RALPH.md"), "utf8");
    expect(text).toContain("1. Keep the bus");
    expect(text).toContain("⚠️ Not the tests");
    expect(text).toContain("make test");
    expect(text).toContain("- Session: 3");
    expect(text).not.toContain("1. Go");
  });

  test("for another issue, and for a Reviewer, it is refused with what to do instead", async () => {
    const place = await inSession();
    expect(await place.monoco(["relay", "prepare", "FEAT-0002"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("this session works on FEAT-0001, not FEAT-0002") as string,
    });
    place.live({ role: "reviewer" });
    expect(await place.monoco(["relay", "prepare"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("give your verdict") as string,
    });
  });
});

describe("check, extend, submit", () => {
  test("check runs the contract's checks in the workspace and says which is red", async () => {
    const place = await inSession();
    const red = await place.monoco(["check"]);
    expect(red).toMatchObject({ exitCode: 1 });
    expect(red.stdout).toContain("RED    test -f file.txt  (exit status 1");
    writeFileSync(join(place.workspace, "file.txt"), "");
    const green = await place.monoco(["check", "--json"]);
    expect(green).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(green.stdout)).toMatchObject({
      ok: true,
      results: [{ command: "test -f file.txt", exitCode: 0 }],
    });
  });

  test("check runs under the shell of the relay's settings", async () => {
    const checks = ["false | cat", "[[ a == a ]]"];
    expect(await (await inSession({ checks })).monoco(["check"])).toMatchObject({ exitCode: 0 });
    const place = await inSession({ checks, shell: "bash -o pipefail" });
    expect((await place.monoco(["check"])).stdout).toMatch(/RED {4}false \| cat .*\ngreen {2}\[\[/);
  });

  test("checks see as little of the session as when monoco itself runs them", async () => {
    const place = await inSession({
      checks: ["! env | grep -E 'MONOCO_|SECRET|session'", 'test "$CI" = true'],
    });
    expect((await place.monoco(["check"])).stdout).toContain("green  test");
    expect(await place.monoco(["check"])).toMatchObject({ exitCode: 0 });
  });

  test("extend leaves a message for the runner, and says when all the time there is has been given", async () => {
    const place = await inSession();
    expect(
      await place.monoco(["relay", "extend", "--minutes", "5", "--because", "the build is slow"]),
    ).toMatchObject({ exitCode: 0 });
    expect(place.outbox()).toHaveLength(1);
    place.live({ startedAtMs: 0, deadlineMs: 120_000, sessionMinutes: 1 });
    const refused = await place.monoco(["relay", "extend", "--minutes", "5", "--because", "more"]);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("relay prepare") as string,
    });
    expect(await place.monoco(["relay", "extend", "--minutes", "soon", "--because", "x"])).toMatchObject({
      exitCode: 2,
    });
  });

  full("a session can neither review nor run, stop or clear a relay, nor submit another issue", async () => {
    const place = await inSession();
    for (const args of [
      ["issue", "review", "FEAT-0001", "--approve"],
      ["run", "FEAT-0001"],
      ["relay", "stop"],
      ["relay", "clear"],
      ["relay", "resume", "FEAT-0001"],
      ["issue", "submit", "FEAT-0002"],
    ]) {
      expect(await place.monoco(args), args.join(" ")).toMatchObject({ exitCode: 2 });
    }
    expect(place.outbox()).toEqual([]);
  });
});

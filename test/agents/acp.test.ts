/** The adapter of the Agent Client Protocol: what a request becomes, and what recorded streams of its driver and a real CLI (Kimi Code 2.1.0) say. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acp } from "../../src/agents/acp/adapter.ts";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";

const folder = join(import.meta.dirname, "recorded", "acp");
const looked = new Set<string>();
const sessionId = "session_00000000-0000-7000-8000-000000000001";
const begun = [{ type: "identified", agentSessionId: sessionId }, { type: "hooks_proved" }];
const inTheMiddle = "the agent ended in the middle of the conversation";
/** By Kimi's own count of what it was told, before an answer has told more: it differs with each prompt of ours. */
const estimated = usage(expect.any(Number) as number);
const working: AgentUpdate[] = [message("Working."), { type: "tool", name: "execute", summary: "Bash" }];
const completed = ended("completed", "stop reason end_turn");
const unknown = ended(
  "unknown",
  "stop reason end_turn without a word: an error that the protocol does not tell, perhaps",
);

const request: AgentRequest = {
  role: "executor",
  session: 3,
  sessionOfRole: 1,
  prompt: "the prompt\nline 2",
  workspace: "/workspace",
  sessionDir: "/relay/session 1",
  agentSessionId: "session_1",
  resume: false,
  monoco: ["/opt/node", "/opt/cli.js"],
  settings: { kind: "acp", run: ["kimi", "acp"], args: ["--debug"], env: { A: "1" } },
};

describe("a launch", () => {
  test("is that of its driver, by the program that runs monoco, with the agent behind it; the order is its first line", () => {
    const { argv, stdin, keepStdinOpen, env, files } = acp.launch(request);
    const [node, program = "", ...agent] = argv;
    expect([node, existsSync(program), agent]).toEqual(["/opt/node", true, ["kimi", "acp", "--debug"]]);
    expect(JSON.parse(stdin)).toEqual({
      prompt: "the prompt\nline 2",
      workspace: "/workspace",
      monoco: ["/opt/node", "/opt/cli.js"],
    });
    expect([stdin.endsWith("\n"), keepStdinOpen, env, files]).toEqual([true, true, { A: "1" }, []]);
  });

  test("opens a conversation again by the id that the agent told", () => {
    const { stdin } = acp.launch({ ...request, resume: true });
    expect(JSON.parse(stdin)).toMatchObject({ resume: "session_1" });
  });
});

describe("a recorded stream", () => {
  test("of a working session is told whole: its context once a turn, and no end but its last", () => {
    expect(read("submitted")).toEqual([
      ...begun,
      { type: "message", text: "Working." },
      { type: "tool", name: "execute", summary: "Bash" },
      { type: "command", command: expect.stringContaining("git commit") as string },
      { type: "message", text: "All done!" },
      usage(31_010),
      { type: "message", text: "Working." },
      { type: "tool", name: "execute", summary: "Bash" },
      { type: "command", command: "monoco check && monoco issue submit" },
      { type: "message", text: "Submitted." },
      usage(33_010),
      completed,
    ]);
  });

  // TRAP 11, TRAP 14, TRAP 15
  test.for<[string, AgentUpdate[]]>([
    ["unauthorized", [estimated, ended("needs_login", "Authentication required: 401 scripted 401")]],
    ["forbidden", [estimated, ended("needs_login", "Authentication required: 403 scripted 403")]],
    ["refusal", [message("Half"), usage(1_050), ended("failure", "stop reason refusal")]],
    ["terminated", [...working, ended("failure", `${inTheMiddle}: SIGTERM`)]],
    ["killed", [...working, ended("failure", `${inTheMiddle}: SIGKILL`)]],
    ["driver-terminated", working],
    ["driver-killed", working],
  ])("%s: what the protocol tells is told", ([name, expected]) => {
    expect(read(name)).toEqual([...begun, ...expected]);
  });

  // Its end_turn hides an error: never done.
  test.for([["no-such-model"], ["no-credit"], ["busy"], ["server-error"]])(
    "%s: an end without a word is unknown, and no limit",
    ([name]) => {
      expect(read(name!)).toEqual([...begun, estimated, unknown]);
    },
  );

  test("server-error-later: an end without a word is unknown also behind a turn that worked", () => {
    expect(read("server-error-later")).toEqual([
      ...begun,
      ...working,
      { type: "command", command: "echo one" },
      usage(20_015),
      estimated,
      unknown,
    ]);
  });

  test.for([["busy-for-ever"], ["busy-for-an-hour"], ["never-answers"], ["silent-stream"]])(
    "%s: what it waits for is told by nothing, and nothing is made up",
    ([name]) => {
      expect(read(name!)).toEqual(begun);
    },
  );

  // What the protocol has no word for is told as words, and the end as any other.
  test.for<[string, string]>([
    ["connection-cut", "I beI be"],
    ["cut-answer", "I beg"],
    ["context-full", "Compaction cancelled."],
    ["compaction", "Compaction completed."],
    ["busy-for-a-second", "I stop."],
    ["denied", "I stop."],
  ])("%s: only its words tell it: no limit, no compaction, no denial", ([name, words]) => {
    const updates = read(name);
    expect(textOf(updates)).toContain(words);
    expect(updates.filter(({ type }) => ["limit", "compacted", "denied"].includes(type))).toEqual([]);
    expect(updates.filter(({ type }) => type === "ended")).toEqual([completed]);
  });

  test("denied: what is denied is the command's error, what is asked for is allowed", () => {
    expect(read("denied").filter(({ type }) => type === "command")).toEqual([
      {
        type: "command",
        command: "touch denied.txt",
        error: expect.stringContaining("not here") as string,
      },
      { type: "command", command: "echo yes > asked.txt" },
    ]);
  });

  test.for([["background"], ["orphan"]])("%s: what it leaves behind was alive, and is not told", ([name]) => {
    const commands = read(name!).filter(({ type }) => type === "command");
    expect(commands).toHaveLength(2);
    expect(commands.at(-1)).toEqual({
      type: "command",
      command: expect.stringContaining("left.alive") as string,
    });
  });

  test("wrapped-up: a mark that a turn has reached is told once, and answered in the next", () => {
    const updates = read("wrapped-up");
    expect(updates.filter(({ type }) => type === "message" || type === "usage")).toEqual([
      message("Working."),
      message("I stop."),
      usage(130_050),
      message("Working."),
      message("Handed over."),
      usage(1_050),
    ]);
    expect(updates.at(-1)).toEqual(completed);
  });

  test("resumed: what was said before is not told twice", () => {
    expect(read("resumed")).toEqual([...begun, message("Once more."), usage(1_050), completed]);
  });

  test("verdict: it is read from its words", () => {
    expect(read("verdict").filter(({ type }) => type.startsWith("verdict"))).toMatchObject([
      { type: "verdict", verdict: { verdict: "approve", findings: [] } },
    ]);
  });

  test("is looked at here, each of them", () => {
    expect(looked).toEqual(new Set(readdirSync(folder).map((name) => name.replace(".jsonl", ""))));
  });
});

describe("a line", () => {
  test.for<[string, string, AgentUpdate[]]>([
    ["of the agent's own talk is a message", "Loading…", [message("Loading…")]],
    ["that is empty is nothing", " ", []],
    ["that is half one is nothing", '{"type":"message","te', []],
    ["of a type unknown to us is nothing", '{"type":"from_the_future"}', []],
    ["of another shape is nothing", '{"type":"usage","contextTokens":-1}', []],
    ["of an ending unknown to us is nothing", '{"type":"ended","ending":"done","evidence":""}', []],
    [
      "with a verdict of the wrong shape is none",
      JSON.stringify(message('{"type":"verdict","verdict":"looks good"}')),
      [
        message('{"type":"verdict","verdict":"looks good"}'),
        { type: "verdict_malformed", text: expect.stringContaining("verdict") as string },
      ],
    ],
  ])("%s", ([, line, expected]) => {
    expect(acp.dialogue("").read(line)).toEqual(expected);
  });
});

test("a message is one line, whatever it holds", () => {
  expect(acp.dialogue("").message('one\n"two"')).toBe('"one\\n\\"two\\""\n');
});

function read(name: string): AgentUpdate[] {
  looked.add(name);
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.flatMap(acp.dialogue("").read);
}

function message(text: string): AgentUpdate {
  return { type: "message", text };
}

function usage(contextTokens: number): AgentUpdate {
  return { type: "usage", contextTokens, windowTokens: 200_000 };
}

function ended(ending: (AgentUpdate & { type: "ended" })["ending"], evidence: string): AgentUpdate {
  return { type: "ended", ending, evidence };
}

function textOf(updates: readonly AgentUpdate[]): string {
  return updates.flatMap((update) => (update.type === "message" ? update.text : [])).join("\n");
}

/** The program that starts Gemini CLI, with a stand-in for the CLI: one stream of whole lines, settings of its own, an end like the CLI's. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { z } from "zod";
import { gemini } from "../../src/agents/gemini/adapter.ts";
import type { AgentRequest } from "../../src/agents/agent.ts";
import type { AgentUpdate } from "../../src/core/session/update.ts";
import { fixture } from "../support/cli.ts";
import { temporaryFolder } from "../support/repository.ts";
import { testRows } from "../support/full.ts";

const answer = (total: number, commands: object[] = []) => ({
  type: "gemini",
  model: "gemini-2.5-pro",
  tokens: { total },
  toolCalls: commands,
});
const init = `${JSON.stringify({ type: "init", session_id: "one" })}\n`;
const success = `${JSON.stringify({ type: "result", status: "success" })}\n`;
const message = `${JSON.stringify({ type: "message", role: "assistant", content: "Done." })}\n`;
const response = (finish: string, role = "main") => ({
  attributes: { "event.name": "gemini_cli.api_response", finish_reasons: [finish], role },
});

const used = (tokens: number): object => ({
  type: "usage",
  contextTokens: tokens,
  newTokens: tokens,
  parts: { input: tokens, cached: 0, output: 0 },
  windowTokens: 1_048_576,
});

test("puts what the transcript and the telemetry tell between the lines of the CLI, never into one", async () => {
  // More than a pipe holds: when all is written, its beginning has been read.
  const [begin = "", end = ""] = message.split("Done.");
  const { lines, updates } = await run([
    { record: answer(20_050) },
    { out: begin },
    { out: "x", times: 200_000 },
    { record: answer(30_050) },
    { out: end + success },
    { telemetry: response("length") },
    { telemetry: response("stop", "utility_router") },
  ]);
  expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
  expect(updates.filter(({ type }) => type === "usage")).toEqual([used(20_050), used(30_050)]);
  expect(updates.at(-1)).toMatchObject({
    type: "ended",
    ending: "failure",
    evidence: expect.stringContaining("length"),
  });
});

test("tells what came last, though the CLI is gone at once, and nothing that an opened conversation had before", async () => {
  const place = makePlace();
  const first = await run([{ record: answer(1) }, { out: message + success }, { exit: 0 }], { place });
  expect(figures(first.updates)).toEqual([1]);
  const again = await run([{ record: answer(2) }, { out: message + success }, { exit: 0 }], {
    place,
    request: { resume: true },
  });
  expect(figures(again.updates)).toEqual([2]);
});

testRows<[string, object[], number, string, RegExp]>([
  [
    "by its exit status",
    [{ err: "no such folder\n" }, { exit: 42 }],
    42,
    "failure",
    /42 without a result: no such folder/,
  ],
  [
    "without a login",
    [{ err: "Please set an Auth method\n" }, { exit: 41 }],
    41,
    "needs_login",
    /Please set/,
  ],
  ["by a signal", [{ die: "SIGKILL" }], 137, "interrupted", /SIGKILL/],
  [
    "with its name said and nothing more, as on TERM",
    [{ out: init }, { exit: 0 }],
    0,
    "interrupted",
    /exit status 0 without a result/,
  ],
  ["with nothing said", [{ exit: 0 }], 0, "failure", /exit status 0\) before it had said how it ended/],
])("ends as the CLI does: %s", async ([, steps, exitCode, ending, evidence]) => {
  const ran = await run(steps);
  expect(ran.exitCode).toBe(exitCode);
  expect(ran.updates.filter(({ type }) => type !== "identified")).toEqual([
    { type: "ended", ending, evidence: expect.stringMatching(evidence) as string },
  ]);
});

test("a quota that the CLI would wait for is a limit with its time, and the CLI is ended", async () => {
  const short = "Attempt 1 failed: Slow down.. Retrying after 61159ms...\n";
  const err = `${short}Attempt 2 failed: Your quota will reset after 3h12m9s.. Retrying after 13063744ms...\n`;
  const before = Date.now();
  const { updates } = await run([{ err }, { forEver: true }]);
  expect(updates).toMatchObject([
    { type: "limit", text: "Your quota will reset after 3h12m9s." },
    { type: "ended", ending: "usage_limit" },
  ]);
  const [limit] = updates;
  expect(limit?.type === "limit" && limit.resetsAtMs).toBeGreaterThanOrEqual(before + 11_529_000);
});

test("an end in the middle of a line is told all the same", async () => {
  const { lines, updates } = await run([{ out: message.slice(0, 10) }, { die: "SIGKILL" }]);
  expect(lines[0]).toBe(message.slice(0, 10));
  expect(updates).toMatchObject([{ type: "ended", ending: "interrupted" }]);
});

test("waits of up to two minutes are left to the CLI", async () => {
  const err = "Attempt 1 failed: Slow down.. Retrying after 61159ms...\n";
  const { updates } = await run([{ err }, { out: message + success }]);
  expect(updates.map(({ type }) => type)).toEqual(["message", "ended"]);
});

test("a person's settings with comments are kept, ours laid over them, lists joined; the file is not touched", async () => {
  const place = makePlace();
  const theirs = `{
  // "general": {},
  "security": { "auth": { "selectedType": "oauth-personal" } }, /* "x" */
  "general": { "maxAttempts": 10, "vimMode": true },
  "mcpServers": { "a//b": { "command": "x" }, "slow": { "command": "y", "timeout": 120000 } },
  "hooks": { "AfterAgent": [{ "hooks": [{ "type": "command", "command": "their-hook" }] }] }
}`;
  writeFileSync(join(place.persons, "settings.json"), theirs);
  const { given } = await run([], { place });
  expect(readFileSync(join(place.persons, "settings.json"), "utf8")).toBe(theirs);
  expect(given.settings).toMatchObject({
    security: { auth: { selectedType: "oauth-personal" } },
    general: { maxAttempts: 3, vimMode: true },
    // Else it waits ten minutes for one that does not answer.
    mcpServers: { "a//b": { command: "x", timeout: 60_000 }, slow: { timeout: 120_000 } },
    model: { compressionThreshold: 1 },
    telemetry: { enabled: true, target: "local", logPrompts: false },
    hooks: {
      AfterAgent: [
        { hooks: [{ command: "their-hook" }] },
        { hooks: [{ command: expect.stringContaining("on-stop") }] },
      ],
    },
  });
});

test("telemetry that a person has sent somewhere stays theirs", async () => {
  const place = makePlace();
  const telemetry = { enabled: true, target: "gcp" };
  writeFileSync(join(place.persons, "settings.json"), JSON.stringify({ telemetry }));
  const { given, updates } = await run([{ out: message + success }], { place });
  expect(given.settings).toMatchObject({ telemetry });
  expect(updates.at(-1)).toMatchObject({
    ending: "completed",
    evidence: expect.stringContaining("not told"),
  });
});

test("the session's home has links to the person's files, but for what the CLI writes", async () => {
  const place = makePlace();
  for (const name of ["oauth_creds.json", "GEMINI.md", "projects.json"])
    writeFileSync(join(place.persons, name), name);
  mkdirSync(join(place.persons, "tmp"));
  symlinkSync("/nowhere", join(place.persons, "dangling"));
  expect(await run([], { place })).toMatchObject({ exitCode: 0 });
  expect(await run([], { place, request: { resume: true } })).toMatchObject({ exitCode: 0 });
  const home = join(place.sessionDir, "gemini-home", ".gemini");
  const isLink = (name: string): boolean => lstatSync(join(home, name)).isSymbolicLink();
  expect(["oauth_creds.json", "GEMINI.md", "tmp"].map(isLink)).toEqual([true, true, false]);
  expect(existsSync(join(home, "projects.json"))).toBe(false);
});

test("a conversation that another session of the relay began is brought into this one's home", async () => {
  const place = makePlace();
  const begun = { type: "gemini", id: "1", tokens: { total: 7 } };
  await run([{ record: begun }], { place });
  const next = { ...place, sessionDir: `${place.sessionDir}-2` };
  mkdirSync(next.sessionDir);
  const answer = { type: "gemini", id: "2", tokens: { total: 9 } };
  const { updates } = await run([{ record: answer }], { place: next, request: { resume: true } });
  // It goes on in the same transcript, and what was told before is not told again.
  expect(figures(updates)).toEqual([9]);
  const chats = join(next.sessionDir, "gemini-home", ".gemini", "tmp", "project", "chats");
  const [name = ""] = readdirSync(chats);
  expect(readFileSync(join(chats, name), "utf8").match(/"id":"."/g)).toEqual(['"id":"1"', '"id":"2"']);
});

test("broken settings are named, and nothing is started", async () => {
  const place = makePlace();
  const path = join(place.persons, "settings.json");
  writeFileSync(path, '{ "general": ');
  const ran = await run([], { place });
  expect(ran).toMatchObject({ exitCode: 52, stderr: `${path} is no JSON`, updates: [] });
  expect(existsSync(place.log)).toBe(false);
});

test("a path that is there is escaped in the prompt, what only looks like one is not", async () => {
  const place = makePlace();
  writeFileSync(join(place.workspace, "a b.txt"), "");
  writeFileSync(join(place.workspace, "x.ts"), "");
  const prompt = '@x.ts, (@x.ts) @./x.ts @"a b.txt" @a\\ b.txt\n@none.ts a@b.example @@ -1 +1 @@ \\@x.ts';
  const { given } = await run([], { place, request: { prompt } });
  expect(given.stdin).toBe(
    '\\@x.ts, (\\@x.ts) \\@./x.ts \\@"a b.txt" \\@a\\ b.txt\n@none.ts a@b.example @@ -1 +1 @@ \\@x.ts',
  );
});

type Place = ReturnType<typeof makePlace>;

function makePlace() {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const place = {
    bin: at("bin"),
    home: at("home"),
    persons: at("home/.gemini"),
    workspace: at("workspace"),
    sessionDir: at("session"),
    log: at("given.json"),
  };
  for (const name of ["bin", "home/.gemini", "workspace", "session"])
    mkdirSync(at(name), { recursive: true });
  symlinkSync(fixture("gemini.mjs"), join(place.bin, "gemini"));
  return place;
}

const givenSchema = z.object({ argv: z.array(z.string()), stdin: z.string(), settings: z.unknown() });

async function run(
  steps: readonly object[],
  { place = makePlace(), request = {} }: { place?: Place; request?: Partial<AgentRequest> } = {},
) {
  const { sessionDir, workspace } = place;
  const launch = gemini.launch({ ...plain, sessionDir, workspace, ...request });
  for (const { path, text } of launch.files) writeFileSync(path, text);
  const [program = "", ...args] = launch.argv;
  const env = {
    PATH: [place.bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    HOME: place.home,
    TMPDIR: place.home,
    FAKE_GEMINI: JSON.stringify(steps),
    FAKE_GEMINI_LOG: place.log,
    ...launch.env,
  };
  const { exitCode, stdout, stderr } = await execa(program, args, {
    cwd: workspace,
    env,
    extendEnv: false,
    input: launch.stdin,
    reject: false,
  });
  const lines = stdout === "" ? [] : stdout.split("\n");
  const given = existsSync(place.log)
    ? readFileSync(place.log, "utf8")
    : '{"argv":[],"stdin":"","settings":{}}';
  const { read } = gemini.dialogue(launch.stdin);
  return {
    exitCode,
    stderr,
    lines,
    updates: lines.flatMap(read),
    given: givenSchema.parse(JSON.parse(given)),
  };
}

const plain: AgentRequest = {
  role: "executor",
  session: 1,
  sessionOfRole: 1,
  prompt: "the prompt",
  workspace: "",
  sessionDir: "",
  agentSessionId: "00000000-0000-4000-8000-000000000001",
  resume: false,
  monoco: [process.execPath, "/opt/cli.js"],
  settings: { kind: "gemini" },
};

function figures(updates: AgentUpdate[]): number[] {
  return updates.flatMap((update) => (update.type === "usage" ? [update.contextTokens] : []));
}

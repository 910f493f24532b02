/** What only the adapter to Codex does with the real CLI: its settings, its schema, its subagents, its compaction. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import { verdictFormat } from "../../src/agents/codex/verdict.ts";
import { codexVendor, configToml, triedTwice } from "../../src/probe/codex-vendor.ts";
import type { Provider } from "../../src/probe/codex-vendor.ts";
import type { ResponsesTurn } from "../../src/probe/responses-model.ts";
import type { ModelRequest } from "../../src/probe/scripted-model.ts";
import { full } from "../../test/support/full.ts";
import { makePlace } from "./adapter-place.ts";
import { codex } from "./codex.ts";
import { startFailing } from "./openai-model.ts";
import { endings, idOf, of, types } from "./session.ts";
import { dirOf } from "./subject.ts";

const it = base.skipIf(!dirOf(codex));
const test = full.skipIf(!dirOf(codex));
const { shell } = codexVendor;

test("leaves a person's config.toml as it was: no folder of ours becomes trusted there; their own words are heard", async () => {
  const place = await makePlace(codex, [{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  writeFileSync(join(place.environment["CODEX_HOME"]!, "AGENTS.md"), "A person's own words.\n");
  const first = place.start();
  await first.exit;
  await place.start({ resume: true, agentSessionId: idOf(first) }).exit;
  await place.start({ role: "reviewer" }).exit;
  expect(
    place.model.requests.map((asked) => JSON.stringify(asked).includes("A person's own words.")),
  ).toEqual([true, true, true]);
  expect(readFileSync(join(place.environment["CODEX_HOME"]!, "config.toml"), "utf8")).toBe(
    configToml(place.model.url),
  );
});

test("a command finds what is on the session's PATH, whatever a login shell would put there", async () => {
  const place = await makePlace(codex, [{ tools: [shell("monoco-here")] }, { text: "Done." }]);
  const bin = join(place.folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "monoco-here"), "#!/bin/sh\necho found\n", { mode: 0o755 });
  const PATH = `${bin}:${place.environment["PATH"]}`;
  const session = place.start({}, { ...place.environment, PATH });
  await session.exit;
  expect(session.updates).toContainEqual({ type: "command", command: "monoco-here" });
});

test("a message before the turn has begun is not lost", async () => {
  const place = await makePlace(codex, [{ text: "The end.", delayMs: 1000 }, { text: "Wrapped up." }]);
  const session = place.start();
  session.message("WRAP UP NOW");
  await session.exit;
  expect(place.model.requests.map(({ tail }) => tail.includes("WRAP UP NOW")).includes(true)).toBe(true);
  expect(endings(session)).toEqual(["completed"]);
});

it("a conversation is opened again under the id that it told, after a kill too, with what was said", async () => {
  const place = await makePlace(codex, [
    { text: "First.", tools: [shell("sleep 60")] },
    { text: "Handed over." },
  ]);
  const first = place.start();
  await first.until("tool");
  first.kill("SIGKILL");
  await first.exit;
  const again = place.start({
    resume: true,
    agentSessionId: idOf(first),
    prompt: "only write RALPH.md",
  });
  await again.exit;
  codex.record("resume", again.lines);
  expect(idOf(again)).toBe(idOf(first));
  expect(place.model.requests[1]?.messages.some(({ text }) => text === "First.")).toBe(true);
  expect(place.model.requests[1]?.tail).toContain("only write RALPH.md");
  expect(endings(again)).toEqual(["completed"]);
});

// TRAP 13
test("a compaction is told before it is done", async () => {
  const place = await makePlace(codex, [
    { tools: [shell("true")], usage: { input_tokens: 246_000 } },
    { text: "A summary.", delayMs: 60_000 },
  ]);
  const session = place.start();
  await session.until("compacted");
  expect(session.updates.at(-1)).toEqual({ type: "compacted" });
  codex.record("compaction", session.lines);
  session.kill("SIGTERM");
  await session.exit;
  expect(endings(session)).toEqual([]);
});

it("a Reviewer's verdict arrives by schema, in the strict form of it", async () => {
  const evidence = { criterion: 1, result: "met", command: "npm test", exitCode: 0 };
  const nothing = { file: null, line: null, text: null };
  const verdict = {
    verdict: "approve",
    criteria: [{ ...evidence, ...nothing }],
    probes: [],
    findings: null,
    trend: null,
    summary: "all criteria hold",
  };
  const place = await makePlace(codex, [
    { text: '{"verdict":"request_changes"}', tools: [shell("true")] },
    { text: JSON.stringify(verdict) },
  ]);
  const session = place.start({ role: "reviewer" });
  await session.exit;
  codex.record("verdict", session.lines);
  expect(place.model.requests[0]?.format).toMatchObject({
    type: "json_schema",
    strict: true,
    schema: verdictFormat(),
  });
  expect(session.updates.filter(({ type }) => type.startsWith("verdict"))).toEqual([
    {
      type: "verdict",
      verdict: {
        verdict: "approve",
        criteria: [evidence],
        probes: [],
        findings: [],
        summary: "all criteria hold",
      },
    },
  ]);
});

// TRAP 25
test("a verdict of the wrong shape is malformed, and an Executor has none", async () => {
  const place = await makePlace(codex, [
    ({ format }) => ({ text: format ? "Looks good." : '{"verdict":"approve"}' }),
  ]);
  const reviewer = place.start({ role: "reviewer" });
  await reviewer.exit;
  codex.record("verdict-malformed", reviewer.lines);
  expect(types(reviewer)).toContain("verdict_malformed");
  const executor = place.start();
  await executor.exit;
  expect([...types(executor)].filter((type) => type.startsWith("verdict"))).toEqual([]);
});

test("has no subagents; where a person wants them, their words, contexts and ends are not the session's", async () => {
  const place = await makePlace(
    codex,
    [
      ({ prompt, tools }) => {
        if (prompt.includes("SUBTASK")) return { text: "From the subagent." };
        if (!prompt.includes("with subagents")) return { text: tools.join(" ") };
        return {
          tools: [{ name: "spawn_agent", namespace: "multi_agent_v1", input: { message: "SUBTASK" } }],
        };
      },
      // Then it is told that the subagent has ended.
      { text: "Waiting.", delayMs: 2000 },
      { text: "The end." },
    ],
    { match: "" },
  );
  const without = place.start();
  await without.exit;
  expect(without.updates.find(({ type }) => type === "message")).not.toMatchObject({
    text: expect.stringContaining("multi_agent") as string,
  });
  const first = place.start({
    settings: { kind: "codex", args: ["-c", "features.multi_agent=true"] },
    prompt: "with subagents",
  });
  await first.exit;
  codex.record("subagent", first.lines);
  const ended = first.lines.filter((line) => line.includes('"turn/completed"'));
  expect(ended).toHaveLength(2);
  expect(endings(first)).toEqual(["completed"]);
  expect(of("message", first).map(({ text }) => text)).toEqual(["Waiting.", "The end."]);
});

test("silent-websocket: its first silence is not told, and its second but one ends it where each is short", async () => {
  const failing = { ...codex, start: () => startFailing({ hang: true }) };
  const often = { stream_idle_timeout_ms: 500, stream_max_retries: 5, supports_websockets: true };
  const config = { ...triedTwice, ...often };
  const session = (await makePlace<ResponsesTurn, Provider, ModelRequest>(failing, [], { config })).start();
  await session.exit;
  codex.record("silent-websocket", session.lines);
  expect(session.updates.at(-1)).toMatchObject({
    type: "ended",
    ending: "failure",
    evidence: expect.stringContaining("idle timeout waiting for websocket, 2 times in a row") as string,
  });
  const told = session.lines.filter((line) => line.includes("idle timeout"));
  expect(told.map((line) => /Reconnecting... \d\/5/.exec(line)?.[0])).toEqual([
    "Reconnecting... 2/5",
    "Reconnecting... 3/5",
  ]);
});

test("broken settings of a person's: what is wrong with them is in the evidence", async () => {
  const place = await makePlace(codex, [{ text: "Never." }]);
  writeFileSync(join(place.environment["CODEX_HOME"]!, "config.toml"), "model = [\n");
  const session = place.start();
  await session.exit;
  codex.record("broken-settings", session.lines);
  expect(session.updates).toEqual([
    {
      type: "ended",
      ending: "failure",
      evidence: expect.stringMatching(/^thread: failed to load configuration: .*config\.toml:1:10: unclosed/),
    },
  ]);
});

/** What only the adapter to Gemini CLI does with the real CLI: monoco's own hooks, its home, its prompts. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test as base } from "vitest";
import type { GeminiTurn } from "../../src/probe/gemini-model.ts";
import { personsSettings } from "../../src/probe/gemini-vendor.ts";
import { full } from "../../test/support/full.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { placeFor } from "./gemini-place.ts";
import { gemini } from "./gemini.ts";
import { endings, of, types } from "./session.ts";
import { dirOf } from "./subject.ts";

const it = base.skipIf(!dirOf(gemini));
const test = full.skipIf(!dirOf(gemini));

test("tells how each shell command ended, which the CLI's own stream calls a success", async () => {
  const place = await placeFor([
    shell("echo fine"),
    shell("echo broken >&2; exit 3"),
    shell("kill -KILL $$"),
    shell("echo $(true)"),
    { text: "Done." },
  ]);
  const session = place.start();
  await session.exit;
  expect(of("command", session)).toEqual([
    { type: "command", command: "echo fine" },
    { type: "command", command: "echo broken >&2; exit 3", error: "broken\nExit Code: 3" },
    { type: "command", command: "kill -KILL $$", error: "(empty)\nSignal: 9" },
    refusedCommand,
  ]);
  gemini.record("commands", session.lines);
});

it("its stop is refused while criteria are open, within bounds, and the model is told as by a person", async () => {
  const place = await placeFor([{ text: "I stop." }, { text: "For good." }], {
    criteria: "- [ ] it is there\n",
  });
  const session = place.start();
  await session.exit;
  expect(place.model.requests.map(({ tail }) => tail.includes("- it is there"))).toEqual([false, true]);
  expect(place.model.requests[1]?.tail).toContain("You have room left");
  expect(endings(session)).toEqual(["completed"]);
  gemini.record("stop-refused", session.lines);
});

it("a mark that was reached is told with the next tool's result, once, and asks for the handoff at the stop", async () => {
  const place = await placeFor(
    [shell("echo one"), shell("echo two"), { text: "I stop." }, { text: "Really." }],
    {
      live: { wrapUp: "152000 tokens" },
    },
  );
  const session = place.start();
  await session.exit;
  const tails = place.model.requests.map(({ tail }) => tail);
  expect(tails.map((tail) => tail.includes("WRAP UP NOW: 152000 tokens"))).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(tails[1]).toMatch(/one[^]*WRAP UP NOW/);
  expect(endings(session)).toEqual(["completed"]);
});

it("a conversation is opened again after a kill, under the same id and with what was said", async () => {
  const place = await placeFor([
    shell("sleep 60"),
    { text: "Handed over.", usage: { input_tokens: 40_000 } },
  ]);
  const agentSessionId = randomUUID();
  const first = place.start({ agentSessionId });
  await first.until("usage");
  first.kill("SIGTERM");
  await first.exit;
  expect(endings(first)).toEqual(["interrupted"]);
  const prompt = "only write RALPH.md";
  // Of another session: each has a home of its own.
  const sessionDir = join(place.folder, "session 2");
  const again = place.start({ agentSessionId, resume: true, prompt, sessionDir });
  await again.exit;
  expect(place.model.requests[1]?.messages.map(({ text }) => text).join("\n")).toContain("do the work");
  expect(place.model.requests[1]?.tail).toContain("only write RALPH.md");
  expect(of("identified", again)).toEqual([
    { type: "identified", agentSessionId, model: expect.any(String) as string },
  ]);
  // What the first process had told is not told again.
  expect(of("usage", again)).toMatchObject([{ contextTokens: 40_050 }]);
  expect(endings(again)).toEqual(["completed"]);
  gemini.record("resume", again.lines);
});

it("a Reviewer is asked once for a verdict that it has not given, and gives it in words", async () => {
  const criteria = [{ criterion: 1, result: "met", command: "npm test", exitCode: 0 }];
  const verdict = { verdict: "approve", summary: "all criteria hold", criteria, probes: [], findings: [] };
  const words = `It holds.\n\n\`\`\`json\n${JSON.stringify({ type: "verdict", ...verdict }, null, 2)}\n\`\`\`\n`;
  const place = await placeFor([{ text: "Looks good." }, { text: words }], { live: { role: "reviewer" } });
  const session = place.start({ role: "reviewer" });
  expect(await session.exit).toMatchObject({ exitCode: 0 });
  expect(place.model.requests.map(({ tail }) => tail.includes("Give your verdict"))).toEqual([false, true]);
  expect(of("verdict", session)).toEqual([{ type: "verdict", verdict }]);
  gemini.record("verdict", session.lines);
});

test("nothing of a person's own is changed: settings, memory and login are used as they stand", async () => {
  const place = await placeFor([{ text: "Done." }]);
  const own = join(place.folder, "home", ".gemini");
  writeFileSync(join(own, "GEMINI.md"), "My own memory of all projects.\n");
  writeFileSync(join(own, "oauth_creds.json"), "{}");
  const before = readdirSync(own, { recursive: true });
  await place.start().exit;
  expect(readdirSync(own, { recursive: true })).toEqual(before);
  expect(readFileSync(join(own, "settings.json"), "utf8")).toBe(personsSettings);
  expect(JSON.stringify(place.model.requests[0])).toContain("My own memory of all projects.");
  expect(readFileSync(join(place.ownHome, "oauth_creds.json"), "utf8")).toBe("{}");
  // What could wait for a person or write into that memory is not offered.
  const off = ["ask_user", "enter_plan_mode", "exit_plan_mode", "save_memory"];
  expect(place.model.requests[0]?.tools.filter((name) => off.includes(name))).toEqual([]);
});

test("a prompt is text: no file or folder that it names is put into it", async () => {
  const place = await placeFor([{ text: "Done." }]);
  writeFiles(place.workspace, { "src/x.ts": "what stands in x\n", "src/y.ts": "what stands in y\n" });
  const code = 'do the work on @src/x.ts, @src and "@src/y.ts" (a@b.example, @types/node)\n@@ -1,3 +1,4 @@\n';
  await place.start({ prompt: code + "x".repeat(200_000) }).exit;
  const prompt = place.model.requests[0]?.prompt ?? "";
  expect(prompt).not.toContain("what stands in");
  expect(prompt.replaceAll("\\@", "@")).toContain(code);
  expect(prompt).toContain("(a@b.example, @types/node)\n@@ -1,3 +1,4 @@\nx");
  expect(prompt).toMatch(/x{200000}$/);
});

test("a context that fills up is not compressed; where a project has it compressed, that is told", async () => {
  const full = { input_tokens: 700_000 };
  const turns: GeminiTurn[] = [
    { text: "Begun.", usage: full },
    { text: "More.", usage: full },
    { text: "Done." },
  ];
  const off = await placeFor(turns, { criteria: "- [ ] open\n" });
  const session = off.start();
  await session.exit;
  expect(types(session)).not.toContain("compacted");
  const on = await placeFor(turns, { criteria: "- [ ] open\n" });
  writeFiles(on.workspace, {
    ".gemini/settings.json": JSON.stringify({ model: { compressionThreshold: 0.1 } }),
  });
  const compressed = on.start();
  await compressed.exit;
  expect(of("compacted", compressed)).not.toEqual([]);
  gemini.record("compaction", compressed.lines);
});

test("an end without an answer to its last tool is unknown", async () => {
  const place = await placeFor([shell("true"), { text: "" }]);
  const session = place.start();
  await session.exit;
  gemini.record("no-answer", session.lines);
  expect(session.updates.at(-1)).toEqual({
    type: "ended",
    ending: "unknown",
    evidence: expect.stringMatching(/stopped without an answer, at 1050 tokens/) as string,
  });
});

test("a person's broken settings are named, and nothing is started", async () => {
  const place = await placeFor([{ text: "Never." }]);
  const path = join(place.folder, "home", ".gemini", "settings.json");
  writeFileSync(path, '{ "security": ');
  const session = place.start();
  expect(await session.exit).toMatchObject({ exitCode: 52, stderr: `${path} is no JSON` });
  expect(place.model.requests).toEqual([]);
});

/** Its shell tool refuses this by itself. */
const refusedCommand = {
  type: "command",
  command: "echo $(true)",
  error: expect.stringMatching(/^Command injection detected/) as string,
};

function shell(command: string, tokens = 20_000): GeminiTurn {
  const tools = [{ name: "run_shell_command", input: { command, description: "work" } }];
  return { tools, usage: { input_tokens: tokens } };
}

/** A person's MCP server that does not start: each real CLI goes on without it, and says so. */
import { expect, test } from "vitest";
import { makePlace } from "./adapter-place.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { addServer } from "./lived-in-home.ts";
import { opencode } from "./opencode.ts";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import { dirOf } from "./subject.ts";
import type { Subject } from "./subject.ts";

const dies = { command: "/bin/sh", args: ["-c", "exit 3"] };

/** The failures that a session tells. `awaited`: the model answers after the first. */
async function told<T extends Turn, C, R extends ModelRequest>(
  kind: keyof typeof addServer,
  subject: Subject<T, C, R>,
  awaited = true,
) {
  const { promise: after, resolve } = Promise.withResolvers<void>();
  const place = await makePlace(subject, [{ text: "Done.", ...(awaited && { after }) } as T]);
  addServer[kind](place.home, "dead", dies);
  const session = place.start();
  void session.until("server_failed").then(resolve);
  await session.exit;
  return session.updates.filter((update) => update.type === "server_failed");
}

test.skipIf(!dirOf(claude))("claude", async () => {
  expect(await told("claude", claude)).toEqual([{ type: "server_failed", server: "dead" }]);
});

test.skipIf(!dirOf(codex))("codex", async () => {
  expect(await told("codex", codex)).toEqual([
    { type: "server_failed", server: "dead", error: expect.stringContaining("MCP startup failed") },
  ]);
});

test.skipIf(!dirOf(gemini))("gemini, without a name", async () => {
  // Gemini CLI looks for its servers first, and says so beside its answer.
  expect(await told("gemini", gemini, false)).toEqual([
    { type: "server_failed", error: expect.stringContaining("MCP issues detected") },
  ]);
});

test.skipIf(!dirOf(opencode))("opencode", async () => {
  expect(await told("opencode", opencode)).toEqual([
    { type: "server_failed", server: "dead", error: expect.stringContaining("Connection closed") },
  ]);
});

/** A person's MCP server that does not start: each real CLI goes on without it, and says so. */
import { expect, test } from "vitest";
import { makePlace } from "./adapter-place.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { addServer } from "./lived-in-home.ts";
import { opencode } from "./opencode.ts";
import type { LiveSession } from "./session.ts";
import { dirOf } from "./subject.ts";

const dies = { command: "/bin/sh", args: ["-c", "exit 3"] };
/** OpenCode says so a moment after it has tried. */
const turns = [{ text: "Done.", delayMs: 3_000 }];

async function told(kind: keyof typeof addServer, place: { home: string; start(): LiveSession }) {
  addServer[kind](place.home, "dead", dies);
  const session = place.start();
  await session.exit;
  return session.updates.filter((update) => update.type === "server_failed");
}

test.skipIf(!dirOf(claude))("claude", async () => {
  expect(await told("claude", await makePlace(claude, turns))).toEqual([
    { type: "server_failed", server: "dead" },
  ]);
});

test.skipIf(!dirOf(codex))("codex", async () => {
  expect(await told("codex", await makePlace(codex, turns))).toEqual([
    { type: "server_failed", server: "dead", error: expect.stringContaining("MCP startup failed") },
  ]);
});

test.skipIf(!dirOf(gemini))("gemini, without a name", async () => {
  expect(await told("gemini", await makePlace(gemini, turns))).toEqual([
    { type: "server_failed", error: expect.stringContaining("MCP issues detected") },
  ]);
});

test.skipIf(!dirOf(opencode))("opencode", async () => {
  expect(await told("opencode", await makePlace(opencode, turns))).toEqual([
    { type: "server_failed", server: "dead", error: expect.stringContaining("Connection closed") },
  ]);
});

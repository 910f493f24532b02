/** Where the adapter to Gemini CLI meets it: it is told of what passes by monoco's own hooks. */
import { join } from "node:path";
import type { Live } from "../../src/core/session/live.ts";
import type { AgentRequest } from "../../src/index.ts";
import type { Conversation } from "../../src/probe/scripted-model.ts";
import type { GeminiTurn } from "../../src/probe/gemini-model.ts";
import { cliPath } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { makePlace } from "./adapter-place.ts";
import { gemini } from "./gemini.ts";
import type { LiveSession } from "./session.ts";

type Asked = {
  /** Of the issue; none: the stop hook lets it stop. */
  criteria?: string;
  live?: Partial<Live>;
};

/** A place where monoco's own hooks are called, which find a live.json as the runner writes it. */
export async function placeFor(turns: Conversation<GeminiTurn>["turns"], asked: Asked = {}) {
  const place = await makePlace(gemini, turns);
  const sessionDir = join(place.folder, "session");
  writeFiles(place.folder, {
    "workspace.md": asked.criteria ?? "",
    "session/outbox/.keep": "",
    "session/live.json": JSON.stringify(liveIn(place.workspace, asked)),
  });
  const environment = { ...place.environment, MONOCO_SESSION_DIR: sessionDir };
  return {
    ...place,
    ownHome: join(sessionDir, "gemini-home", ".gemini"),
    start: (request: Partial<AgentRequest> = {}): LiveSession =>
      place.start({ monoco: [process.execPath, cliPath], ...request }, environment),
  };
}

function liveIn(workspace: string, { criteria, live }: Asked): Live {
  return {
    v: 1,
    issue: "FEAT-0001",
    title: "Live",
    session: 1,
    role: "executor",
    language: "en",
    workspace,
    base: "main",
    branch: "monoco/FEAT-0001",
    contractPath: "../workspace.md",
    checks: [],
    checkMinutes: 1,
    handoffGiven: "",
    startedAtMs: 0,
    deadlineMs: Date.now() + 600_000,
    sessionMinutes: 30,
    toolCalls: 0,
    verdictBySchema: false,
    stopBlocksMax: 8,
    ...(criteria === undefined && live === undefined ? { letStop: "a test" } : {}),
    ...live,
  };
}

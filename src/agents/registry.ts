/** All agents by kind; total, so that a kind without an adapter does not compile. */
import type { Agent, AgentKind } from "./agent.ts";
import { acp } from "./acp.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { scripted } from "./scripted.ts";

export const agents: Readonly<Record<AgentKind, Agent>> = {
  claude,
  codex,
  gemini,
  opencode,
  acp,
  command,
  scripted,
};

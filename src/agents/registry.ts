/** All agents by kind; total, so that a kind without an adapter does not compile. */
import type { Agent, AgentKind } from "./agent.ts";
import { acp } from "./acp/adapter.ts";
import { claude } from "./claude/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini/adapter.ts";
import { opencode } from "./opencode/adapter.ts";
import { scripted } from "./scripted/adapter.ts";

export const agents: Readonly<Record<AgentKind, Agent>> = {
  claude,
  codex,
  gemini,
  opencode,
  acp,
  command,
  scripted,
};

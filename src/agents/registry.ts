/** All agents by kind; total, so that a kind without an adapter does not compile. */
import type { Agent, AgentKind } from "./agent.ts";
import { acp } from "./acp/adapter.ts";
import { claude } from "./claude/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini/adapter.ts";
import { opencode } from "./opencode/adapter.ts";
import { scripted } from "./scripted/adapter.ts";

/**
 * The oldest versions that take what the adapters pass. Claude Code: `--json-schema` and `--permission-mode dontAsk`, found by running published packages. Gemini
 * CLI: `--session-id`, found in the tags of its repository. None is known for Codex and OpenCode.
 */
export const oldest: Readonly<Partial<Record<AgentKind, string>>> = {
  claude: "2.0.45",
  gemini: "0.41.0",
};

export const agents: Readonly<Record<AgentKind, Agent>> = {
  claude,
  codex,
  gemini,
  opencode,
  acp,
  command,
  scripted,
};

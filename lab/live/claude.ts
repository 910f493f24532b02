/** Claude Code before its scripted model. */
import { readFileSync, readdirSync } from "node:fs";
import { claude as adapter } from "../../src/agents/claude/adapter.ts";
import { windowRequestId } from "../../src/agents/claude/lines.ts";
import { claudeVendor } from "../../src/probe/claude-vendor.ts";
import { startMessages } from "../../src/probe/messages-model.ts";
import type { MessagesTurn } from "../../src/probe/messages-model.ts";
import { keepRecording } from "./record.ts";
import type { Setup, Subject } from "./subject.ts";

export const claude: Subject<MessagesTurn> = {
  name: "claude",
  adapter,
  settings: { kind: "claude" },
  vendor: claudeVendor,
  start: startMessages,
  environment: ({ modelUrl }, { login }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ...logins[login ?? "key"],
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  }),
  secondsMax: 60,
  record,
};

/** The usage limit's headers mean nothing to a key. */
const logins: Record<"key" | NonNullable<Setup["login"]>, Record<string, string>> = {
  key: { ANTHROPIC_API_KEY: "dummy" },
  subscription: { CLAUDE_CODE_OAUTH_TOKEN: "dummy-oauth-token" },
  "no key": {},
  never: {},
};

/** Signals the CLI itself, wherever in its process tree, that runs the session of this id. */
export function signalClaude(session: string, signal: NodeJS.Signals): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const argv = argvOf(pid);
    if (argv[0] === "claude" && argv.includes(session)) process.kill(Number(pid), signal);
  }
}

function argvOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Without what differs from run to run; ids of tool calls, which connect lines, are counted from 1. */
function record(name: string, lines: readonly string[]): void {
  const ids = new Map<string, string>();
  const counted = (id: string, kind: string): string => {
    if (!ids.has(id)) ids.set(id, `${kind}_${ids.size + 1}`);
    return ids.get(id)!;
  };
  const change = (line: string): string | undefined =>
    changeLine(line)
      ?.replaceAll(apiId, counted)
      .replaceAll(taskId, (id) => counted(id, "task"))
      .replaceAll(/duration_ms: \d+/g, "duration_ms: 1");
  keepRecording("claude", name, { lines: windowAfterInit(lines), change });
}

/** Which of the two comes first is chance. */
function windowAfterInit(lines: readonly string[]): string[] {
  const ofWindow = lines.filter((line) => line.includes(windowRequestId));
  const others = lines.filter((line) => !line.includes(windowRequestId));
  const init = others.findIndex((line) => line.includes('"subtype":"init"'));
  return others.toSpliced(init + 1, 0, ...ofWindow);
}

const apiId = /\b(msg|req|toolu)_[0-9a-f]{24}\b/g;
/** Of a subagent, and of a command in the background. */
const taskId =
  /(?<="task_id":"|"agent_?[iI]d":"|"backgroundTaskId":"|agentId: |with ID: |\/tasks\/)[ab][a-z0-9]{8,16}\b/g;
/** Times, and what the CLI tells of itself that has nothing to do with a session. */
const leftOut = new RegExp(
  `^(?:${[
    "uuid|timestamp|end_time|.*_ms|.*DurationMs|request_id|run_id|runId|hook_id|.*[cC]wd|output_file",
    "messaging_socket_path|capabilities|additional_directories",
    "tools|agents|skills|.*slash_commands|mcp_servers|plugins|memory_paths|subagent_stats|categories|gridRows",
    "memoryFiles|mcpTools|messageBreakdown|apiUsage|systemTools|deferredBuiltinTools|systemPromptSections",
  ].join("|")})$`,
);

/** The answer about the window carries its id where others have none, and what the system's prompt takes in it differs a little. */
function changeLine(line: string): string | undefined {
  if (!line.startsWith("{")) return line;
  const ours: Record<string, unknown> = line.includes(windowRequestId)
    ? { request_id: windowRequestId, totalTokens: 7000 }
    : {};
  const kept: unknown = JSON.parse(line, (key, value: unknown) => {
    if (Object.hasOwn(ours, key)) return ours[key];
    return leftOut.test(key) ? undefined : value;
  });
  return JSON.stringify(kept);
}

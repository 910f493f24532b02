/** The adapter to Claude Code, as measured on 2.1.332: its command line, its settings and its input lines. */
import { join } from "node:path";
import { amazon } from "../environment.ts";
import { closingJsonSchema } from "../../core/exit/closing.ts";
import { proposalJsonSchema } from "../../core/prompt/proposal-schema.ts";
import { verdictJsonSchema } from "../../core/review/verdict-schema.ts";
import { shellWord } from "../../core/text/shell.ts";
import { usual } from "../agent.ts";
import type { Agent, AgentRequest, Launch } from "../agent.ts";
import { windowRequestId } from "./lines.ts";
import { hookMarker, streamReader } from "./stream.ts";

export const claude: Agent = {
  kind: "claude",
  measuredOn: "2.1.332",
  capabilities: {
    ...usual,
    takesSessionId: true,
    verdictBySchema: true,
    // Claude Code compacts at window − 33,000; without compaction it fails at window − 23,000 (or − 20,000).
    reserveTokens: 33_000,
  },
  program: () => ({
    name: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    login: "claude auth login",
  }),
  passEnv: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_DISABLE_1M_CONTEXT",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "ANTHROPIC_BEDROCK_BASE_URL",
    ...amazon,
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
  ],
  launch,
  dialogue: () => ({ read: streamReader(), message: userLine }),
};

/** The allowed tools. Others (timers, monitors, background agents) can keep the process alive after its last answer. */
const tools = "Bash,Edit,Glob,Grep,Read,Write";

const streaming = [
  "claude",
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
];

/** Never asks, and works as root, unlike --dangerously-skip-permissions. */
const unattended = ["--permission-mode", "dontAsk", "--allowedTools", tools, "--tools", tools];

const answerSchemas = { closing: closingJsonSchema, proposal: proposalJsonSchema } as const;

function launch(request: AgentRequest): Launch {
  const settingsPath = join(request.sessionDir, "claude-settings.json");
  return {
    argv: [
      ...streaming,
      request.resume ? "--resume" : "--session-id",
      request.agentSessionId,
      "--settings",
      settingsPath,
      ...unattended,
      ...(request.role === "reviewer" ? reviewerFlags() : []),
      ...(request.answer ? ["--json-schema", JSON.stringify(answerSchemas[request.answer]())] : []),
      ...(request.settings.model ? ["--model", request.settings.model] : []),
      ...(request.settings.args ?? []),
    ],
    env: { ...environment, ...request.settings.env },
    files: [{ path: settingsPath, text: JSON.stringify(claudeSettings(request.monoco), null, 2) }],
    stdin: userLine(request.prompt) + windowRequest,
    keepStdinOpen: true,
  };
}

/**
 * The verdict by schema (the CLI knows draft 7 only), without the clone's settings and CLAUDE.md: the work under review must
 * not instruct its Reviewer.
 */
function reviewerFlags(): string[] {
  return ["--setting-sources", "user", "--json-schema", JSON.stringify(verdictJsonSchema())];
}

const environment = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // The default of ten retries means three silent minutes on a broken login. Five take 17 s and outlast a hiccup.
  CLAUDE_CODE_MAX_RETRIES: "5",
  // By default a dead connection takes 361 s an attempt and a silent stream 601 s: beyond the relay's own watchdog.
  API_TIMEOUT_MS: "120000",
  CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "240000",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
};

/** Compaction is off: a relay replaces it. The CLI silently drops a settings file with any wrong shape: hence the marker. */
function claudeSettings(monoco: readonly string[]) {
  const hook = (name: string) => [...monoco, "hook", name].map(shellWord).join(" ");
  return {
    autoCompactEnabled: false,
    hooks: {
      SessionStart: hookEntry(`${hook("on-session-start")} && echo ${hookMarker} >&2`),
      Stop: hookEntry(hook("on-stop")),
    },
  };
}

function hookEntry(command: string) {
  return [{ hooks: [{ type: "command", command, timeout: 30 }] }];
}

function userLine(text: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "text", text }] } })}\n`;
}

/** Asks for the window's size, which is otherwise reported only at the end. The CLI answers at once, without the API. */
const windowRequest = `${JSON.stringify({
  type: "control_request",
  request_id: windowRequestId,
  request: { subtype: "get_context_usage" },
})}\n`;

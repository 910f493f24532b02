/** The adapter to OpenCode, as measured on 1.18.33: the driver of its server, and the driver's orders. */
import { usual } from "../agent.ts";
import { amazon } from "../environment.ts";
import type { Agent, AgentRequest, Launch } from "../agent.ts";
import { besideOf, programOf } from "../lines.ts";
import { dialogue } from "./dialogue.ts";
import { orderLine } from "./orders.ts";
import type { Driving } from "./orders.ts";

export const opencode: Agent = {
  kind: "opencode",
  measuredOn: "1.18.33",
  capabilities: {
    // No verdict by schema: OpenCode forces the model to call a tool, which thinking models refuse, and does not enforce the shape.
    ...usual,
    // OpenCode keeps room for the model's answer in the window: 32,000 at the most.
    reserveTokens: 32_000,
  },
  program: () => ({
    name: "opencode",
    install: "npm install -g opencode-ai",
    login: "opencode auth login",
  }),
  passEnv: [
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "MOONSHOT_API_KEY",
    "ZHIPU_API_KEY",
    "DASHSCOPE_API_KEY",
    "MINIMAX_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "CEREBRAS_API_KEY",
    "FIREWORKS_API_KEY",
    "TOGETHER_API_KEY",
    "AZURE_API_KEY",
    "AZURE_RESOURCE_NAME",
    ...amazon,
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_VERTEX_PROJECT",
    "GOOGLE_VERTEX_LOCATION",
  ],
  launch,
  dialogue,
};

const program = programOf(import.meta.url);

function launch({ role, session, agentSessionId, resume, monoco, prompt, settings }: AgentRequest): Launch {
  const driving: Driving = {
    monoco,
    title: `monoco: ${role}, session ${session}`,
    ...(settings.model ? { model: settings.model } : {}),
    ...(resume ? { sessionID: agentSessionId } : {}),
  };
  return {
    argv: [monoco[0]!, program, JSON.stringify(driving), ...(settings.args ?? [])],
    env: { ...environment, ...(role === "reviewer" ? unbiased : {}), ...settings.env },
    files: [],
    stdin: orderLine({ order: "prompt", text: prompt }),
    keepStdinOpen: true,
  };
}

/** Laid over the person's own configuration, for this process alone. A relay replaces compaction, and git replaces snapshots. */
const config = { autoupdate: false, share: "disabled", snapshot: false, compaction: { auto: false } };

const environment = {
  OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  // OpenCode waits five minutes for an answer and tries six times: beyond the relay's own watchdog.
  MONOCO_MODEL_SILENCE_MS: "480000",
};

/** Leaves out the clone's settings, plugins, AGENTS.md and skills: the work under review must not instruct its Reviewer. */
const unbiased = {
  OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, plugin: [besideOf(import.meta.url, "plugin")] }),
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
};

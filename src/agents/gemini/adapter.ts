/** The adapter to Gemini CLI, as measured on 0.61.0: its command line and its settings; stream.ts reads its output. */
import { join } from "node:path";
import { shellWord } from "../../core/text/shell.ts";
import { programOf } from "../lines.ts";
import { usual } from "../agent.ts";
import type { Agent, AgentRequest, Launch } from "../agent.ts";
import { readGemini } from "./stream.ts";
import { t } from "../../core/language/translate.ts";

export const gemini: Agent = {
  kind: "gemini",
  measuredOn: "0.61.0",
  capabilities: {
    // With compression off, Gemini CLI stops when the next request would not fit any more.
    ...usual,
    messageOnInput: false,
    contextByHook: true,
  },
  program: () => ({
    name: "gemini",
    install: "npm install -g @google/gemini-cli",
    login: t`gemini, once by hand`,
    home: "GEMINI_CLI_HOME",
  }),
  tellsNoCost: true,
  passEnv: [
    "GEMINI_API_KEY",
    "GEMINI_API_KEY_AUTH_MECHANISM",
    "GEMINI_CLI_CUSTOM_HEADERS",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_USE_COMPUTE_ADC",
    "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE",
    "GEMINI_MODEL",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_ACCESS_TOKEN",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_PROJECT_ID",
    "GOOGLE_CLOUD_QUOTA_PROJECT",
    "GOOGLE_CLOUD_UNIVERSE_DOMAIN",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_API_VERSION",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
    "CODE_ASSIST_API_VERSION",
    "CODE_ASSIST_ENDPOINT",
    "CLOUD_SHELL",
  ],
  launch,
  dialogue: readGemini,
};

const program = programOf(import.meta.url);

/** Without `--yolo` the CLI does not even offer its shell tool. */
const streaming = ["gemini", "--output-format", "stream-json", "--yolo"];

function launch(request: AgentRequest): Launch {
  const { sessionDir, agentSessionId, role, settings } = request;
  const settingsPath = join(sessionDir, "gemini-settings.json");
  const policyPath = join(sessionDir, "gemini-policy.toml");
  return {
    argv: [
      request.monoco[0]!,
      program,
      role,
      sessionDir,
      agentSessionId,
      ...streaming,
      request.resume ? "--resume" : "--session-id",
      agentSessionId,
      "--admin-policy",
      policyPath,
      ...(role === "reviewer" ? ["--skip-trust"] : []),
      ...(settings.model ? ["--model", settings.model] : []),
      ...(settings.args ?? []),
    ],
    env: {
      // Otherwise the CLI starts itself once more, and the first process ignores every signal.
      GEMINI_CLI_NO_RELAUNCH: "true",
      // Read by monoco's own program.ts: three stalled streams, which the CLI does not report, would take 15 min.
      MONOCO_MODEL_SILENCE_MS: "480000",
      ...(role === "executor" ? { GEMINI_CLI_TRUST_WORKSPACE: "true" } : {}),
      ...settings.env,
    },
    files: [
      { path: settingsPath, text: JSON.stringify(geminiSettings(request), null, 2) },
      { path: policyPath, text: policy },
    ],
    stdin: request.prompt,
    keepStdinOpen: false,
  };
}

/** Denies tools that wait for a person, change the CLI's permissions, or write into the person's own memory of all projects. */
const policy = `[[rule]]
toolName = ["ask_user", "enter_plan_mode", "exit_plan_mode", "save_memory"]
decision = "deny"
priority = 999
`;

/** The settings of the session, laid over the person's own. */
function geminiSettings({ role, monoco }: AgentRequest) {
  const hook = (name: string) => [
    {
      hooks: [
        {
          type: "command",
          command: [...monoco, "hook", name].map(shellWord).join(" "),
          timeout: 30_000,
        },
      ],
    },
  ];
  return {
    general: {
      // The default of ten, 5 to 30 s apart, means minutes of silence. Three take 15 s.
      maxAttempts: 3,
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
    },
    // A relay replaces compression: it never starts before the window is full.
    model: { compressionThreshold: 1 },
    // Keeps the CLI from searching for files whose names look like a path in a prompt.
    context: { fileFiltering: { enableRecursiveFileSearch: false } },
    advanced: { ignoreLocalEnv: true },
    hooksConfig: { enabled: true },
    hooks: {
      SessionStart: hook("on-session-start"),
      AfterTool: hook("on-tool"),
      AfterAgent: hook("on-stop"),
    },
    ...(role === "reviewer" ? reviewerSettings : {}),
  };
}

/**
 * Leaves out the settings, skills and agents of the clone: the work under review must not instruct its Reviewer. The CLI
 * ignores the settings of a folder that is trusted only on the command line. program.ts hides GEMINI.md; `fileName` replaces
 * other names that a person may have chosen.
 */
const reviewerSettings = {
  security: { folderTrust: { enabled: true } },
  context: { fileFiltering: { enableRecursiveFileSearch: false }, fileName: "monoco-reads-none.md" },
  skills: { enabled: false },
  experimental: { enableAgents: false },
};

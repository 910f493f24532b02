/** The adapter to Codex, as measured on 0.171.0: its app server's command line, and the opening of its protocol (JSON lines both ways). */
import { usual } from "../agent.ts";
import { amazon } from "../environment.ts";
import type { Agent, AgentRequest, Launch } from "../agent.ts";
import { dialogue } from "./dialogue.ts";
import { hooksOf, tomlText } from "./hooks.ts";
import { jsonLine, threadIds } from "./lines.ts";

export const codex: Agent = {
  kind: "codex",
  measuredOn: "0.171.0",
  capabilities: {
    ...usual,
    verdictBySchema: true,
    // Codex compacts at 90 % of the model's window and reports 95 % of it: 14,400 of 258,400 for most models.
    reserveTokens: 15_000,
  },
  program: () => ({ name: "codex", install: "npm install -g @openai/codex", login: "codex login" }),
  tellsNoCost: true,
  passEnv: [
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "CODEX_CA_CERTIFICATE",
    "OPENAI_API_KEY",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT",
    "AZURE_OPENAI_API_KEY",
    ...amazon,
  ],
  launch,
  dialogue,
};

/** Never asks, and has no sandbox of its own: Codex's sandbox keeps `.git` read-only, and monoco contains the tree. */
const unattended = ['approval_policy="never"', 'sandbox_mode="danger-full-access"'];

/** Without these settings Codex waits for a network for ever, and conversations that monoco does not watch may go on. */
const bounded = [
  "features.unbounded_connection_retries=false",
  "features.multi_agent=false",
  "features.goals=false",
  "check_for_update_on_startup=false",
];

/** Otherwise a message in the middle of an answer discards that answer, with its cost. */
const patient = ["features.instant_interrupt=false"];

/** Codex's default is a login shell, whose PATH begins with that of /etc/profile: `monoco` is not on it. */
const sessionShell = ["allow_login_shell=false"];

function launch(request: AgentRequest): Launch {
  const { workspace, monoco, settings } = request;
  const config = [
    ...unattended,
    ...bounded,
    ...patient,
    ...sessionShell,
    `hooks=${hooksOf(monoco)}`,
    ...(request.role === "reviewer" ? reviewerConfig(workspace) : []),
    ...(settings.model ? [`model=${tomlText(settings.model)}`] : []),
  ];
  return {
    argv: ["codex", "app-server", ...config.flatMap((value) => ["-c", value]), ...(settings.args ?? [])],
    env: { ...settings.env },
    files: [],
    stdin: openingLines(request),
    keepStdinOpen: true,
  };
}

/** Leaves out the clone's AGENTS.md and skills: the work under review must not instruct its Reviewer. */
function reviewerConfig(workspace: string): string[] {
  return [`projects={${tomlText(workspace)}={trust_level="untrusted"}}`, "skills.include_instructions=false"];
}

/** Updates of items that are reported in full when complete: they would only fill the stream. */
const notificationsOff = [
  "item/agentMessage/delta",
  "item/commandExecution/outputDelta",
  "item/fileChange/outputDelta",
  "item/fileChange/patchUpdated",
  "item/plan/delta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "thread/started",
  "turn/diff/updated",
];

/** Names no folder: Codex uses that of the process. A named folder is recorded as trusted in the person's config.toml. */
function openingLines({ role, resume, answer, agentSessionId }: AgentRequest): string {
  const capabilities = {
    experimentalApi: false,
    requestAttestation: false,
    optOutNotificationMethods: notificationsOff,
  };
  const clientInfo = { name: "monoco", title: "monoco", version: "0" };
  return [
    { id: "initialize", method: "initialize", params: { clientInfo, capabilities } },
    { method: "initialized" },
    resume
      ? {
          id: threadIds[answer ?? role],
          method: "thread/resume",
          params: { threadId: agentSessionId, excludeTurns: true },
        }
      : { id: threadIds[answer ?? role], method: "thread/start", params: {} },
  ]
    .map(jsonLine)
    .join("");
}

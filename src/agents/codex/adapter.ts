/** The adapter to Codex, as measured on 0.169.0: its app server's command line, and how that protocol (JSON lines both ways) is opened. */
import { usual } from "../agent.ts";
import { amazon } from "../environment.ts";
import type { Agent, AgentRequest, Launch } from "../agent.ts";
import { dialogue } from "./dialogue.ts";
import { hooksOf, tomlText } from "./hooks.ts";
import { jsonLine, threadIds } from "./lines.ts";

export const codex: Agent = {
  kind: "codex",
  measuredOn: "0.169.0",
  capabilities: {
    ...usual,
    verdictBySchema: true,
    // It compacts at 90 % of the model's window and reports 95 % of it: 14,400 of 258,400 for most models.
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

/** Never asks, and no sandbox of its own: that one keeps `.git` read-only, and the tree is monoco's to contain. */
const unattended = ['approval_policy="never"', 'sandbox_mode="danger-full-access"'];

/** Without these it waits for a network for ever, and others than the one conversation that is watched may go on. */
const bounded = [
  "features.unbounded_connection_retries=false",
  "features.multi_agent=false",
  "features.goals=false",
  "check_for_update_on_startup=false",
];

/** Otherwise a message in the middle of an answer throws that answer away, with what it cost. */
const patient = ["features.instant_interrupt=false"];

/** A login shell, Codex's habit, begins with the PATH of /etc/profile, and `monoco` is not on that one. */
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

/** Without the AGENTS.md and the skills of the clone: they are the work under review, and must not tell its Reviewer what to do. */
function reviewerConfig(workspace: string): string[] {
  return [`projects={${tomlText(workspace)}={trust_level="untrusted"}}`, "skills.include_instructions=false"];
}

/** What is told in whole again when it is complete, and would fill the stream meanwhile. */
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

/** The folder is that of the process: one that is named here is entered as trusted into the person's config.toml. */
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

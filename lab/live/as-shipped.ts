/** One session of a real CLI whose model fails, as shipped: neither monoco's settings nor the CLI's own are made less patient. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentSettings } from "../../src/index.ts";
import type { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import { codexHome } from "../../src/probe/codex-vendor.ts";
import type { ModelServer, Turn } from "../../src/probe/scripted-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { cleanEnvironment } from "./environment.ts";
import { eventsOf, openSandbox, processesOf } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import { installedAgent } from "../../scripts/agents.ts";
import { startFailing } from "./openai-model.ts";

type Kind = (typeof kinds)[number];

/** A CLI as a person has it. */
type Subject = {
  kind: Kind;
  /** The model that fails, for ever. */
  start(turn: Turn): Promise<Pick<ModelServer<unknown>, "url" | "requests" | "close">>;
  environment: Vendor["environment"];
  /** Its entry in monoco.yaml, where that has more than a kind. */
  settings?: AgentSettings;
};

const issue = "FEAT-0001";

const subjectOf = (kind: Kind): Subject => ({
  kind,
  start: (turn) => vendors[kind].startModel([{ match: issue, turns: [turn] }]),
  environment: (where) => vendors[kind].environment(where),
});

export const subjects = {
  claude: subjectOf("claude"),
  /** With a provider of the person's own. */
  codex: { ...subjectOf("codex"), environment: (where) => codexHome(where, {}) },
  /** With its built-in one, at another address: OpenAI's API cannot be had here. */
  "codex-openai": { kind: "codex", start: startFailing, environment: builtIn },
  gemini: subjectOf("gemini"),
  // Its settings look nothing up in the network.
  opencode: { ...subjectOf("opencode"), settings: vendors.opencode.settings },
} as const satisfies Record<string, Subject>;
export type SubjectName = keyof typeof subjects;

function builtIn({ home, modelUrl }: { home: string; modelUrl: string }): Record<string, string> {
  const folder = join(home, ".codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), `openai_base_url = "${modelUrl}"\n`);
  writeFileSync(join(folder, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "dummy" }));
  return { CODEX_HOME: folder };
}

/** What the model does, for ever. */
export const faults = {
  deaf: { deaf: true },
  hang: { hang: true },
  "429": { status: 429 },
  "500": { status: 500 },
  cut: { cut: true },
  /** Nobody listens where the model should be. */
  refused: {},
} as const satisfies Record<string, Turn>;
export type Fault = keyof typeof faults;

export type Run = {
  subject: SubjectName;
  fault: Fault;
  secondsMax: number;
  /** `limits:` of monoco.yaml; none as shipped. */
  limits?: object;
  /** Ends it early. */
  signal?: AbortSignal;
};

export type Bound = {
  /** It had to be ended from here. */
  late: boolean;
  /** The stop reason; undefined where there was no session. */
  reason: string | undefined;
  /** From the session's start to its end. */
  seconds: number;
  /** That reached the model. */
  requests: number;
  evidence: readonly string[];
  /** Of its processes, what still runs. */
  left: readonly string[];
  /** What monoco has printed. */
  said: string;
};

/** `monoco run --once`, in a repository and a home that are gone afterwards. */
export async function runAsShipped(run: Run): Promise<Bound> {
  const subject: Subject = subjects[run.subject];
  const sandbox = openSandbox();
  const model = await subject.start(faults[run.fault]);
  try {
    const project = await makeProject(sandbox, subject, run.limits ?? {});
    const home = join(sandbox.folder, "home");
    const modelUrl = run.fault === "refused" ? withoutListener(model.url) : model.url;
    const env = {
      ...cleanEnvironment(home, dirname(programOf(run.subject) ?? "")),
      ...subject.environment({ home, modelUrl }),
    };
    const running = sandbox.start(["run", issue, "--once"], { cwd: project, env });
    const end = (): void => running.kill("SIGTERM");
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end();
    }, run.secondsMax * 1000);
    run.signal?.addEventListener("abort", end);
    if (run.signal?.aborted) end();
    const ran = await running;
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", end);
    const ended = eventsOf(project, issue).find((event) => event.type === "session.ended");
    return {
      late,
      reason: ended?.reason,
      seconds: (ended?.durationMs ?? 0) / 1000,
      requests: model.requests.length,
      evidence: endingWords(ended?.evidence ?? []),
      left: processesOf(sandbox.folder),
      said: ran.stdout + ran.stderr,
    };
  } finally {
    await model.close();
    sandbox.dispose();
  }
}

/** The path of its pinned CLI; undefined where that is not installed. */
export function programOf(subject: SubjectName): string | undefined {
  return installedAgent(subjects[subject].kind);
}

/** A port that nobody is given, and that no HTTP client refuses to ask. */
function withoutListener(url: string): string {
  return Object.assign(new URL(url), { port: "2" }).href.replace(/\/$/, "");
}

async function makeProject(sandbox: Sandbox, { kind, settings }: Subject, limits: object): Promise<string> {
  const project = join(sandbox.folder, "project");
  mkdirSync(join(project, "issues"), { recursive: true });
  const files: Record<string, string> = {
    // JSON is YAML.
    "monoco.yaml": JSON.stringify({
      agents: { [kind]: settings ?? { kind } },
      roles: { executor: { agents: [kind] }, reviewer: { agents: [kind] } },
      limits,
    }),
    [`issues/${issue}-a.md`]: `---\nid: ${issue}\ntitle: A\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA.\n\n## Acceptance Criteria\n\n- [ ] a\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  return project;
}

/** A table of endings of the real Gemini CLI: each row is a relay of one session, in a project of its own. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGemini } from "../../src/probe/gemini-model.ts";
import type { GeminiTurn } from "../../src/probe/gemini-model.ts";
import type { ModelServer } from "../../src/probe/scripted-model.ts";
import { eventsOf, openSandbox } from "../../test/support/cli.ts";
import type { Sandbox } from "../../test/support/cli.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { expectEnd, withoutNamespaces } from "./ends.ts";
import type { End } from "./ends.ts";
import { geminiDir, geminiEnvironment, recordGemini } from "./gemini.ts";
import { firstOfEach, testRows } from "../../test/support/full.ts";

export type Row = End & {
  /** Also the name of the recorded stream. */
  name: string;
  turns: readonly GeminiTurn[];
  /** Without a key: the person's settings choose it all the same, or the person has never logged in. */
  login?: "no key" | "never";
  /** The project's own settings of the CLI. */
  settings?: object;
  /** More files of the project. */
  files?: Record<string, string>;
  /** `agents.gemini.args` of monoco.yaml. */
  args?: string[];
  /** `agents.gemini.env`. */
  env?: Record<string, string>;
  /** In a request to the model. */
  told?: string;
  /** In the evidence, where its hooks cannot be proved (TRAP 4). */
  hooksOff?: true;
};

export const shell = (command: string, more: { tokens?: number; is_background?: true } = {}): GeminiTurn => {
  const { tokens = 20_000, ...input } = more;
  return {
    tools: [{ name: "run_shell_command", input: { command, description: "work", ...input } }],
    usage: { input_tokens: tokens },
  };
};

/** What stops too early is asked to go on, twice, before it may. */
export const thrice = (turn: GeminiTurn): GeminiTurn[] => [turn, turn, turn];

const issue = "FEAT-0001";

export function geminiTable(rows: readonly Row[], secondsMax = 60): void {
  describe.skipIf(!geminiDir)("a session", () => {
    let sandbox: Sandbox;
    let model: ModelServer;
    let env: Record<string, string>;

    beforeAll(async () => {
      sandbox = openSandbox();
      model = await startGemini(rows.map(({ name, turns }) => ({ match: `Meet ${name}\n`, turns })));
      const live = geminiEnvironment({ home: join(sandbox.folder, "home"), modelUrl: model.url });
      env = { ...sandbox.env, ...live };
    });

    afterAll(async () => {
      await model.close();
      sandbox.dispose();
    });

    const named = rows.map((row) => [row.name, row] as const);
    const kinds = firstOfEach(named, ([, { reason }]) => reason);
    testRows(named, kinds, test.concurrent)("%s", { timeout: 300_000 }, async ([name, row], { expect }) => {
      const project = await makeProject(sandbox, row);
      const relay = join(project, ".monoco", "relays", issue);
      const running = sandbox.start(["run", issue, "--once"], {
        cwd: project,
        env: {
          ...env,
          ...(row.login ? withoutLogin(row.login, `${project}-home`) : {}),
          ...(row.uncontained ? { PATH: withoutNamespaces(`${project}-path`, env["PATH"] ?? "") } : {}),
        },
      });
      if (row.reason === "usage_limit") {
        await journaled(join(relay, "journal.jsonl"), "limit.hit");
        running.kill("SIGINT");
      }
      const ran = await running;
      expectEnd({ sandbox, project, issue, ran }, { secondsMax, ...row });
      const ended = eventsOf(project, issue).find((event) => event.type === "session.ended");
      expect(JSON.stringify(ended).includes("hooks were not seen")).toBe(row.hooksOff === true);
      const tails = model.requests.filter(({ prompt }) => prompt.includes(`Meet ${name}\n`));
      if (row.told) expect(tails.map(({ tail }) => tail).join("\n")).toContain(row.told);
      const stream = readFileSync(join(relay, "sessions", "0001-executor", "stream.jsonl"), "utf8");
      // The adapter's own test keeps that of a missing key.
      if (!row.uncontained && row.login !== "no key") recordGemini(name, stream.split("\n"));
    });
  });
}

function withoutLogin(login: "no key" | "never", home: string): Record<string, string | undefined> {
  const { GEMINI_API_KEY: _, ...live } = geminiEnvironment({ home, modelUrl: "http://127.0.0.1:1" });
  if (login === "no key") return { ...live, GEMINI_API_KEY: undefined };
  writeFiles(home, { ".gemini/settings.json": "{}" });
  // To the CLI, another address is a login of its own.
  return { ...live, GEMINI_API_KEY: undefined, GOOGLE_GEMINI_BASE_URL: undefined };
}

/** One of its own: a used-up account is used up for all relays of a repository. */
async function makeProject(sandbox: Sandbox, row: Row): Promise<string> {
  const { name, args = [], env = {} } = row;
  const project = join(sandbox.folder, name);
  writeFiles(project, {
    "monoco.yaml": `agents:
  gemini: { kind: gemini, model: gemini-2.5-pro, args: ${JSON.stringify(args)}, env: ${JSON.stringify(env)} }
roles: { executor: { agents: [gemini] }, reviewer: { agents: [gemini] } }
exit: { ask: false }
limits: { sessionsMax: 1, backoffSeconds: 0, silenceMinutes: 0.5, contextMarks: [2000000, 2000000, 2000000] }
`,
    [`issues/${issue}-meet.md`]: `---\nid: ${issue}\ntitle: Meet ${name}\nstatus: open\nstage: draft\n---\n\n## Objective\n\nSurvive it.\n\n## Acceptance Criteria\n\n- [ ] it is survived${", and what comes after it".repeat(20)}\n`,
    ...(row.settings ? { ".gemini/settings.json": JSON.stringify(row.settings) } : {}),
    ...row.files,
  });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  return project;
}

async function journaled(journal: string, type: string): Promise<void> {
  const told = () => existsSync(journal) && readFileSync(journal, "utf8").includes(`"type":"${type}"`);
  await expect.poll(told, { timeout: 120_000 }).toBe(true);
}

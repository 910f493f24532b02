/** Where an adapter meets its real CLI: a folder with a repository, a home, a scripted model, and a program that stands for monoco. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import type { AgentRequest } from "../../src/index.ts";
import type {
  Conversation,
  ModelRequest,
  ModelScript,
  ModelServer,
  Turn,
} from "../../src/probe/scripted-model.ts";
import { writeFiles } from "../../test/support/repository.ts";
import { startLiveSession } from "./session.ts";
import type { LiveSession } from "./session.ts";
import { environmentOf } from "./subject.ts";
import type { Setup, Subject } from "./subject.ts";

export type Place<R extends ModelRequest = ModelRequest> = {
  folder: string;
  workspace: string;
  home: string;
  environment: Record<string, string>;
  model: ModelServer<R>;
  start(request?: Partial<AgentRequest>, environment?: Record<string, string>): LiveSession;
  /** The hooks that were called, in order. */
  hooks(): string[];
};

type Options<T extends Turn, Config, R extends ModelRequest> = Setup<Config> & {
  /** In the prompts that these turns answer; else in the request's own. */
  match?: string;
  others?: ModelScript<T, R>;
  /** The stop hook refuses once, with these words. */
  blockOnce?: string;
};

/** All of it is gone after the test. */
export async function makePlace<T extends Turn, Config, R extends ModelRequest>(
  subject: Subject<T, Config, R>,
  turns: Conversation<T, R>["turns"],
  { match = "do the work", others = [], blockOnce, ...setup }: Options<T, Config, R> = {},
): Promise<Place<R>> {
  const model = await subject.start([{ match, turns }, ...others]);
  const folder = mkdtempSync(join(tmpdir(), "monoco live's "));
  const workspace = join(folder, "workspace");
  const home = join(folder, "home");
  const environment = environmentOf(subject, { home, modelUrl: model.url }, setup);
  const answer = blockOnce ? JSON.stringify({ decision: "block", reason: blockOnce }) : "";
  // A program of node's: the driver of an agent may be one, too.
  const program = join(folder, "monoco program.mjs");
  mkdirSync(workspace);
  writeFiles(folder, { "monoco program.mjs": standIn, answer });
  await git(workspace, "init", "-q");
  await execa("git", ["commit", "-q", "--allow-empty", "-m", "base"], { cwd: workspace, env: environment });
  onTestFinished(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const log = join(folder, "hooks.log");
  return {
    folder,
    workspace,
    home,
    environment,
    model,
    start: (request = {}, other = environment) =>
      startLiveSession(subject.adapter, {
        folder,
        environment: other,
        request: { settings: subject.settings, monoco: [process.execPath, program], ...request },
      }),
    hooks: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
  };
}

const standIn = `import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
const payload = readFileSync(0, "utf8");
const beside = (name) => join(import.meta.dirname, name);
appendFileSync(beside("hooks.log"), process.argv[3] + "\\n");
if (process.argv[3] === "on-stop" && payload.includes('"stop_hook_active":false'))
  process.stdout.write(readFileSync(beside("answer"), "utf8"));
`;

export async function git(cwd: string, ...words: string[]): Promise<string> {
  return (await execa("git", words, { cwd })).stdout;
}

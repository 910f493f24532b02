/** A session of a real CLI that meets a fault: `monoco run --once` in a project and a home of its own, and all that holds of its end. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { ModelRequest, Turn } from "../../../src/probe/scripted-model.ts";
import { openSandbox } from "../../../test/support/cli.ts";
import { writeFiles } from "../../../test/support/repository.ts";
import { expectEnd } from "../ends.ts";
import { environmentOf, recordAgain } from "../subject.ts";
import type { Subject } from "../subject.ts";
import { issue, issueFile } from "./fault.ts";
import type { Cell } from "./fault.ts";

export async function meet<T extends Turn, Config, R extends ModelRequest>(
  subject: Subject<T, Config, R>,
  { fault, cell }: { fault: string; cell: Cell<T, Config, R> },
  { expect, onTestFinished }: Pick<TestContext, "expect" | "onTestFinished">,
): Promise<void> {
  const sandbox = openSandbox();
  const model = await subject.start([{ match: issue, turns: cell.turns }]);
  const home = join(sandbox.folder, "home");
  const modelUrl = cell.unreachable ? withoutListener(model.url) : model.url;
  const env = environmentOf(subject, { home, modelUrl }, cell);
  if (cell.uncontained) env["PATH"] = withoutNamespaces(home, env["PATH"]!);
  const project = join(sandbox.folder, "project");
  writeFiles(project, { ...filesOf(subject, cell), ...cell.files });
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
  const running = sandbox.start(["run", issue, "--once"], { cwd: project, env });
  onTestFinished(async () => {
    running.kill("SIGTERM");
    await running;
    await model.close();
    sandbox.dispose();
  });
  const ran = await running;
  expectEnd({ sandbox, project, issue, ran }, { secondsMax: subject.secondsMax, ...cell });
  const { asked = [0, Infinity] } = cell;
  const [least, most] = typeof asked === "number" ? [asked, asked] : asked;
  expect(model.requests.length).toBeGreaterThanOrEqual(least);
  expect(model.requests.length).toBeLessThanOrEqual(most);
  if (cell.told) expect(model.requests.map(({ tail }) => tail).join("\n")).toMatch(cell.told);
  if (cell.login && cell.login !== "subscription")
    expect(model.requests.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
  const stream = join(project, ".monoco/relays", issue, "sessions/0001-executor/stream.jsonl");
  const lines = readFileSync(stream, "utf8").trim().split("\n");
  if (cell.as) subject.record(cell.as, lines);
  else if (cell.as === undefined) recordAgain(subject, fault, lines);
}

/** A port that nobody is given, and that no HTTP client refuses to ask. */
function withoutListener(url: string): string {
  return Object.assign(new URL(url), { port: "2" }).href.replace(/\/$/, "");
}

/** The PATH of a machine on which nothing can be put in a namespace: monoco holds the process group, and sweeps. */
function withoutNamespaces(home: string, path: string): string {
  const folder = join(home, "no-namespaces");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "setpriv"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return `${folder}:${path}`;
}

function filesOf(
  { settings }: Pick<Subject, "settings">,
  { agent, env, limits }: Pick<Cell, "agent" | "env" | "limits">,
): Record<string, string> {
  const { kind } = settings;
  return {
    // JSON is YAML.
    "monoco.yaml": JSON.stringify({
      agents: { [kind]: { ...settings, ...agent, env: { ...settings.env, ...env } } },
      roles: { executor: { agents: [kind] }, reviewer: { agents: [kind] } },
      limits,
      exit: { ask: false },
    }),
    ...issueFile(),
  };
}

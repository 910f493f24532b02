/** monoco check: runs the contract's checks in the current folder. */
import { freshMark, readMark } from "../store/mark.ts";
import { join } from "node:path";
import { spawnChild } from "../agents/child.ts";
import { scrubbedEnvironment } from "../agents/environment.ts";
import { shellFor } from "../agents/shell.ts";
import { MonocoError } from "../core/error/error.ts";
import { logBytesMax, termGraceMs } from "../core/limits.ts";
import { plain, plainLine } from "../core/text/sanitize.ts";
import { printJson } from "../views/json.ts";
import { paint } from "../views/paint.ts";
import type { Checks } from "./checks-here.ts";
import { currentSession } from "../app/session-context.ts";
import { makeTemporary } from "../app/temporary.ts";
import { io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

type Result = {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  about?: string;
};

/** Exit status 0 if all checks pass, 1 if one fails. */
export async function check(
  id: string | undefined,
  flags: { json: boolean; fresh?: boolean },
): Promise<number> {
  if (flags.fresh) {
    const { checksFresh } = await import("./check-fresh.ts");
    return tellResults(await checksFresh((line) => void io().stderr.write(`${line}\n`)), flags);
  }
  const { folder, commands, minutes, shell: setting } = await whichChecks(id);
  if (commands.length === 0) {
    throw new MonocoError("input", t`no checks are configured`, {
      hint: t`name them in monoco.yaml (checks: ["npm test"]) or in the issue's front matter`,
    });
  }
  const shell = shellFor(setting, io().env);
  const results: Result[] = [];
  for (const command of commands)
    results.push(await runCheck({ command, shell, folder, minutes, quiet: flags.json }));
  return tellResults(results, flags);
}

function tellResults(results: readonly Result[], flags: { json: boolean }): number {
  const ok = results.every((result) => result.exitCode === 0);
  if (flags.json) printJson({ ok, results });
  else for (const result of results) io().stdout.write(`${summary(result)}\n`);
  return ok ? 0 : 1;
}

async function whichChecks(id: string | undefined): Promise<Checks> {
  const session = currentSession();
  if (!session) return (await import("./checks-here.ts")).checksHere(id);
  const { workspace, checks, checkMinutes, shell } = session.live;
  return { folder: workspace, commands: checks, minutes: checkMinutes, shell };
}

/** The environment of a check, in a session as scrubbed as in monoco's own checks. The relay's mark ends the check's processes with the session. */
function environment(): Record<string, string | undefined> {
  const { NODE_COMPILE_CACHE: _, ...env } = io().env;
  const session = currentSession();
  if (!session) return env;
  const mark = readMark(join(session.folder, "../.."));
  const own = { CI: "true", ...(mark && { [mark.name]: mark.value }) };
  const { env: names = [] } = session.live;
  const [binFolder = "/usr/bin", ...folders] = (env["PATH"] ?? "").split(":");
  return scrubbedEnvironment(
    { ...env, PATH: folders.join(":") },
    { names, binFolder, own, clone: session.live.workspace },
  );
}

async function runCheck(run: {
  command: string;
  shell: readonly string[];
  folder: string;
  minutes: number;
  quiet: boolean;
}): Promise<Result> {
  const { command, shell, folder, minutes, quiet } = run;
  const logs = makeTemporary("check");
  const started = Date.now();
  const mark = freshMark();
  if (!quiet) io().stdout.write(`${paint("bold", `$ ${command}`)}\n`);
  const env = Object.entries(environment()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const child = spawnChild({
    argv: [...shell, command],
    cwd: folder,
    env: { ...Object.fromEntries(env), [mark.name]: mark.value },
    marker: `${mark.name}=${mark.value}`,
    containment: "process-group",
    stdoutFile: join(logs.folder, "log"),
    stderrFile: join(logs.folder, "log"),
    bytesMax: logBytesMax,
    // Indented, so that an agent running this command never prints the checked code's output as a line of its own.
    onLine: quiet ? () => undefined : (line) => io().stdout.write(`  ${plain(line)}\n`),
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void child.stop(termGraceMs);
  }, minutes * 60_000);
  const interrupted = (): void => void child.stop(termGraceMs).then(() => process.exit(130));
  const unheard = io().onStop(interrupted);
  const exit = await child.exited;
  unheard();
  clearTimeout(timer);
  if (!quiet && child.stderrTail() !== "")
    io().stdout.write(`${plain(child.stderrTail()).replaceAll(/^/gm, "  ")}\n`);
  logs.remove();
  return { command, exitCode: timedOut ? null : exit.exitCode, timedOut, durationMs: Date.now() - started };
}

function summary({ command, exitCode, timedOut, durationMs, about }: Result): string {
  const took = `${(durationMs / 1000).toFixed(1)} s`;
  if (exitCode === 0) return paint("good", t`green  ${command}  (${took})`);
  const status = exitCode === null ? t`exit status none` : t`exit status ${exitCode}`;
  const red = paint("bad", t`RED    ${command}  (${timedOut ? t`timed out` : status}, ${took})`);
  return about === undefined ? red : `${red}\n       ${plainLine(about, 1_000)}`;
}

/** `run --detach`: starts the same command as a background process, which survives the terminal and writes to a log. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { relative } from "node:path";
import { exitCodes } from "../../core/error/error.ts";
import { timeOf } from "../../core/text/figures.ts";
import { plain } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { openHere } from "../../app/here.ts";
import { takeBackgroundLock } from "../../app/runner-lock.ts";
import { layOut, monocoCommand } from "../../app/wire.ts";
import { makeFolder } from "../../store/durable.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { printJson } from "../../views/json.ts";
import { io, listenFor, within } from "../../io/io.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runningIssues } from "../options.ts";
import { longFlag } from "../verb.ts";
import { t } from "../../core/language/translate.ts";

/** Names the log to the process in the background. */
const logVariable = "MONOCO_DETACHED";

type Run = (begins: () => void) => Promise<number>;

/** Starts the run in the background; there, does it. Resolves when the run has begun, or to the exit code of one that ended before. */
export async function detach(ids: string[], flags: RunFlags, run: Run): Promise<number> {
  const { [logVariable]: given, ...env } = io().env;
  if (given !== undefined) {
    const onStop = (listener: () => void): (() => void) => listenFor(["SIGINT", "SIGTERM"], listener);
    return within({ env, onStop }, () => runDetached(given, flags.all ? [] : ids, run));
  }
  const here = await openHere();
  layOut(here);
  const { monoco, runLog } = repositoryPlaces(here.repository.root, io().env);
  makeFolder(monoco);
  // The log of the last run is replaced when this one has begun.
  const log = `${runLog}.${randomUUID()}`;
  const words = wordsOf(ids, flags);
  const command = ["monoco", ...words].map(shellWord).join(" ");
  const began = await start(words, { log, title: `${timeOf(Date.now())}  ${command}\n` });
  if ("exitCode" in began) {
    io()[began.exitCode === 0 ? "stdout" : "stderr"].write(printedIn(log));
    rmSync(log);
    return began.exitCode;
  }
  if (flags.json) printJson({ pid: began.pid, log: runLog });
  else
    io().stdout.write(
      t`${printedIn(runLog)}in the background: ${command} (process ${began.pid})\n  output: ${plain(relative(io().cwd, runLog))}\n  monoco             shows where it stands\n  monoco log -f      follows it\n  monoco stop --all  ends it with a handoff\n`,
    );
  return 0;
}

/** The command line of these flags. */
function wordsOf(ids: readonly string[], flags: RunFlags & { yes?: boolean }): string[] {
  const { resume, json: _json, yes: _yes, ...others } = flags;
  const options = Object.entries(others).flatMap(([key, value]) => {
    if (!value || (key === "jobs" && value === runningIssues.jobs.unset)) return [];
    return value === true ? [longFlag(key)] : [value].flat().map((one) => `${longFlag(key)}=${one}`);
  });
  return [resume ? "resume" : "run", ...ids, ...options];
}

/** What the run has printed so far, without the title. */
function printedIn(log: string): string {
  return plain(readFileSync(log, "utf8")).replace(/^.*\n/, "");
}

type Began = { pid: number } | { exitCode: number };

/** Starts the background process, in a new session. Until the run has begun, Ctrl-C ends it too. */
async function start(
  words: readonly string[],
  { log, title }: { log: string; title: string },
): Promise<Began> {
  // Appending goes on at the new end when somebody empties the log.
  const output = openSync(log, "a");
  writeSync(output, title);
  const [program = "", ...args] = monocoCommand();
  const child = spawn(program, [...args, ...words], {
    cwd: io().cwd,
    env: { ...io().env, [logVariable]: log },
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  const unlisten = io().onStop(() => child.kill());
  let pid: number | undefined;
  child.once("message", () => (pid = child.pid));
  await once(child, "disconnect").finally(unlisten);
  if (pid !== undefined) {
    child.unref();
    return { pid };
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { exitCode: child.exitCode ?? exitCodes.interrupted };
}

/** Runs in the process that was started for that. A terminal that hangs up does not concern it. */
async function runDetached(log: string, ids: string[], run: Run): Promise<number> {
  listenFor(["SIGHUP"], () => undefined);
  const { repository } = await openHere();
  const places = repositoryPlaces(repository.root, io().env);
  const lock = await takeBackgroundLock(places, ids);
  let begun = false;
  const begins = (): void => {
    if (begun) return;
    begun = true;
    renameSync(log, places.runLog);
    process.send?.("begun", undefined, undefined, () => process.connected && process.disconnect());
  };
  return run(begins).finally(() => lock.release());
}

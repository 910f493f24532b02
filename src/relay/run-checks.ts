/** Runs set-ups and checks: agent-written code under the same launcher as a session, each with a time limit. */
import { spawnChild } from "../agents/child.ts";
import type { NetworkView } from "../agents/network/words.ts";
import { namedIn, scrubbedEnvironment, secretsIn } from "../agents/environment.ts";
import { shellFor } from "../agents/shell.ts";
import { makeFolder, writeDurably } from "../store/durable.ts";
import { markOf } from "../store/mark.ts";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { isSandbox } from "../core/report/sandbox.ts";
import { isManifest } from "../core/trial/roles.ts";
import { counted } from "../core/language/counted.ts";
import type { CheckResult } from "../core/review/check-result.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import type { Settings } from "../core/settings/settings.ts";
import { byHand } from "../core/journal/steps.ts";
import { failingTests, lastLine } from "../core/review/failing-tests.ts";
import { endWords } from "../core/review/red.ts";
import { failureSignature } from "../core/error/failure-signature.ts";
import { logBytesMax, syncMsMax, termGraceMs } from "../core/limits.ts";
import { withNetworkOf } from "./network.ts";
import { hiddenBy } from "./home/hidden.ts";
import { containmentBy, filesIn, hiddenFromFailed, viewOf } from "./sandbox.ts";
import { runningSession } from "../core/relay/phase.ts";
import { limitsOf, settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { turnVerdictsAway } from "./turn-away.ts";
import { aloneOfCommands, sharingCommands } from "./wait-for-lock.ts";
import { t } from "../core/language/translate.ts";
import { runName } from "./run-name.ts";
import type { RunName } from "./run-name.ts";

export type CommandRun = {
  commands: readonly string[];
  folder: string;
  /** The folder of the logs (`check-1.log`, …). */
  logs: string;
  name: RunName;
  /** The time limit of each command. */
  minutes: number;
  /** The variables of the person's environment that the commands get, by their setting: the checks' without it. */
  given?: keyof Settings["env"];
  /** The commands are a Reviewer's, which its agent's shell ran: the setting `shell` does not apply. */
  evidence?: boolean;
  /** The role whose sandbox is used; by default the Reviewer, whose caches no Executor has written. */
  role?: Role;
  /** The clone contains nothing of an agent's. */
  trusted?: boolean;
  /** Aborted, it ends the running command and starts no other. */
  stop?: AbortSignal | undefined;
  /** Runs at low priority and with a mark of its own, while a session works. */
  nice?: boolean;
  /** Omits the environment variables that show a program that it is tested. */
  plain?: boolean;
  /** A command that is red while another relay's command runs is run once more alone: they may have met at a port or a file. */
  sure?: boolean;
};

/** Runs the commands in turn; with `stopAtFailure`, until one fails. An interrupted command has no exit status. */
export async function runCommands(
  relay: Relay,
  run: CommandRun,
  stopAtFailure: boolean,
): Promise<CheckResult[]> {
  // A submission's dossier will be written durably to this folder.
  makeFolder(run.logs);
  try {
    return await runEach(relay, run, stopAtFailure);
  } finally {
    // Removes verdicts that the commands dropped in a person's name, also after an interrupt. During a session this is left to
    // the session's end, which records their number.
    const verdicts = runningSession(relay.state) ? 0 : turnVerdictsAway(relay);
    if (verdicts > 0) {
      const text = t`${run.name.said}: not taken: ${counted(verdicts, "verdict")} that came while it ran`;
      relay.onProgress({ type: "step", text });
    }
  }
}

/** Exit statuses of a command ended by KILL or TERM; a shell turns signal N into 128 + N. */
const killedStatuses: readonly (number | null)[] = [null, 137, 143];

async function runEach(relay: Relay, run: CommandRun, stopAtFailure: boolean): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, command] of run.commands.entries()) {
    const once = async (): Promise<CheckResult> => {
      const text = t`${run.name.said}: ${command}`;
      relay.onProgress({ type: "step", text });
      const result = await runCommand(relay, run, command, index);
      relay.onProgress({ type: "step", text: `${text} (${endWords(result)})`, ms: result.durationMs });
      return result;
    };
    let { value: result, beside } = await sharingCommands(relay, once);
    // A command that did not start, or was killed by a person or for lack of memory, proves nothing and is run again.
    const isCut = killedStatuses.includes(result.exitCode) && !result.timedOut;
    if (isCut && !isStopped(relay, run)) {
      const { durationMs } = result;
      result = await once();
      result.durationMs += durationMs;
    }
    if (run.sure && beside && result.exitCode !== 0 && !isStopped(relay, run)) {
      const text = t`red beside another relay's check: once more, alone`;
      relay.onProgress({ type: "step", text });
      const second = await aloneOfCommands(relay, once);
      result = second.exitCode === 0 ? { ...second, flaky: true } : second;
    }
    results.push(result);
    if ((stopAtFailure && result.exitCode !== 0) || isStopped(relay, run)) break;
  }
  return results;
}

const isStopped = (relay: Relay, { stop }: CommandRun): boolean =>
  relay.control.interrupt.aborted || stop?.aborted === true;

async function runCommand(
  relay: Relay,
  run: CommandRun,
  command: string,
  index: number,
): Promise<CheckResult> {
  const log = join(run.logs, `${run.name.log.replaceAll("/", "-").slice(0, 80)}-${index + 1}.log`);
  writeFileSync(log, `$ ${command}\n`);
  return withNetworkOf(relay, { log, command }, (network) => runIn(relay, run, { command, log, network }));
}

async function runIn(
  relay: Relay,
  run: CommandRun,
  { command, log, network }: { command: string; log: string; network: NetworkView | undefined },
): Promise<CheckResult> {
  const { name, value } = markOf(relay.places.relay, run.nice ? "beside" : "own");
  const started = relay.nowMs();
  const settings = settingsOf(relay);
  const { role = "reviewer", trusted = false } = run;
  const containment = containmentBy(settings, role);
  const given = namedIn(relay.env, settings.env[run.given ?? "checks"]);
  const caches = trusted ? "trusted" : role === "executor" ? "sessions" : "none";
  const view = isSandbox(containment)
    ? viewOf(relay, settings, { read: filesIn([], given), write: [run.folder], caches, clone: run.folder })
    : undefined;
  // A priority that is lowered once the command runs would not reach what it has started by then.
  const nice = run.nice ? ["nice", "-n", "19"] : [];
  const process = spawnChild({
    argv: [...nice, ...shellFor(run.evidence ? undefined : settings.shell, relay.env), command],
    cwd: run.folder,
    env: scrubbedEnvironment(relay.env, {
      names: Object.keys(given),
      binFolder: relay.binFolder,
      clone: run.folder,
      own: { ...(!run.plain && { CI: "true" }), [name]: value },
    }),
    marker: `${name}=${value}`,
    containment,
    view: view && { ...view, network },
    masked: secretsIn(relay.env, settings.env),
    stdoutFile: log,
    stderrFile: log,
    bytesMax: logBytesMax,
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void process.stop(termGraceMs);
  }, run.minutes * 60_000);
  const stop = AbortSignal.any([relay.control.interrupt, ...(run.stop ? [run.stop] : [])]);
  const interrupted = (): void => void process.stop(500);
  stop.addEventListener("abort", interrupted, { once: true });
  if (stop.aborted) interrupted();
  const exit = await process.exited;
  clearTimeout(timer);
  stop.removeEventListener("abort", interrupted);
  const killed = timedOut || stop.aborted;
  const exitCode = killed ? null : exit.exitCode;
  const output = exitCode === 0 ? "" : outputOf(log, run.folder);
  const hidden = view ? hiddenBy(relay, view, output) : [];
  return {
    command,
    exitCode,
    ...(exitCode === 0 ? {} : failureIn(output, timedOut)),
    ...(hidden.length > 0 && { hidden }),
    timedOut,
    durationMs: relay.nowMs() - started,
    log: relative(relay.places.relay, log),
  };
}

function failureIn(output: string, timedOut: boolean): Pick<CheckResult, "signature" | "failing" | "last"> {
  const failing = failingTests(output);
  const last = lastLine(output);
  return {
    signature: timedOut ? "timed out" : failureSignature(output),
    ...(failing && { failing }),
    ...(last !== "" && { last }),
  };
}

/** A log without its first line, which is the command, and with paths as the project has them: no two clones share a folder. */
function outputOf(log: string, folder: string): string {
  const text = readFileSync(log, "utf8");
  const output = text.slice(text.indexOf("\n") + 1);
  return output.replaceAll(`${folder}/`, "").replaceAll(`${realpathSync(folder)}/`, "");
}

/**
 * Sets up a new clone: copies the cached folders of a trusted set-up with the same lockfiles and commands, or runs `setup`.
 * `trusted` means that the clone contains nothing of an agent's, so its folders may be cached. Returns the failed command, if
 * any.
 */
export async function setUp(
  relay: Relay,
  clone: { trusted: boolean } & Pick<CommandRun, "folder" | "logs" | "role" | "stop" | "nice">,
): Promise<CheckResult | undefined> {
  const { setup, cache } = settingsOf(relay);
  if (setup.length === 0) return undefined;
  const kept = join(relay.repositoryPlaces.clones, "cache", lockHash(clone.folder, setup));
  const folders = cache.filter((name) => !name.startsWith("/") && !name.split("/").includes(".."));
  if (folders.length > 0 && existsSync(join(kept, "complete"))) {
    relay.onProgress({ type: "step", text: t`setup: copied ${folders.join(", ")} from the cache` });
    for (const name of folders) copy(join(kept, name), join(clone.folder, name), clone.folder);
    return undefined;
  }
  const minutes = limitsOf(relay).setupMinutes;
  const run = { ...clone, commands: setup, name: runName`setup`, minutes, sure: true };
  const results = await runCommands(relay, { ...run, given: "setup" }, true);
  // A set-up that was stopped between two commands is not complete.
  const cut = results.length < setup.length ? results.at(-1) : undefined;
  const failed = results.find((result) => result.exitCode !== 0) ?? cut;
  if (!failed && clone.trusted && folders.length > 0)
    await keep(relay, { folders, from: clone.folder, kept });
  return failed;
}

/** Blocks the relay for a person because a clone cannot be set up. */
export function blockOnSetUp(relay: Relay, failed: CheckResult): void {
  const { command, exitCode, timedOut, last, log } = failed;
  const words = { ...(last !== undefined && { last }), ...hiddenFromFailed(relay, failed) };
  const reason = { rule: "setup_failed", command, exitCode, timedOut, ...words } as const;
  const fix = t`see ${join(relay.places.relay, log)}, fix monoco.yaml or the repository`;
  relay.record({ type: "relay.blocked", reason, hint: [byHand(fix)] });
}

/** Caches folders in one rename: other relays may set up, too. The first cache stays, since it may be in use. */
async function keep(
  relay: Relay,
  { folders, from, kept }: { folders: string[]; from: string; kept: string },
): Promise<void> {
  mkdirSync(dirname(kept), { recursive: true });
  const fresh = mkdtempSync(`${kept}.`);
  for (const name of folders) {
    mkdirSync(dirname(join(fresh, name)), { recursive: true });
    copy(join(from, name), join(fresh, name), fresh);
  }
  // Without this sync a power loss could keep the mark but zero the files, which every later clone would copy.
  await promisify(execFile)("sync", ["-f", fresh], { timeout: syncMsMax }).catch(() => undefined);
  writeDurably(join(fresh, "complete"), `${settingsOf(relay).setup.join("\n")}\n`);
  try {
    renameSync(fresh, kept);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * Copies a folder, sharing blocks where the file system can, and never as hard links, since agents write to the copy. Never
 * overwrites files of the clone and never writes through its links: a submission may contain either.
 */
function copy(from: string, to: string, root: string): void {
  if (!existsSync(from) || lstatSync(to, { throwIfNoEntry: false })) return;
  const parent = dirname(to);
  if (!existsSync(parent) || !`${realpathSync(parent)}/`.startsWith(`${realpathSync(root)}/`)) return;
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

function lockHash(folder: string, setup: readonly string[]): string {
  const hash = createHash("sha256").update(setup.join("\n"));
  for (const name of readdirSync(folder).filter(isManifest).sort()) {
    const path = join(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile())
      hash.update(`\0${name}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 24);
}

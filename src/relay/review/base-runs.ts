/** Runs what a verdict names on the base as well: a clone of the commit that the submission started from, set up the same way. */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { GitError, gitIn } from "../../git/git.ts";
import { mergeBase, treeOf } from "../../git/repository.ts";
import { makeClone, removeClone } from "../../git/workspace.ts";
import { writeAtomically } from "../../store/durable.ts";
import { rerunMsMax, rerunsMsMax } from "../../core/limits.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { failsByAbsence, lastNumber } from "../../core/review/evidence.ts";
import type { Ran } from "../../core/review/evidence.ts";
import type { BaseRun } from "../../core/review/judge-verdict.ts";
import { runCommands, setUp } from "../run-checks.ts";
import { contractNow } from "./contract.ts";
import { cloneSource, limitsOf, openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** By command. `measured` has the figures of both sides. */
export type BaseRuns = {
  base: Map<string, Ran>;
  measured: Map<string, Ran>;
  /** Why nothing could be run there. */
  trouble?: string;
};

/** The Reviewer's clone, which is as submitted, and the files that the Reviewer added to it. */
export type Clone = {
  folder: string;
  /** In `commit`; `raw` is git's line on a file, with its mode and the hash of its content. */
  added: { commit: string; files: readonly { path: string; raw: string }[] };
};

/** Most agents run their commands by bash; sh refuses some of what it takes. */
export const evidenceShell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";

/** Runs on each side whose median counts. */
const measuredRuns = 3;

/**
 * Each command's ending on the base, from what is known of that tree with those files where it has run before. What did not
 * run, because time ran out or a person stopped it, is in none of the maps.
 */
export async function runOnBase(
  relay: Relay,
  of: { head: string; commands: readonly BaseRun[]; logs: string; clone: Clone },
): Promise<BaseRuns> {
  const found: BaseRuns = { base: new Map(), measured: new Map() };
  if (of.commands.length === 0) return found;
  const { git } = relay.repository;
  const { base, baseCommit } = openingOf(relay);
  const start = (await mergeBase(git, `refs/heads/${base}`, of.head)) ?? baseCommit;
  const kept = readKept(relay, hashOf(relay, await treeOf(git, start), of.clone));
  found.base = kept.ran;
  const left = of.commands.filter(({ command, margin }) => margin !== undefined || !kept.ran.has(command));
  if (left.length === 0) return found;
  const folder = relay.places.base;
  const logs = join(of.logs, "base");
  relay.onProgress({ type: "step", text: "evidence: a clone of the base" });
  await makeClone(cloneSource(relay, start), folder);
  const failed = await setUp(relay, { folder, logs, trusted: true });
  if (failed) return { ...found, trouble: `the set-up fails on the base (${failed.command})` };
  if (!(await layOver(folder, of.clone))) {
    return { ...found, trouble: "the Reviewer's files cannot be laid over the base" };
  }
  const { checks } = contractNow(relay);
  // A Reviewer may have written its own clone's place into a command.
  const there = (command: string): string => command.replaceAll(relay.places.review, folder);
  const named = new Map(left.flatMap(({ command, margin }) => (margin ? [] : [[there(command), command]])));
  const once = [...named.keys()];
  const at = { folder, name: "evidence on the base" };
  const results = [
    // As long as a check may take, and by the same shell.
    ...(await runCommands(
      relay,
      {
        ...at,
        commands: once.filter((command) => checks.includes(command)),
        logs: join(logs, "checks"),
        minutes: limitsOf(relay).checkMinutes,
      },
      false,
    )),
    ...(await run(relay, { ...at, commands: once.filter((command) => !checks.includes(command)), logs })),
  ];
  if (relay.control.interrupt.aborted) return found;
  for (const result of results) kept.ran.set(named.get(result.command)!, ranOf(relay, result));
  for (const { command, margin } of left) if (margin) await measure(relay, { command, logs, of, found });
  if (relay.control.interrupt.aborted) return found;
  removeClone(folder);
  keep(relay, kept);
  return found;
}

/** By git, which removes what is in the way and follows no link. */
async function layOver(folder: string, { added: { commit, files } }: Clone): Promise<boolean> {
  if (files.length === 0) return true;
  const paths = files.map(({ path }) => `${path}\0`).join("");
  const from = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  try {
    await gitIn(folder)(["--literal-pathspecs", "checkout", "--quiet", "--force", commit, ...from], {
      input: paths,
    });
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

type Evidence = { commands: readonly string[]; folder: string; logs: string; name: string };

/** Each in at most `rerunMsMax`, all in `rerunsMsMax`; interrupted ones are left out. */
export async function run(relay: Relay, evidence: Evidence): Promise<CheckResult[]> {
  if (evidence.commands.length === 0) return [];
  const limits = { minutes: rerunMsMax / 60_000, totalMs: rerunsMsMax };
  const results = await runCommands(relay, { ...evidence, ...limits, shell: evidenceShell }, false);
  return relay.control.interrupt.aborted ? results.slice(0, -1) : results;
}

/** The sides in turn, so that a busy machine is as busy for both. */
async function measure(
  relay: Relay,
  { command, logs, of, found }: { command: string; logs: string; of: { clone: Clone }; found: BaseRuns },
): Promise<void> {
  const figures: { branch: number[]; base: number[] } = { branch: [], base: [] };
  const folders = { branch: of.clone.folder, base: relay.places.base };
  for (let n = 1; n <= measuredRuns; n += 1) {
    for (const side of ["branch", "base"] as const) {
      const here = side === "base" ? command.replaceAll(folders.branch, folders.base) : command;
      const at = { commands: [here], folder: folders[side], logs: join(logs, `measured-${side}-${n}`) };
      const [result] = await run(relay, { ...at, name: `measuring ${n} of ${measuredRuns}` });
      if (!result) return;
      figures[side].push(lastNumber(outputOf(relay, result)) ?? result.durationMs);
      const known = side === "base" ? found.base : found.measured;
      const before = n === 1 ? 0 : known.get(command)?.exitCode;
      const ran = ranOf(relay, result);
      known.set(command, { ...ran, exitCode: before === 0 ? ran.exitCode : before!, figures: figures[side] });
    }
  }
}

/** How it ended, with what its output says. */
export function ranOf(relay: Relay, result: CheckResult): Ran {
  const { exitCode } = result;
  return { exitCode, ...(failsByAbsence(exitCode, outputOf(relay, result)) ? { missing: true } : {}) };
}

function outputOf(relay: Relay, { command, log }: CheckResult): string {
  const text = stripVTControlCharacters(readFileSync(join(relay.places.relay, log), "utf8"));
  const head = `$ ${command}\n`;
  return text.startsWith(head) ? text.slice(head.length) : text;
}

type Kept = { key: string; ran: Map<string, Ran> };

const keptSchema = z.object({
  key: z.string(),
  ran: z.record(
    z.string(),
    z.object({ exitCode: z.number().nullable(), missing: z.literal(true).optional() }),
  ),
});

/** The same tree, set up by the same commands, with the same files laid over it. */
function hashOf(relay: Relay, tree: string, { added }: Clone): string {
  return hash("sha256", JSON.stringify([tree, settingsOf(relay).setup, added.files]));
}

function readKept(relay: Relay, key: string): Kept {
  const file = keptFile(relay);
  const kept = existsSync(file) ? keptSchema.safeParse(jsonOf(readFileSync(file, "utf8"))).data : undefined;
  return {
    key,
    ran: new Map(
      kept?.key === key
        ? Object.entries(kept.ran).map(([command, { exitCode, missing }]) => [
            command,
            { exitCode, ...(missing && { missing }) },
          ])
        : [],
    ),
  };
}

/** A file that a crash or a person left half written is as good as none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keep(relay: Relay, { key, ran }: Kept): void {
  const plain = [...ran].filter(([, { figures, exitCode }]) => !figures && exitCode !== null);
  writeAtomically(keptFile(relay), JSON.stringify({ key, ran: Object.fromEntries(plain) }));
}

function keptFile(relay: Relay): string {
  return join(relay.places.relay, "base-runs.json");
}

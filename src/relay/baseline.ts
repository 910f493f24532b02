/**
 * The baseline: the set-up and the project's checks on a commit of the base, run once for all relays, with which red checks are
 * compared. An issue's own checks are no part of it: they say what its work has to make green.
 */
import { hash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { givenIn } from "../agents/environment.ts";
import { makeClone, removeClone } from "../git/clone/workspace.ts";
import { gitIn, gitOr, zeroed } from "../git/git.ts";
import { treeOf } from "../git/repository.ts";
import { baselinesKeptMax } from "../core/limits.ts";
import { byHand } from "../core/journal/steps.ts";
import { attempt } from "../core/error/attempt.ts";
import { checkCommands } from "../core/settings/check-schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { cannotRun, comparedWith } from "../core/relay/baseline.ts";
import type { Baseline } from "../core/relay/baseline.ts";
import type { BlockReason } from "../core/reason/block-schema.ts";
import { checkResultSchema } from "../core/review/check-result.ts";
import { isRed } from "../core/review/red.ts";
import type { CheckResult } from "../core/review/check-result.ts";
import { failsByAbsence } from "../core/trial/output.ts";
import { t } from "../core/language/translate.ts";
import { tailOf } from "../store/check-log.ts";
import { makeFolder, writeAtomically } from "../store/durable.ts";
import { contractNow } from "./contract.ts";
import { limitsOf, openingOf, settingsOf } from "./relay.ts";
import type { Relay, RunnerSetup } from "./relay.ts";
import { runCommands, setUp } from "./run-checks.ts";
import { cloneSource, containmentBy, hiddenFromFailed } from "./sandbox.ts";
import { waitForLock } from "./wait-for-lock.ts";

/**
 * Runs the set-up and the checks on the relay's base before its first session, unless that is known. Returns false if the relay
 * is blocked or interrupted: no session may start.
 */
export async function measureBaseline(relay: Relay): Promise<boolean> {
  const { baseline, sessions, baseCommit: commit } = openingOf(relay);
  const { setup } = settingsOf(relay);
  const mode = modeOf(relay);
  if (sessions.length > 0 || baseline || mode === "none") return true;
  if (setup.length + projectChecks(relay).length === 0) return true;
  const measured = await baselineOf(relay, commit);
  if (relay.control.interrupt.aborted) return false;
  const { checks: results } = measured;
  const failed = cannotRun(measured);
  const red = mode === "strict" ? results.find(isRed) : undefined;
  if (failed ?? red) {
    await blockOn(relay, (failed ?? red)!, failed === undefined);
    return false;
  }
  const tree = await treeOf(relay.repository.git, commit);
  const containment = containmentBy(settingsOf(relay), "reviewer");
  relay.record({ type: "baseline.ran", commit, tree, results, containment });
  return true;
}

const modeOf = (relay: Relay): "auto" | "strict" | "none" =>
  contractNow(relay).issue.baseline ?? settingsOf(relay).baseline;

function projectChecks(relay: Relay): string[] {
  const own = contractNow(relay).issue.checks;
  return checkCommands(settingsOf(relay).checks).filter((command) => !own.includes(command));
}

/** Why a relay cannot begin on its base, with what the failed command may lack in a clone and in the sandbox. */
export async function stopOn(relay: Relay, failed: CheckResult, isOnlyRed: boolean): Promise<BlockReason> {
  const { command, exitCode, timedOut, last } = failed;
  const ignored = await lackedIgnored(relay, failed);
  return {
    rule: "baseline",
    command,
    exitCode,
    timedOut,
    base: openingOf(relay).base,
    ...(isOnlyRed && { red: true }),
    ...(last !== undefined && { last }),
    ...(ignored.length > 0 && { ignored }),
    ...hiddenFromFailed(relay, failed),
  };
}

async function blockOn(relay: Relay, failed: CheckResult, isOnlyRed: boolean): Promise<void> {
  const { base } = openingOf(relay);
  relay.record({
    type: "relay.blocked",
    reason: await stopOn(relay, failed, isOnlyRed),
    hint: [
      byHand(t`see ${join(relay.places.relay, failed.log)}, fix monoco.yaml or ${base}, and commit that`),
      byHand(
        t`if the issue is about exactly this, write \`baseline: none\` in its front matter, and commit that`,
      ),
    ],
  });
}

/** What git ignores in the person's worktree and a failure may lack: what its command or output names, else all of it. */
async function lackedIgnored(relay: Relay, failed: CheckResult): Promise<string[]> {
  const tail = tailOf(relay.places.relay, failed);
  if (!failsByAbsence(failed.exitCode, tail)) return [];
  const { root } = relay.repository;
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const ignored = zeroed(await gitOr(gitIn(root)(args), ""))
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== ".monoco" && !settingsOf(relay).cache.includes(path));
  const mentioned = ignored.filter((path) => `${failed.command}\n${tail}`.includes(path));
  return (mentioned.length > 0 ? mentioned : ignored).slice(0, ignoredMax);
}

/** A message that names more of them helps nobody. */
const ignoredMax = 5;

/**
 * How the set-up and the checks end on a commit of the base: as they ended there before, or by a run. What failed is run again by
 * another `monoco run`, since the machine may have changed; all of it with `anew`.
 */
export async function baselineOf(relay: Relay, commit: string, anew = false): Promise<Baseline> {
  const checks = projectChecks(relay);
  const place = placeOf(relay, await treeOf(relay.repository.git, commit));
  // Relays that begin together need the same runs.
  const lock = await waitForLock(relay, "baseline", t`interrupted while waiting for the baseline`);
  try {
    const kept = anew ? undefined : readKept(relay, place);
    const missing = checks.filter((command) => !kept?.checks.some((one) => one.command === command));
    const isKnown = kept !== undefined && (kept.setUp !== undefined || missing.length === 0);
    const all = isKnown ? kept : merged(kept, await run(relay, { commit, place, missing }));
    if (!isKnown && !relay.control.interrupt.aborted) keep(relay, place, all);
    return { ...all, checks: all.checks.filter(({ command }) => checks.includes(command)) };
  } finally {
    lock.release();
  }
}

const merged = (kept: Baseline | undefined, fresh: Baseline): Baseline => ({
  ...fresh,
  checks: [...(kept?.checks ?? []), ...fresh.checks],
});

async function run(
  relay: Relay,
  { commit, place, missing }: { commit: string; place: string; missing: readonly string[] },
): Promise<Baseline> {
  const { base: folder } = relay.places;
  // The clone is gone before the person could prune what it borrows.
  const { hold: _hold, ...source } = cloneSource(relay, commit);
  const { checkMinutes: minutes } = limitsOf(relay);
  const text = t`baseline: set-up and checks in a clone of ${commit.slice(0, 8)}`;
  relay.onProgress({ type: "step", text });
  await makeClone(source, folder);
  try {
    const setUpFailed = await setUp(relay, { folder, logs: place, trusted: true });
    if (setUpFailed) return { setUp: setUpFailed, checks: [] };
    const checks: CheckResult[] = [];
    for (const command of missing) {
      if (relay.control.interrupt.aborted) break;
      const name = { log: hash("sha256", command).slice(0, 12), said: t`baseline` };
      const of = { commands: [command], folder, logs: place, name, minutes };
      const [first] = await runCommands(relay, of, false);
      // A check that is green the second time is flaky, and a later failure of it proves nothing by itself.
      const [second] = first && isRed(first) && !first.timedOut ? await runCommands(relay, of, false) : [];
      if (first) checks.push(second?.exitCode === 0 ? { ...second, flaky: true } : first);
    }
    return { checks };
  } finally {
    removeClone(folder);
  }
}

/** Keeps the results of checks on a merged tree, which is the next base. */
export function keepAsBaseline(relay: Relay, tree: string, results: readonly CheckResult[]): void {
  const place = placeOf(relay, tree);
  const before = readKept(relay, place)?.checks ?? [];
  const others = before.filter(({ command }) => !results.some((one) => one.command === command));
  const own = results.map(({ asBefore: _before, ...result }) => result);
  keep(relay, place, { checks: [...others, ...own] });
}

/** The results of checks on work that begins at `start`, with a mark on each failure that the base has, too. */
export async function besideBaseline(
  relay: Relay,
  results: readonly CheckResult[],
  start: string,
): Promise<CheckResult[]> {
  if (modeOf(relay) === "none" || relay.control.interrupt.aborted || !results.some(isRed))
    return [...results];
  return comparedWith(results, (await baselineOf(relay, start)).checks);
}

function placeOf(relay: Relay, tree: string): string {
  return baselinePlace(relay.repositoryPlaces.cache, { ...settingsOf(relay), tree, from: relay.env });
}

/** What a baseline depends on besides the checks; `from` is the person's environment. */
type Ran = Pick<Settings, "setup" | "shell" | "env"> & { tree: string; from: RunnerSetup["env"] };

/** The folder of a tree's baseline, with its logs. */
function baselinePlace(cache: string, { tree, setup, shell, env, from }: Ran): string {
  const key = hash("sha256", JSON.stringify([tree, setup, shell, givenIn(from, env)])).slice(0, 16);
  return join(cache, "baselines", key);
}

const keptSchema = z.object({
  run: z.string(),
  setUp: checkResultSchema.optional(),
  checks: z.array(checkResultSchema),
});

/** The kept baseline of a tree, by whatever run, with whole paths of logs; undefined if there is none, or its file is broken. */
export function keptBaseline(cache: string, of: Ran): Baseline | undefined {
  return readFrom(baselinePlace(cache, of));
}

function readFrom(place: string): z.infer<typeof keptSchema> | undefined {
  const file = join(place, "results.json");
  if (!existsSync(file)) return undefined;
  return attempt(() => keptSchema.parse(JSON.parse(readFileSync(file, "utf8"))), undefined);
}

/** The kept results that count: green ones, and those of this run. */
function readKept({ run: { id }, places }: Relay, place: string): Baseline | undefined {
  const kept = readFrom(place);
  if (!kept || (kept.setUp && kept.run !== id)) return undefined;
  const here = (one: CheckResult): CheckResult => ({ ...one, log: relative(places.relay, one.log) });
  const counts = kept.checks.filter((one) => kept.run === id || !isRed(one));
  return { setUp: kept.setUp && here(kept.setUp), checks: counts.map(here) };
}

function keep(relay: Relay, place: string, { setUp: failed, checks }: Baseline): void {
  makeFolder(place);
  const whole = (one: CheckResult): CheckResult => ({ ...one, log: resolve(relay.places.relay, one.log) });
  const kept = { run: relay.run.id, ...(failed && { setUp: whole(failed) }), checks: checks.map(whole) };
  writeAtomically(join(place, "results.json"), JSON.stringify(kept));
  const all = dirname(place);
  const timeOf = (name: string): number => statSync(join(all, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const old = readdirSync(all)
    .toSorted((a, b) => timeOf(b) - timeOf(a))
    .slice(baselinesKeptMax);
  for (const name of old) rmSync(join(all, name), { recursive: true, force: true });
}

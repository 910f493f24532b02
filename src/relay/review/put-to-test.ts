/** Puts the tests of a submission to the test: over the base, crossed with the base's, and with changes of the sources taken back. */
import { join } from "node:path";
import { changedFiles } from "../../git/trees.ts";
import { fileAt, treeOf } from "../../git/repository.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { kindOf } from "../../core/issue/criterion-kind.ts";
import { filesTold, overlaysOf } from "../../core/trial/overlays.ts";
import type { Edit, RoledFile } from "../../core/trial/overlays.ts";
import { isMixed } from "../../core/trial/check-settings.ts";
import { mayServeTests, rolesOf, servesTests } from "../../core/trial/roles.ts";
import type { FileRole } from "../../core/trial/roles.ts";
import { importsFile } from "../../core/review/after-merge.ts";
import { gitOr } from "../../git/git.ts";
import type { Crossed, NotTried, Trial } from "../../core/trial/trial-schema.ts";
import { contractNow, criteriaNow } from "./contract.ts";
import { filesRun } from "./inspect.ts";
import { settingsOf, startOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { takeBackFromChecks } from "./take-back.ts";
import { runOnTree, treeOn, treeRuns } from "./tree-runs.ts";
import type { Bench, TreeRun, Trying } from "./tree-runs.ts";
import { named } from "../run-name.ts";

/** Undefined where a person stopped it. `msSpent` of its time is over already; `ran` are the submission's checks. */
export async function putToTest(
  relay: Relay,
  record: SubmissionRecord,
  { msSpent, ran }: { msSpent: number; ran: readonly CheckResult[] },
): Promise<Trial | undefined> {
  const logs = join(relay.places.submission(record.submission), "trial");
  const trying = await begin(relay, record, { msSpent, logs });
  trying.bench.msForBase = msOnBase(trying, ran);
  const { review } = settingsOf(relay);
  const required = criteriaNow(relay).some((text) => kindOf(text).kind === "behaves");
  const onBase = { ...(await testsOnBase(trying, review.testsOnBase)), required };
  const crossing = await crossed(trying, review.crossing);
  const takeBack = await takeBackFromChecks(trying, review.takeBack);
  if (relay.control.interrupt.aborted) return undefined;
  return { onBase, crossing, takeBack, ms: trying.bench.msSpent };
}

/** `msSpent` of the time that a submission's tests have. */
export async function begin(
  relay: Relay,
  record: SubmissionRecord,
  { msSpent, logs }: Pick<Bench, "msSpent" | "logs">,
): Promise<Trying> {
  const { git } = relay.repository;
  const { head } = record;
  const start = await startOf(relay, head);
  const files = await roledFiles(relay, start, head);
  const bench: Bench = {
    sides: {
      base: { commit: start, tree: await treeOf(git, start), folder: relay.places.base, trusted: true },
      submission: { commit: head, tree: record.tree, folder: relay.places.trial, trusted: false },
    },
    logs,
    msMax: settingsOf(relay).review.minutes * 60_000,
    msForBase: 0,
    msSpent,
    runs: 0,
    ready: new Set(),
  };
  return { relay, bench, checks: contractNow(relay).checks, files, overlays: overlaysOf(files) };
}

/** What the checks are likely to take on the base, where a verdict that names them has them run. */
function msOnBase({ relay, bench }: Trying, ran: readonly CheckResult[]): number {
  const { tree } = bench.sides.base;
  const known = treeRuns(relay, { setUpAt: tree, tree });
  return ran.reduce((sum, { command, durationMs }) => sum + (known.has(command) ? 0 : durationMs), 0);
}

async function roledFiles(relay: Relay, start: string, head: string): Promise<RoledFile[]> {
  const { git } = relay.repository;
  const changed = await changedFiles(git, start, head);
  const runs = await filesRun(relay, { start, head, changed: changed.map(({ path }) => path) });
  const roleOf = rolesOf(settingsOf(relay).review.tests, new Set(runs.keys()));
  return Promise.all(
    changed.map(async (file) => {
      const { path, before, after } = file;
      const both = before && after && isMixed(path);
      const texts = both && {
        before: (await fileAt(git, start, path)) ?? "",
        after: (await fileAt(git, head, path)) ?? "",
      };
      const role = roleOf(path);
      const serves = role === "source" && before && (await isForTests(relay, { path, start, roleOf }));
      return { ...file, role: serves ? ("beside" as const) : role, ...(texts && { texts }) };
    }),
  );
}

/** Whether all that imports the file on the base are tests, and it is named like what serves them. */
async function isForTests(
  relay: Relay,
  { path, start, roleOf }: { path: string; start: string; roleOf: (path: string) => FileRole },
): Promise<boolean> {
  if (!mayServeTests(path)) return false;
  const { git } = relay.repository;
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/(?<=.)\.[^.]*$/, "");
  const isIndex = /^(?:index|__init__|mod)$/.test(stem);
  const name = isIndex ? (path.split("/").at(-2) ?? stem) : stem;
  const found = await gitOr(git(["grep", "-z", "-w", "-F", "-e", name, start]), "");
  // `COMMIT:PATH NUL LINE`, a line each.
  const importers = found.split("\n").flatMap((line) => {
    const [from = "", text = ""] = line.slice(start.length + 1).split("\0");
    return from !== path && importsFile(text, { path, from }) ? [roleOf(from)] : [];
  });
  return servesTests(path, importers);
}

/** New and changed tests over the base: one has to fail there, or they show nothing of the change. */
async function testsOnBase(trying: Trying, on: boolean): Promise<Omit<Trial["onBase"], "required">> {
  const { files, overlays, checks, bench } = trying;
  const tests = files.filter(({ role, after }) => role === "test" && after).map(({ path }) => path);
  const result = (what: Trial["onBase"]["result"], by?: string): Omit<Trial["onBase"], "required"> => ({
    result: what,
    files: tests.slice(0, filesMax),
    ...(by === undefined ? {} : { by }),
  });
  if (files.every(({ role }) => role !== "source")) return result("nothing");
  if (tests.length === 0) return result("none");
  if (checks.length === 0) return result("no_checks");
  if (!on) return result("off");
  const run = (tree: string, command: string) =>
    runOnTree(trying.relay, bench, { side: "base", tree, command, name: named`the tests on the base` });
  const { tree } = bench.sides.base;
  // What a submission changes of the checks may be what runs its tests: then the change alone has to be green.
  const tries = [{ over: overlays.tests, without: tree }];
  if (overlays.config.length > 0) {
    const without = await treeOn(trying, "base", overlays.config);
    tries.push({ over: [...overlays.tests, ...overlays.config], without });
  }
  let unclear = false;
  for (const { over, without } of tries) {
    const laid = await treeOn(trying, "base", over);
    for (const command of checks) {
      const ran = await run(laid, command);
      if (typeof ran === "string") return result(ran);
      unclear ||= ran.flaky ?? false;
      if (ran.exitCode === 0) continue;
      const before = await run(without, command);
      if (typeof before === "string") return result(before);
      if (before.exitCode === 0 && !before.flaky) return result("fail", command);
      unclear = true;
    }
  }
  return result(unclear ? "unclear" : "pass");
}

const filesMax = 20;

/** The base's tests and configuration against the submission, each check that it is green under. */
async function crossed(trying: Trying, on: boolean): Promise<Trial["crossing"]> {
  const { overlays, checks } = trying;
  const result = (what: "tried" | NotTried, found: Crossed[] = []): Trial["crossing"] => ({
    result: what,
    found,
  });
  if (overlays.baseTests.length === 0) return result("nothing");
  if (checks.length === 0) return result("no_checks");
  if (!on) return result("off");
  const found: Crossed[] = [];
  const trees = new Set<string>([trying.bench.sides.submission.tree]);
  for (const [name, edits] of [
    ["base_tests", overlays.baseTests],
    ["base_config", overlays.baseConfig],
  ] as const) {
    const tree = await treeOn(trying, "submission", edits);
    if (trees.has(tree)) continue;
    trees.add(tree);
    for (const command of checks) {
      const one = await crossing(trying, { crossed: name, tree, edits, command });
      if (typeof one === "string") return result(one, found);
      if (one) found.push(one);
    }
  }
  return result("tried", found);
}

async function crossing(
  trying: Trying,
  of: { crossed: Crossed["crossed"]; tree: string; edits: readonly Edit[]; command: string },
): Promise<Crossed | NotTried | undefined> {
  const { relay, bench } = trying;
  const { command, tree } = of;
  const ran = await runOnTree(relay, bench, {
    side: "submission",
    tree,
    command,
    name: named`crossed tests`,
  });
  if (typeof ran === "string") return ran;
  if (ran.exitCode === 0 && !ran.flaky) return undefined;
  const on = { side: "base", tree: bench.sides.base.tree, command, name: named`the base` } as const;
  const before = await runOnTree(relay, bench, on);
  if (typeof before === "string") return before;
  // The submission did not cause what the base shares.
  if (before.exitCode !== 0) return undefined;
  const files = filesTold(
    of.edits.map(({ path }) => path),
    ran.output ?? "",
  );
  const result = meaningOf({ ...ran, ...(before.flaky && { flaky: true }) });
  return { crossed: of.crossed, command, result, files };
}

function meaningOf({ flaky, missing }: TreeRun): Crossed["result"] {
  if (flaky) return "flaky";
  return missing ? "interface" : "weakened";
}

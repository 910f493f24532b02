/** Gathers a submission's files with their roles, and the changes of its sources, to plan the trial. */
import { join } from "node:path";
import { changedFiles } from "../../git/trees.ts";
import { blobAt, fileAt, treeOf } from "../../git/repository.ts";
import { gitOr, zeroed } from "../../git/git.ts";
import { takenBackBytesMax, takenBackFilesMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { isRed } from "../../core/review/red.ts";
import { importsFile } from "../../core/review/after-merge.ts";
import { centralFirst, hunksIn } from "../../core/trial/changes.ts";
import type { Plan, PlannedSource } from "../../core/trial/changes.ts";
import { isMixed } from "../../core/trial/check-settings.ts";
import { overlaysOf } from "../../core/trial/overlays.ts";
import type { RoledFile } from "../../core/trial/overlays.ts";
import { mayServeTests, rolesOf, servesTests } from "../../core/trial/roles.ts";
import type { FileRole } from "../../core/trial/roles.ts";
import type { TrialInput } from "../../core/trial/try-out.ts";
import { selectsOf } from "../../core/settings/check-schema.ts";
import { languageOf } from "../../core/weakening/code-line.ts";
import { contractNow } from "../contract.ts";
import { filesRun } from "./inspect.ts";
import { openingOf, settingsOf, startOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { checkAids, linesNaming } from "./used-by-checks.ts";
import { treeRunner } from "./trees.ts";
import type { Runner, RunnerOptions } from "./trees.ts";

export type Gathered = TrialInput & { start: string; head: string };

export async function gatherTrial(
  relay: Relay,
  { head, checks, submission }: Pick<SubmissionRecord, "head" | "checks" | "submission">,
): Promise<Gathered> {
  // A check that is red with and without the work shows nothing of it.
  const red = new Set(checks?.results.flatMap(({ command, asBefore }) => (asBefore ? [command] : [])));
  const start = await startOf(relay, head);
  const { files, ...roles } = await roledFiles(relay, start, head);
  const { review } = settingsOf(relay);
  const { git } = relay.repository;
  const ours = contractNow(relay).checks.filter((command) => !red.has(command));
  return {
    start,
    head,
    files,
    redBefore: await redBefore(relay, { submission, head, roleOf: roles.roleOf }),
    checks: ours,
    selects: selectsOf(settingsOf(relay).checks),
    overlays: overlaysOf(files),
    aids: review.crossing && ours.length > 0 ? await checkAids({ git, start, head, files, ...roles }) : [],
    plan: await planOf(relay, { files, start, head }),
    review,
  };
}

/** Red checks of earlier submissions from which this one differs in documents and data only. */
async function redBefore(
  relay: Relay,
  { submission, head, roleOf }: { submission: number; head: string; roleOf: (path: string) => FileRole },
): Promise<TrialInput["redBefore"]> {
  const { checks: ours } = contractNow(relay);
  const earlier = openingOf(relay).submissions.filter((one) => one.submission < submission);
  const all = earlier.map(async ({ head: before, checks }) => {
    // A command that could not run shows nothing about the work.
    const ran = checks?.results.filter(({ exitCode }) => exitCode !== 126 && exitCode !== 127) ?? [];
    const red = ran.filter((one) => isRed(one) && ours.includes(one.command));
    if (red.length === 0) return [];
    const changed = await changedFiles(relay.repository.git, head, before);
    if (changed.some(({ path }) => roleOf(path) !== "other" || path === "monoco.yaml")) return [];
    const edits = changed.map(({ path, after }) => ({ path, to: after }));
    return red.map(({ command }) => ({ command, edits }));
  });
  return (await Promise.all(all)).flat();
}

/** The runner for a submission's trees. */
export async function runnerFor(
  relay: Relay,
  record: Pick<SubmissionRecord, "head" | "tree" | "submission" | "checks">,
  options: Omit<RunnerOptions, "sides" | "msMax" | "account" | "firstMs">,
): Promise<Runner> {
  const start = await startOf(relay, record.head);
  const { base, trial, review } = relay.places;
  const submitted = { commit: record.head, tree: record.tree, trusted: false };
  return treeRunner(relay, {
    ...options,
    sides: {
      base: { commit: start, tree: await treeOf(relay.repository.git, start), folder: base, trusted: true },
      submission: { ...submitted, folder: trial },
      review: { ...submitted, folder: review },
    },
    firstMs: new Map(record.checks?.results.map(({ command, durationMs }) => [command, durationMs])),
    msMax: settingsOf(relay).review.minutes * 60_000,
    account: join(relay.places.submission(record.submission), "trial-ms"),
  });
}

async function roledFiles(
  relay: Relay,
  start: string,
  head: string,
): Promise<{ files: RoledFile[]; roleOf: (path: string) => FileRole; runs: ReadonlySet<string> }> {
  const { git } = relay.repository;
  const changed = await changedFiles(git, start, head);
  const named = await filesRun(relay, { start, head, changed: changed.map(({ path }) => path) });
  const runs = new Set(named.keys());
  const roleOf = rolesOf(settingsOf(relay).review.tests, runs);
  const files = await Promise.all(
    changed.map(async (file) => {
      const { path, before, after } = file;
      const both = before && after && isMixed(path);
      const texts = both && {
        before: (await fileAt(git, start, path)) ?? "",
        after: (await fileAt(git, head, path)) ?? "",
      };
      const named = roleOf(path);
      const isData = named === "source" && languageOf(path) === "program" && !(await isProgram(relay, file));
      const role = isData ? "other" : named;
      const serves = role === "source" && before && (await isForTests(relay, { path, start, roleOf }));
      return { ...file, role: serves ? ("beside" as const) : role, ...(texts && { texts }) };
    }),
  );
  return { files, roleOf, runs };
}

/** Whether a file without an ending can be run, or says what runs it. */
async function isProgram(
  { repository: { git } }: Relay,
  { before, after }: Pick<RoledFile, "before" | "after">,
): Promise<boolean> {
  const sides = [before, after].filter((one) => one !== undefined);
  if (sides.some(({ mode }) => mode === "100755")) return true;
  const texts = await Promise.all(sides.map(({ hash }) => blobAt(git, hash)));
  return texts.some((text) => text?.startsWith("#!"));
}

/** Whether a file's name is typical of a test helper and only tests import the file on the base. */
async function isForTests(
  relay: Relay,
  { path, start, roleOf }: { path: string; start: string; roleOf: (path: string) => FileRole },
): Promise<boolean> {
  if (!mayServeTests(path)) return false;
  const lines = await linesNaming(relay.repository.git, start, [path]);
  const importers = lines.filter(({ from, text }) => importsFile(text, { path, from }));
  return servesTests(
    path,
    importers.map(({ from }) => roleOf(from)),
  );
}

async function planOf(
  { repository: { git } }: Relay,
  { files, start, head }: { files: readonly RoledFile[]; start: string; head: string },
): Promise<Plan> {
  const sources: PlannedSource[] = [];
  // Changed files come first, so that hundreds of new files do not push them out.
  const changed = files.toSorted((a, b) => Number(!a.before) - Number(!b.before));
  for (const { path, role, before, after } of changed) {
    if (role !== "source" || !after?.mode.startsWith("100")) continue;
    if (sources.length >= takenBackFilesMax) break;
    const texts = [
      before ? ((await fileAt(git, start, path)) ?? "") : "",
      (await fileAt(git, head, path)) ?? "",
    ] as const;
    // A file of this size is generated; a text that is not UTF-8 would be damaged when it is written back.
    if (texts.some((text) => text.length > takenBackBytesMax || text.includes("\uFFFD"))) continue;
    // `--text` includes files that an attribute declares binary.
    const form = ["--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0"];
    const hunks = hunksIn(await git(["diff", ...form, start, head, "--", `:(literal)${path}`]));
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
    const hits = await gitOr(git(["grep", "-l", "-w", "-F", "-e", name, head]), "");
    const namedBy = hits.split("\n").length;
    sources.push({ path, mode: after.mode, before: texts[0], after: texts[1], hunks, namedBy });
  }
  return {
    sources: new Map(sources.map((source) => [source.path, source])),
    changes: centralFirst(sources),
  };
}

/** Languages whose files are built together, whatever their names. */
const builtTogether = new Set(["go", "jvm", "cs", "swift", "dart", "ex"]);

/** New files, without tests, that nothing names: no older file, the contract included, no test, and no new file in use. */
export async function unusedFiles(
  { repository: { git } }: Relay,
  { files, start, head }: Gathered,
): Promise<string[]> {
  const naming = async (path: string, commit: string): Promise<string[]> => {
    const [own = "", folder] = path.split("/").toReversed();
    // Importers of a package name its folder.
    const isPackage = folder !== undefined && /^(?:index|main|mod|__init__)\./.test(own);
    const name = isPackage ? folder : own.replace(/(?<=.)\.[^.]*$/, "");
    const hits = await gitOr(git(["grep", "-l", "-z", "-w", "-F", "-e", name, commit]), "");
    return zeroed(hits).map((one) => one.slice(commit.length + 1));
  };
  const isLeft = ({ role, before }: RoledFile): boolean =>
    !before && !["test", "beside", "manifest"].includes(role);
  const unused = new Map<string, string[]>();
  const fresh = files.filter(isLeft);
  // This many new files are generated or a library, and a search for each would take minutes.
  if (fresh.length > takenBackFilesMax) return [];
  for (const { path } of fresh) {
    if (builtTogether.has(languageOf(path)) || (await naming(path, start)).length > 0) continue;
    const by = await naming(path, head);
    unused.set(
      path,
      by.filter((one) => one !== path && languageOf(one) !== "prose"),
    );
  }
  for (let before = -1; before !== unused.size;) {
    before = unused.size;
    for (const [path, by] of unused) if (by.some((one) => !unused.has(one))) unused.delete(path);
  }
  return [...unused.keys()];
}

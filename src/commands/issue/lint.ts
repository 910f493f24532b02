/** monoco issue lint: reports faults of this worktree's issues, in each and between them; --fix mends checkboxes and ids. */
import { rmSync } from "node:fs";
import { unlessRefused } from "../../core/error/attempt.ts";
import { join } from "node:path";
import { lintBacklog } from "../../core/backlog/lint.ts";
import type { ReadIssue } from "../../core/backlog/lint.ts";
import { counted } from "../../core/language/counted.ts";
import { MonocoError } from "../../core/error/error.ts";
import { counting } from "../../core/issue/contract.ts";
import { fixIssue } from "../../core/issue/fix.ts";
import { kindOf, kindWords } from "../../core/issue/criterion-kind.ts";
import type { KindOfCriterion } from "../../core/issue/criterion-kind.ts";
import { lintIssue, pipeFaults } from "../../core/issue/lint.ts";
import type { IssueFault } from "../../core/issue/lint.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { GitError, gitIn } from "../../git/git.ts";
import { writeDurably, writeNew } from "../../store/durable.ts";
import { idOf, idOfName, listIssueFiles } from "../../store/issue-folder.ts";
import type { IssueFile, UnreadIssue } from "../../store/issue-folder.ts";
import { printJson } from "../../views/json.ts";
import { openPhase } from "../../app/base-issues.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { whileMinting } from "./ids.ts";
import { renumberTwins, twinFaults } from "./duplicate-ids.ts";
import type { Renumbering } from "./duplicate-ids.ts";
import { findFile, issueIn } from "./issues.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { checkCommands } from "../../core/settings/check-schema.ts";
import type { Settled } from "../../core/settings/layers.ts";
import { settledHere } from "../../app/settings.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { adviceWords } from "../../views/hint.ts";
import { t } from "../../core/language/translate.ts";

export type LintFlags = { fix: boolean; dryRun: boolean; kinds: boolean; json: boolean };

type FileFault = IssueFault & { file: string };
/** The files as they are, or as they would be after the repair. */
type Tree = { files: IssueFile[]; unread: UnreadIssue[] };
/** Whether the command names this file's issue, or none. */
type IsAsked = (file: { path: string; text?: string }) => boolean;
type Repaired = { tree: Tree; fixed: FileFault[]; renumbered: Renumbering[] };

/** Exit code 2 if there is a finding that is not a warning. */
export async function lint(ids: string[], flags: LintFlags): Promise<number> {
  const here = await openHere();
  const asked = ids.map(validId);
  const before: Tree = listIssueFiles(here.repository.worktree);
  for (const id of asked) findFile(here, id);
  const isAsked: IsAsked = ({ path, text = "" }) =>
    asked.length === 0 || asked.includes(idOf({ path, text }) ?? "");
  const repaired = flags.fix || flags.dryRun ? await repair(here, before, isAsked, flags) : untouched(before);
  // Every other command reports a broken monoco.yaml.
  const settled = unlessRefused(() => settledHere(here));
  const faults = [...checkFaults(settled), ...faultsOf(here, settled, repaired.tree, isAsked)];
  const files = repaired.tree.files.filter(isAsked);
  const count = files.length + (asked.length === 0 ? before.unread.length : 0);
  const kinds = flags.kinds ? kindsIn(files) : [];
  if (flags.json) tellJson({ files: count, faults, repaired, flags, kinds });
  else {
    tellRepaired(repaired, flags);
    if (flags.dryRun) await tellChanges(here, before, repaired);
    tellKinds(kinds);
    tell(faults, count);
  }
  return faults.some(({ level }) => level === "error") ? 2 : 0;
}

const untouched = (tree: Tree): Repaired => ({ tree, fixed: [], renumbered: [] });

/** Faults of the checks in monoco.yaml, which run for every issue. */
function checkFaults(settled: Settled | undefined): FileFault[] {
  if (!settled) return [];
  const { checks, shell } = settled.settings;
  const source = settled.given.find(({ values }) => values["checks"] !== undefined);
  return checks.flatMap((check, index) => {
    const { where: file = "", line = 1 } = source?.at(["checks", String(index)]) ?? {};
    const commands = typeof check === "string" ? [check] : [check.run, check.select];
    return commands.flatMap((command) =>
      pipeFaults(command, line, shell).map((fault) => ({ file, ...fault })),
    );
  });
}

function faultsOf(
  here: Here,
  settled: Settled | undefined,
  { files, unread }: Tree,
  isAsked: IsAsked,
): FileFault[] {
  const { checks, ...others } = settled?.settings ?? {};
  const around = { ...others, ...(checks && { checks: checkCommands(checks) }) };
  const read = files.flatMap(readOf);
  const broken = [...unread, ...files].flatMap((one) => {
    const id = "text" in one ? idOf(one) : idOfName(one.path);
    return id === undefined || read.some(({ path }) => path === one.path) ? [] : [id];
  });
  const own = files
    .filter(isAsked)
    .flatMap(({ path, text }) => lintIssue(text, path, around).map((fault) => ({ file: path, ...fault })));
  const between = [...lintBacklog(read, broken), ...twinFaults(here, files)];
  const paths = new Set(files.filter(isAsked).map(({ path }) => path));
  return [
    ...unread
      .filter(({ path }) => isAsked({ path }))
      .map(({ path, fault }): FileFault => ({ file: path, level: "error", ...fault })),
    ...own,
    ...between.filter(({ file }) => paths.has(file)),
  ];
}

function readOf({ path, text }: IssueFile): ReadIssue[] {
  const issue = issueIn({ path, text });
  return issue ? [{ path, text, issue }] : [];
}

type Kinds = { file: string; criteria: (KindOfCriterion & { line: number })[] };

/** The kinds of the criteria that count, in issues that are not closed. */
function kindsIn(files: readonly IssueFile[]): Kinds[] {
  return files.flatMap(readOf).flatMap(({ path, issue }): Kinds[] => {
    const criteria = counting(issue).map(({ text, line }) => ({ line, ...kindOf(text) }));
    return issue.status === "closed" || criteria.length === 0 ? [] : [{ file: path, criteria }];
  });
}

function tellKinds(kinds: readonly Kinds[]): void {
  for (const { file, criteria } of kinds) {
    const list = criteria.map((one, index) => `${index + 1} ${kindWords(one)}`).join(", ");
    io().stdout.write(t`${plainLine(file)}: criteria: ${list}\n`);
  }
  if (kinds.some(({ criteria }) => criteria.some(({ guessed }) => guessed)))
    io().stdout.write(
      t`  hint: write (behaves), (as before), (document) or (measured: …) before a criterion to settle its kind\n`,
    );
}

/** Repairs each file, then duplicate ids. Skips an issue with an open relay, whose journal holds its state. */
async function repair(
  here: Here,
  { files, unread }: Tree,
  isAsked: IsAsked,
  { dryRun }: LintFlags,
): Promise<Repaired> {
  if (currentSession()) {
    throw new MonocoError("input", t`a session cannot fix issues: they are its contract`, {
      hint: t`monoco issue lint without --fix shows what is wrong`,
    });
  }
  refuseFromWithin(here.repository);
  const fixed: FileFault[] = [];
  const texts = new Map<string, string>();
  for (const { path, text } of files) {
    const id = idOf({ path, text });
    const open = id !== undefined && openPhase(here, id) !== undefined;
    const done = isAsked({ path, text }) && !open ? fixIssue(text, path) : { text, fixed: [] };
    texts.set(path, done.text);
    fixed.push(...done.fixed.map((fault) => ({ file: path, ...fault })));
  }
  return whileMinting(here, async () => {
    const repaired = files.map(({ path }) => ({ path, text: texts.get(path)! }));
    const twins = await renumberTwins(here, repaired, isAsked);
    if (!dryRun) write(here, files, twins.files);
    return { tree: { files: twins.files, unread }, fixed, renumbered: twins.renumbered };
  });
}

/** Writes new names first: after a crash an issue may exist twice, but is never lost. */
function write(here: Here, before: readonly IssueFile[], after: readonly IssueFile[]): void {
  const was = new Map(before.map(({ path, text }) => [path, text]));
  const at = (path: string): string => join(here.repository.worktree, path);
  for (const { path, text } of after) {
    if (!was.has(path)) writeNew(at(path), text);
    else if (was.get(path) !== text) writeDurably(at(path), text);
  }
  for (const { path } of before) if (!after.some((file) => file.path === path)) rmSync(at(path));
}

function tellRepaired({ fixed, renumbered }: Repaired, { dryRun }: LintFlags): void {
  const word = dryRun ? t`would fix` : t`fixed`;
  for (const { file, line, message } of fixed)
    io().stdout.write(`${word}  ${plainLine(file)}:${line}: ${plainLine(message)}\n`);
  for (const { from, to, path, newPath, other, unclear } of renumbered) {
    io().stdout.write(
      t`${word}  ${plainLine(path)}: ${from} is also in ${plainLine(other)}; now ${to}, in ${plainLine(newPath)}\n`,
    );
    for (const one of unclear)
      io().stdout.write(
        t`  look at ${plainLine(one)}: it names ${from}; if it means this one, write ${to}\n`,
      );
  }
}

/** Shows the changes of a dry run as git shows them. */
async function tellChanges(here: Here, before: Tree, { tree, renumbered }: Repaired): Promise<void> {
  const git = gitIn(here.repository.worktree);
  for (const { path, text } of tree.files) {
    const old = renumbered.find(({ newPath }) => newPath === path)?.path ?? path;
    if (before.files.find((file) => file.path === old)?.text === text) continue;
    const args = [
      "diff",
      "--no-index",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
      "--",
      `./${old}`,
      "-",
    ];
    const diff = await git(args, { input: text }).catch((error: unknown) => {
      if (error instanceof GitError && error.exitCode === 1) return error.stdout;
      throw error;
    });
    const hunks = diff.slice(Math.max(0, diff.indexOf("\n@@") + 1));
    io().stdout.write(`--- ${plainLine(old)}\n+++ ${plainLine(path)}\n${plain(hunks)}`);
  }
}

function tell(faults: readonly FileFault[], count: number): void {
  for (const fault of faults) {
    const warning = fault.level === "warning" ? t`warning: ` : "";
    io().stdout.write(
      t`${plainLine(fault.file)}:${fault.line}: ${warning}${plainLine(fault.message)}\n  hint: ${plainLine(adviceWords(fault.hint), 400)}\n`,
    );
  }
  const errors = faults.filter(({ level }) => level === "error").length;
  const warnings = faults.length - errors;
  const issues = counted(count, "issue");
  if (faults.length === 0) io().stdout.write(t`${issues}, nothing wrong\n`);
  else {
    const [first = "", second] = [
      ...(errors > 0 ? [counted(errors, "fault")] : []),
      ...(warnings > 0 ? [counted(warnings, "warning")] : []),
    ];
    const all = second === undefined ? first : t`${first} and ${second}`;
    io().stdout.write(t`${all} in ${issues}\n`);
  }
}

function tellJson(of: {
  files: number;
  faults: readonly FileFault[];
  repaired: Repaired;
  flags: LintFlags;
  kinds: readonly Kinds[];
}): void {
  const { files, faults, repaired, flags, kinds } = of;
  const shown = (one: FileFault): object => {
    const { fix, ...fault } = one;
    return { ...fault, hint: adviceWords(fault.hint), fixable: fix !== undefined };
  };
  const fixes = { dryRun: flags.dryRun, fixed: repaired.fixed.map(shown), renumbered: repaired.renumbered };
  const more = flags.kinds ? { kinds } : {};
  printJson({ files, faults: faults.map(shown), ...more, ...(flags.fix || flags.dryRun ? fixes : {}) });
}

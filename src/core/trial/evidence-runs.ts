/** Runs the commands of a verdict on every tree that shows whether they detect the work, and not just that something exists. */
import type { Margin } from "../issue/criterion-kind.ts";
import { lastNumber } from "./output.ts";
import type { Figures } from "./output.ts";
import type { Edit, RoledFile } from "./overlays.ts";
import type { Plan, PlannedSource } from "./changes.ts";
import { isRun } from "./due.ts";
import type { Due, Ended, Runs, Side, Tree, Why } from "./due.ts";
import { withComment, withNames, withWordsAlone } from "./emptied.ts";

/** A command of a verdict, and its purpose. */
export type EvidenceCommand = {
  command: string;
  exitCode: number;
  /** A criterion of an approval, a grave finding, or a probe, which only has to reproduce. */
  of: "criterion" | "finding" | "probe";
  margin?: Margin | undefined;
  /** For a criterion that is written as `as before`: it has to be known whether the command reaches the work at all. */
  stays?: boolean;
  /** The command is a check, which has ended on the submission as claimed. */
  isCheck?: boolean;
};

/** The results of a command on each tree. */
export type OnTrees = Partial<Record<TreeName, Ended>>;
type TreeName =
  | "branch"
  | "base"
  | "words"
  | "names"
  | "data"
  | "comment"
  | "base_comment"
  | "unused"
  | "again"
  | "elsewhere";

/** The edits of each tree; empty if the submission changes nothing of the kind. */
export type EvidenceTrees = {
  words: Edit[];
  names: Edit[];
  /** Files that are neither sources nor tests, as on the base. */
  data: Edit[];
  comment: Edit[];
  baseComment: Edit[];
  /** Removes new files that nothing refers to. */
  unused: Edit[];
};

/** The trees of a submission; `unused`: its new files that nothing refers to. */
export function evidenceTrees(
  files: readonly RoledFile[],
  { sources }: Plan,
  unused: readonly string[],
): EvidenceTrees {
  const of = (...roles: RoledFile["role"][]): RoledFile[] => files.filter(({ role }) => roles.includes(role));
  const asBefore = ({ path, before }: RoledFile): Edit => ({ path, to: before });
  const emptied = (by: (source: PlannedSource) => string): Edit[] =>
    of("source").map((file) => {
      const source = sources.get(file.path);
      if (!source || file.before?.mode.startsWith("100") === false) return asBefore(file);
      return { path: file.path, to: { mode: file.before?.mode ?? source.mode, text: by(source) } };
    });
  const data = of("config", "manifest", "other").map(asBefore);
  const commented = [...sources.values()].map((source) => ({
    path: source.path,
    to: { mode: source.mode, text: withComment(source) },
  }));
  const onBase = [...sources.values()]
    .filter(({ before }) => before !== "")
    .map(({ path, mode, before }) => ({ path, to: { mode, text: withComment({ path, after: before }) } }));
  const names = emptied(withNames);
  return {
    words: [...emptied(withWordsAlone), ...data],
    names,
    data,
    comment: commented,
    baseComment: onBase,
    unused: unused.map((path) => ({ path, to: undefined })),
  };
}

export type EvidenceInput = {
  commands: readonly EvidenceCommand[];
  files: readonly RoledFile[];
  trees: EvidenceTrees;
  /** Files that the Reviewer added to its clone. */
  added: readonly Edit[];
  /** Checks that are known to turn red without the work, and need no run. */
  guards: ReadonlySet<string>;
  /** Whether the set-up builds anything from the sources. */
  stale: boolean;
  /** Whether the verdict approves. */
  approves: boolean;
  /** Commands of earlier findings that end differently now. */
  resolved: readonly { command: string; exitCode: number }[];
};

/** The results by command. */
export function* evidenceRuns(input: EvidenceInput): Runs<Map<string, OnTrees>> {
  const { commands, trees, approves } = input;
  const results = new Map<string, OnTrees>(commands.map(({ command }) => [command, {}]));
  const look: Looking = { input, results };
  const own = commands.filter(({ isCheck }) => !isCheck);
  yield* runAll(look, "branch", { side: "review" }, own);
  const reproduced = ({ isCheck, command, exitCode }: EvidenceCommand): boolean =>
    isCheck === true || endedAs(results.get(command)?.branch, exitCode);
  const worthwhile = commands.filter(({ of, command }) => of !== "probe" && !input.guards.has(command));
  const reproducible = worthwhile.filter(reproduced);
  yield* runAll(look, "base", { side: "base" }, reproducible);
  if (!approves) return results;
  const criteria = reproducible.filter(({ of }) => of === "criterion");
  yield* withoutWork(look, criteria);
  const differing = criteria.filter((one) => !one.isCheck && differsOnBase(look, one));
  yield* runAll(look, "again", { side: "review" }, differing);
  for (const { command, exitCode } of trees.unused.length > 0 ? input.resolved : []) {
    if (!noticed(results.get(command)?.branch, exitCode)) continue;
    const ended = yield due(input, "unused", { side: "submission", edits: trees.unused }, { command });
    if (endedAs(ended, exitCode)) results.set(command, { ...results.get(command), unused: ended });
  }
  return results;
}

type Looking = { input: EvidenceInput; results: Map<string, OnTrees> };

/** Runs the evidence of an approval on the trees without its work, as long as it detects that. */
function* withoutWork(look: Looking, criteria: readonly EvidenceCommand[]): Runs<void> {
  const { files, trees } = look.input;
  const on = ({ command }: EvidenceCommand): OnTrees => look.results.get(command) ?? {};
  const submission = (edits: readonly Edit[] = []): Tree => ({ side: "submission", edits });
  const has = (role: RoledFile["role"]): boolean => files.some((file) => file.role === role);
  // The submission's tests are on the tree: a command that runs them may detect the missing work, though it is green on the base.
  const isOpen = ({ base }: OnTrees): boolean => base !== undefined && !isRun(base);
  let left = criteria.filter((one) => has("test") || isOpen(on(one)) || differsOnBase(look, one));
  if (has("source") || has("test")) yield* runAll(look, "words", submission(trees.words), left);
  if (!has("source")) return;
  left = left.filter((one) => noticed(on(one).words, one.exitCode));
  const names = new Set([...left, ...criteria.filter(({ stays }) => stays)]);
  yield* runAll(look, "names", submission(trees.names), [...names]);
  const same = left.filter((one) => endedAs(on(one).names, one.exitCode));
  if (trees.data.length > 0) yield* runAll(look, "data", submission([...trees.names, ...trees.data]), same);
  left = left.filter((one) => !same.includes(one));
  yield* runAll(look, "comment", submission(trees.comment), left);
  const read = left.filter((one) => noticed(on(one).comment, one.exitCode));
  yield* runAll(look, "base_comment", { side: "base", edits: trees.baseComment }, read);
  left = left.filter((one) => !read.includes(one));
  const unused = new Set(trees.unused.map(({ path }) => path));
  const used = trees.names.filter(({ path }) => !unused.has(path));
  if (used.length < trees.names.length) yield* runAll(look, "unused", submission(used), left);
  yield* elsewhere(look, left);
}

/** Runs one command in a folder outside any repository, under a file name without "test" in it. */
function* elsewhere({ input, results }: Looking, of: readonly EvidenceCommand[]): Runs<void> {
  const renamed = of.map((one) => ({ one, ...untold(input, one.command) }));
  const plain = renamed.find(({ one, command }) => !one.isCheck && !/\btests?\b|spec|\bgit\b/i.test(command));
  if (!plain) return;
  const { one, command, added } = plain;
  const on = { side: "submission" as const };
  const ended = yield due({ ...input, added }, "elsewhere", on, { ...one, command });
  results.set(one.command, { ...results.get(one.command), elsewhere: ended });
}

/** The command with a neutral name for the Reviewer's added file, if there is only one: of several, one may refer to another. */
function untold({ added }: EvidenceInput, command: string): { command: string; added: readonly Edit[] } {
  const [file, ...others] = added;
  const name = file?.path.slice(file.path.lastIndexOf("/") + 1) ?? "";
  const plain = name.replaceAll(/tests?|specs?/gi, "work");
  if (!file || others.length > 0 || plain === name || !command.includes(name)) return { command, added };
  const path = file.path.slice(0, -name.length) + plain;
  return { command: command.replaceAll(name, plain), added: [{ ...file, path }] };
}

const differsOnBase = ({ results }: Looking, { command, exitCode }: EvidenceCommand): boolean =>
  noticed(results.get(command)?.base, exitCode);

function* runAll(
  { input, results }: Looking,
  name: TreeName,
  on: On,
  of: readonly EvidenceCommand[],
): Runs<void> {
  for (const one of of) {
    const run = due(input, name, on, one);
    let ended = yield run;
    // The build results are still the submission's.
    if (input.stale && (name === "words" || name === "names") && endedAs(ended, one.exitCode))
      ended = yield { ...run, setsUp: true };
    results.set(one.command, { ...results.get(one.command), [name]: ended });
  }
}

type On = { side: Side; edits?: readonly Edit[] };

function due(
  { added }: EvidenceInput,
  name: TreeName,
  { side, edits = [] }: On,
  { command, isCheck = false }: Pick<EvidenceCommand, "command" | "isCheck">,
): Due {
  return {
    command,
    on: { side, edits: [...added, ...edits] },
    why: whys[name] ?? "evidence",
    ...(!isCheck && { evidence: true }),
    ...(side === "base" && { always: true }),
  };
}

const whys: Partial<Record<TreeName, Why>> = {
  base: "on_base",
  words: "words",
  names: "names",
  data: "data",
  comment: "comment",
  base_comment: "comment",
  elsewhere: "elsewhere",
};

/** The number of runs on each side, of which the median counts. */
const measuredRuns = 3;

/** The last number that each run prints, else its duration in ms. The sides take turns, so that a busy machine affects both. */
export function* measuring(command: string, added: readonly Edit[]): Runs<Figures> {
  const figures: { branch: number[]; base: number[] } = { branch: [], base: [] };
  for (let n = 1; n <= measuredRuns; n += 1) {
    for (const side of ["branch", "base"] as const) {
      const on = { side: side === "branch" ? ("review" as const) : ("base" as const), edits: added };
      const ran = yield { command, on, why: "measured", evidence: true, always: true };
      if (isRun(ran) && ran.exitCode === 0)
        figures[side].push(lastNumber(ran.output ?? "") ?? ran.durationMs ?? 0);
    }
  }
  return figures;
}

export function endedAs(ended: Ended | undefined, exitCode: number): boolean {
  return ended !== undefined && isRun(ended) && ended.exitCode === exitCode;
}

/** Whether the command ran, and ended differently. */
export function noticed(ended: Ended | undefined, exitCode: number): boolean {
  return ended !== undefined && isRun(ended) && ended.exitCode !== exitCode;
}

/** What a command shows of the work, by the trees where it ran. */
export type Tells =
  /** It ends differently without the work. */
  | "work"
  /** It ends the same if only words or names of the work are left: it shows that something exists. */
  | "same"
  /** It reads the text of the work: a meaningless comment changes its result. */
  | "text"
  /** It ends differently only because of files that are neither sources nor tests. */
  | "data"
  /** It ends the same if only a new file is left that nothing refers to. */
  | "unused"
  | "not_run";

/** `changes`: the kinds of changed files. If there are no sources, the text is the work. */
export function tellsOf(on: OnTrees, exitCode: number, changes: { sources: boolean; tests: boolean }): Tells {
  const { words, names, data, comment, base_comment: onBase, base, unused } = on;
  if (endedAs(words, exitCode)) return "same";
  if (!changes.sources) return "work";
  if (endedAs(names, exitCode)) return noticed(data, exitCode) ? "data" : "same";
  if (words === undefined || !isRun(words)) return "not_run";
  // A formatter or linter rejects the comment on the base, too.
  const objects = endedAs(base, 0) && onBase !== undefined && isRun(onBase) && onBase.exitCode !== 0;
  if (noticed(comment, exitCode) && !objects) return "text";
  if (endedAs(unused, exitCode)) return "unused";
  return names !== undefined && isRun(names) ? "work" : "not_run";
}

/** Runs what a verdict names as evidence on every tree that tells whether it shows the work, and not only that something is there. */
import type { Margin } from "../issue/criterion-kind.ts";
import { lastNumber } from "../review/evidence.ts";
import type { Figures } from "../review/evidence.ts";
import type { Edit, RoledFile } from "./overlays.ts";
import type { Plan, PlannedSource } from "./changes.ts";
import { isRun } from "./due.ts";
import type { Due, Ended, Runs, Side, Why } from "./due.ts";
import { withComment, withNames, withWordsAlone } from "./emptied.ts";

/** A command that a verdict names, and what for. */
export type Named = {
  command: string;
  exitCode: number;
  /** A criterion of an approval, a grave finding, or what only has to reproduce. */
  of: "criterion" | "finding" | "probe";
  margin?: Margin | undefined;
  /** A criterion that is written to stay `as before`: whether the command reaches the work at all has to be known. */
  stays?: boolean;
  /** A check, which has ended on the submission as it says. */
  isCheck?: boolean;
};

/** How a command ended on each tree where it ran. */
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

/** The edits of each tree. Empty where the submission changes nothing of the kind. */
export type EvidenceTrees = {
  words: Edit[];
  names: Edit[];
  /** What is neither a source nor a test, as on the base. */
  data: Edit[];
  comment: Edit[];
  baseComment: Edit[];
  /** New files that nothing names, taken out. */
  unused: Edit[];
};

/** The trees of a submission; `unused`: its new files that nothing names. */
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
  commands: readonly Named[];
  files: readonly RoledFile[];
  trees: EvidenceTrees;
  /** Files that the Reviewer added to its clone. */
  added: readonly Edit[];
  /** Checks that are known to turn red without the work: they need no run. */
  guards: ReadonlySet<string>;
  /** The set-up builds something of the sources. */
  stale: boolean;
  /** The verdict approves. */
  approves: boolean;
  /** Commands of earlier findings that end otherwise now. */
  resolved: readonly { command: string; exitCode: number }[];
};

/** By command. */
export function* evidenceRuns(input: EvidenceInput): Runs<Map<string, OnTrees>> {
  const { commands, files, trees, added, approves } = input;
  const found = new Map<string, OnTrees>(commands.map(({ command }) => [command, {}]));
  const at = (command: string): OnTrees => found.get(command)!;
  function* put(
    name: TreeName,
    on: { side: Side; edits?: readonly Edit[] },
    of: readonly Named[],
  ): Runs<void> {
    for (const { command, isCheck, exitCode } of of) {
      const run = due(name, on, command, isCheck);
      at(command)[name] = yield run;
      // What the set-up has built is still the submission's.
      if (input.stale && (name === "words" || name === "names") && endedAs(at(command)[name], exitCode))
        at(command)[name] = yield { ...run, setsUp: true };
    }
  }
  const due = (
    name: TreeName,
    on: { side: Side; edits?: readonly Edit[] },
    command: string,
    isCheck = false,
  ): Due => ({
    command,
    on: { side: on.side, edits: [...added, ...(on.edits ?? [])] },
    why: whys[name] ?? "evidence",
    ...(!isCheck && { evidence: true }),
    ...(on.side === "base" && { always: true }),
  });
  yield* put(
    "branch",
    { side: "review" },
    commands.filter(({ isCheck }) => !isCheck),
  );
  const reproduced = (one: Named): boolean =>
    one.isCheck === true || endedAs(at(one.command).branch, one.exitCode);
  const told = commands.filter(
    (one) => one.of !== "probe" && reproduced(one) && !input.guards.has(one.command),
  );
  yield* put("base", { side: "base" }, told);
  if (!approves) return found;
  const sources = files.some(({ role }) => role === "source");
  const tests = files.some(({ role }) => role === "test");
  const differs = ({ command, exitCode }: Named): boolean => {
    const { base } = at(command);
    return base !== undefined && isRun(base) && base.exitCode !== exitCode;
  };
  const criteria = told.filter(({ of }) => of === "criterion");
  // Tests of the submission are on the tree: a command that runs them may notice, though it is green on the base.
  let left = criteria.filter((one) => tests || differs(one));
  if (sources || tests) yield* put("words", { side: "submission", edits: trees.words }, left);
  left = left.filter((one) => noticed(at(one.command).words, one.exitCode));
  if (sources) {
    yield* put("names", { side: "submission", edits: trees.names }, left);
    const same = left.filter((one) => endedAs(at(one.command).names, one.exitCode));
    if (trees.data.length > 0)
      yield* put("data", { side: "submission", edits: [...trees.names, ...trees.data] }, same);
    left = left.filter((one) => !same.includes(one));
    yield* put(
      "names",
      { side: "submission", edits: trees.names },
      criteria.filter((one) => one.stays && at(one.command).names === undefined),
    );
    yield* put("comment", { side: "submission", edits: trees.comment }, left);
    const read = left.filter((one) => noticed(at(one.command).comment, one.exitCode));
    yield* put("base_comment", { side: "base", edits: trees.baseComment }, read);
    left = left.filter((one) => !read.includes(one));
    if (trees.unused.length > 0) {
      const kept = new Set(trees.unused.map(({ path }) => path));
      const used = trees.names.filter(({ path }) => !kept.has(path));
      if (used.length < trees.names.length) yield* put("unused", { side: "submission", edits: used }, left);
    }
    const one = left.find(({ isCheck, command }) => !isCheck && !/\btests?\b|spec|\bgit\b/i.test(command));
    if (one) yield* put("elsewhere", { side: "submission" }, [one]);
  }
  yield* put(
    "again",
    { side: "review" },
    criteria.filter((one) => !one.isCheck && differs(one)),
  );
  for (const { command, exitCode } of trees.unused.length > 0 ? input.resolved : []) {
    if (!noticed(found.get(command)?.branch, exitCode)) continue;
    const ended = yield due("unused", { side: "submission", edits: trees.unused }, command);
    if (endedAs(ended, exitCode)) found.set(command, { ...found.get(command), unused: ended });
  }
  return found;
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

/** Runs on each side whose median counts. */
const measuredRuns = 3;

/** The last number that each run printed, else its duration in ms. The sides take turns, so that a busy machine is as busy for both. */
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

/** It ran there, and ended otherwise. */
export function noticed(ended: Ended | undefined, exitCode: number): boolean {
  return ended !== undefined && isRun(ended) && ended.exitCode !== exitCode;
}

/** What a command tells of the work, from the trees where it ran. */
export type Tells =
  /** It ends otherwise without the work. */
  | "work"
  /** The same, where words or names of the work are left: that something is there. */
  | "same"
  /** It reads the text of the work: a comment that says nothing changes how it ends. */
  | "text"
  /** It ends otherwise only by what is neither a source nor a test. */
  | "data"
  /** It ends the same while a new file is left that nothing names. */
  | "unused"
  | "not_run";

/** `changes`: what the submission changes. Where that is neither a source nor a test, the text is the work. */
export function tellsOf(on: OnTrees, exitCode: number, changes: { sources: boolean; tests: boolean }): Tells {
  const { words, names, data, comment, base_comment: onBase, base, unused } = on;
  if (endedAs(words, exitCode)) return "same";
  if (!changes.sources) return "work";
  if (endedAs(names, exitCode)) return noticed(data, exitCode) ? "data" : "same";
  if (words === undefined || !isRun(words)) return "not_run";
  // A formatter or linter objects to the comment on the base, too.
  const objects = endedAs(base, 0) && onBase !== undefined && isRun(onBase) && onBase.exitCode !== 0;
  if (noticed(comment, exitCode) && !objects) return "text";
  if (endedAs(unused, exitCode)) return "unused";
  return names !== undefined && isRun(names) ? "work" : "not_run";
}

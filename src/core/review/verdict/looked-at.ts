/** monoco's own look at evidence: whether it reproduces, its worth, and whether it counts for its criterion. */
import { kindOf } from "../../issue/criterion-kind.ts";
import { tellsOf } from "../../trial/evidence-runs.ts";
import type { OnTrees, Tells } from "../../trial/evidence-runs.ts";
import { endedAs, noticed } from "../../trial/evidence-runs.ts";
import { isRun } from "../../trial/due.ts";
import {
  isAboutFile,
  isAboutTests,
  namesFile,
  saysItPasses,
  saysItStays,
  saysNothingRefers,
  saysThereIsExample,
  sharesWords,
} from "../about.ts";
import { failsByAbsence } from "../../trial/output.ts";
import { isConstant, keepsMargin, readsOnly, worthOfCommand } from "../evidence.ts";
import type { Emptied } from "../evidence.ts";
import type { Criterion, Verdict, Way } from "../verdict-schema.ts";
import { checkCommand, checksNamed, isCommand, isGuard, onBranch } from "./known.ts";
import type { Known, NamedCommand } from "./known.ts";

export type Evidence = Pick<Criterion, "command" | "exitCode" | "file" | "line">;
export type Looked = Pick<Criterion, "reproduced" | "seen" | "worth" | "base">;

/** The result for a piece of evidence. A command that did not run to its end decides nothing. */
export function lookedAt(evidence: Evidence, known: Known): Looked {
  const { file, line } = evidence;
  if (isCommand(evidence)) return lookedAtCommand(evidence, known);
  if (file === undefined) return {};
  const lines = known.lines.get(file);
  if (lines === undefined) return { reproduced: false, seen: "no such file" };
  if ((line ?? 1) > lines) return { reproduced: false, seen: `it has ${lines} lines` };
  return { reproduced: true, worth: known.added.get(file)?.has(line ?? 0) ? "shown" : "hollow" };
}

function lookedAtCommand(evidence: NamedCommand, known: Known): Looked {
  const looked = triedAgain(evidence, known);
  if (looked.worth !== undefined || looked.reproduced !== true) return looked;
  const { command, exitCode } = evidence;
  if (isGuard(command, known)) return { ...looked, worth: "shown" };
  const on = runsOf(command, known);
  const base = on.base && isRun(on.base) ? { base: on.base.exitCode } : {};
  const worth = worthOfCommand(exitCode, on.base);
  // The command ends differently with the submission's tests and without its work: the base lacks those tests, or did not end.
  const hasTests = known.changed.some(({ role }) => role === "test");
  const isOpen = worth === "unseen" || (worth === "as_before" && hasTests);
  const isShown = isOpen && noticed(on.words, exitCode) && tells(on, exitCode, known) === "work";
  return { ...looked, ...base, worth: isShown ? "shown" : worth };
}

/** The results of a command; for `monoco check`, those of the first check that ended differently on the base, or of the first check. */
function runsOf(command: string, known: Known): OnTrees {
  const all = checksNamed(command, known.checks).flatMap((one) => known.runs.get(one) ?? []);
  return all.find(({ base }) => base && !endedAs(base, 0)) ?? all[0] ?? known.runs.get(command) ?? {};
}

function tells(on: OnTrees, exitCode: number, { changed }: Known): Tells {
  const has = (role: string): boolean => changed.some((one) => one.role === role);
  return tellsOf(on, exitCode, { sources: has("source"), tests: has("test") });
}

/** The result on the submission alone. */
export function triedAgain({ command, exitCode }: NamedCommand, known: Known): Looked {
  if (command.trim() === checkCommand && known.checks.length === 0)
    return { reproduced: false, seen: "there are no checks to run" };
  const ended = onBranch(command, known);
  if (ended === undefined) return { worth: "unseen" };
  if (ended !== exitCode) return { reproduced: false, seen: `exit status ${ended}, not ${exitCode}` };
  const { branch, again } = known.runs.get(command) ?? {};
  if (again && !endedAs(again, exitCode))
    return {
      reproduced: false,
      seen: `exit status ${isRun(again) ? again.exitCode : "none"} when it ran again after the base`,
    };
  const nothing = branch && isRun(branch) && branch.nothing;
  return { reproduced: true, ...((nothing || isConstant(command)) && { worth: "hollow" }) };
}

/** The criterion with the worth of its evidence, and the rule by which it counts, if any. */
export function judgeCriterion(criterion: Verdict["criteria"][0], known: Known): Criterion {
  const text = known.criteria[criterion.criterion - 1];
  if (text === undefined) return { ...criterion, ...lookedAt(criterion, known) };
  const { kind, guessed, margin } = kindOf(text);
  const looked = lookedAt(criterion, known);
  const figures = known.figures.get(criterion.command ?? "");
  const measured = margin && figures && looked.reproduced === true && keepsMargin(margin, figures);
  const judged: Criterion = {
    ...criterion,
    ...looked,
    kind,
    guessed,
    ...(measured && { worth: "measured" }),
  };
  if (judged.worth === undefined || judged.reproduced === false) return judged;
  const emptied = emptiedOf(judged, known);
  const whole = { ...judged, ...(emptied && { emptied }) };
  if (measured && known.ownRulers?.has(criterion.command ?? ""))
    return { ...whole, ownRuler: true, supports: false };
  const by = guessed ? wayOf(text, whole, known) : writtenWay(text, whole, known);
  return { ...whole, supports: by !== undefined, ...(by && { by }) };
}

/** What a command that ends differently on the base shows of the work. */
function emptiedOf({ command, exitCode = 0, worth }: Criterion, known: Known): Emptied | undefined {
  if (command === undefined || isGuard(command, known)) return undefined;
  if (worth !== "shown" && worth !== "shown_by_absence") return undefined;
  const on = runsOf(command, known);
  const shows = tells(on, exitCode, known);
  if (shows === "not_run") return "not_tried";
  if (shows !== "work") return shows;
  return knowsWhere(on, exitCode) ? "elsewhere" : "differs";
}

/** Whether the command ends differently in a folder with another name: the program may detect that it is tested. */
function knowsWhere({ elsewhere }: OnTrees, exitCode: number): boolean {
  if (!elsewhere || !isRun(elsewhere) || elsewhere.exitCode === exitCode) return false;
  return !failsByAbsence(elsewhere.exitCode, elsewhere.output ?? "");
}

const isShown = ({ worth }: Criterion): boolean => worth === "shown" || worth === "shown_by_absence";
const showsWork = (one: Criterion): boolean =>
  isShown(one) && [undefined, "differs", "not_tried"].includes(one.emptied);

/** The rule for a kind that the contract states: the kind is binding. */
function writtenWay(text: string, one: Criterion, known: Known): Way | undefined {
  const { kind, command, exitCode } = one;
  const said = exitCode === 0 || (one.text ?? "").trim() !== "";
  const runs = command !== undefined && !readsOnly(command);
  const counts = {
    behaves: runs && said && showsWork(one),
    as_before:
      command !== undefined &&
      exitCode === 0 &&
      (one.worth === "as_before" || one.worth === "shown") &&
      reachesProject(text, command, known),
    document: isShown(one),
    measured: one.worth === "measured",
  }[kind ?? "behaves"];
  return counts && known.criteria.length > 0 ? "written" : undefined;
}

/**
 * Whether a command runs the project: a check does, and so does the tool that the criterion names. Any other command must turn red
 * without the bodies of the work, or the base's tests must show that all stays the same.
 */
function reachesProject(text: string, command: string, known: Known): boolean {
  if (checksNamed(command, known.checks).length > 0) return true;
  if (readsOnly(command) || asksOnly.test(command)) return false;
  const noticing = noticed(known.runs.get(command)?.names, 0);
  return noticing || saysItPasses(text, command) || staysAsBefore(command, known);
}

/** Options with which a tool runs nothing of the project. */
const asksOnly = /\s(?:-n|--dry-run|--version|--help|--collect-only|--list)\b|^\s*node\s+--check\b/;

/** The first rule by which the evidence counts. */
function wayOf(text: string, one: Criterion, known: Known): Way | undefined {
  const { command, exitCode, worth, text: note } = one;
  if (worth === "hollow" || worth === "unseen") return undefined;
  if (worth === "measured") return "measured";
  if (command === undefined) return lineCounts(text, one, known) ? "line" : undefined;
  if (isGuard(command, known)) return "guard";
  if (exitCode === 0 && saysItPasses(text, command)) return "passes";
  const said = exitCode === 0 || (note ?? "").trim() !== "";
  if (said && isShown(one)) {
    if (showsWork(one) && (!onlyDocuments(known) || isOfDocuments(known))) return "differs";
    if (one.emptied === "data" && isAboutData(text, known)) return "differs";
    if (one.emptied === "same" && (isAboutTests(text) || namesTest(text, known)) && testsCount(known))
      return "tests";
    const isExample = known.changed.some(({ path }) => saysThereIsExample(text, path));
    if ((one.emptied === "same" || one.emptied === "text") && isExample) return "differs";
  }
  if (exitCode === 0 && saysNothingRefers(text) && looksForNone.test(command)) return "absent";
  return saysItStays(text) && staysAsBefore(command, known) ? "stays" : undefined;
}

/** A search that succeeds if it finds nothing. */
const looksForNone = /^\s*(?:!|test\s+-z|\[\[?\s+-z)\s/;

const isProse = (path: string): boolean => /\.(?:mdx?|markdown|rst|adoc|tex|org)$/i.test(path);

/** Whether only documents changed, which neither run nor are read by a program. */
const onlyDocuments = ({ changed }: Known): boolean => changed.every(({ path }) => isProse(path));

/** Whether any criterion is about a changed document. */
const isOfDocuments = ({ criteria, changed }: Known): boolean =>
  criteria.some(
    (text) => kindOf(text).kind === "document" || changed.some(({ path }) => isAboutFile(text, path)),
  );

/** Whether the criterion is about a changed file that is neither a source nor a test. */
function isAboutData(text: string, { changed }: Known): boolean {
  return changed.some(
    ({ path, role }) => !["source", "test", "beside"].includes(role) && isAboutFile(text, path),
  );
}

const namesTest = (text: string, { changed }: Known): boolean =>
  changed.some(({ path, role }) => role === "test" && namesFile(text, path));

/** New tests count if they fail without the work, or if no source is changed. */
function testsCount({ trial, changed }: Known): boolean {
  return trial?.onBase.result === "fail" || changed.every(({ role }) => role !== "source");
}

/** An added line counts if the criterion is about its declarative file or document, or if no source is changed. */
function lineCounts(text: string, { file = "", line = 0, worth }: Criterion, known: Known): boolean {
  if (worth !== "shown") return false;
  const role = known.changed.find(({ path }) => path === file)?.role;
  if (role === "test") return isAboutTests(text) && testsCount(known);
  if (role === "source") return saysThereIsExample(text, file);
  if (isAboutFile(text, file)) return true;
  if (isProse(file)) return onlyDocuments(known) && isOfDocuments(known);
  const noSource = known.changed.every((one) => one.role !== "source");
  return noSource && sharesWords(text, known.added.get(file)?.get(line) ?? "");
}

/** The base's own tests pass on the submission, and the changed lines are guarded, or at least reached. */
function staysAsBefore(command: string, { trial, changed, checks }: Known): boolean {
  // Without changed sources, only a check is known to run the project.
  if (changed.every(({ role }) => role !== "source")) return checksNamed(command, checks).length > 0;
  if (!trial || checks.length === 0) return false;
  const { crossing, takeBack } = trial;
  const isGreen = crossing.result === "nothing" || crossing.result === "tried";
  const broken = crossing.found.some(({ excused }) => excused === undefined);
  // Lines that were only removed cannot be emptied: putting them back shows nothing.
  const held = takeBack.changes.every(
    ({ result, lines }) => lines === 0 || result === "guarded" || result === "reached",
  );
  // Deleted sources have no line to guard.
  const tried = takeBack.result === "nothing" || (takeBack.result === "tried" && takeBack.changes.length > 0);
  return isGreen && !broken && tried && held;
}

/** Takes changes of a submission back, one at a time: what stays green without a change does not guard it. */
import { gitOr } from "../../git/git.ts";
import { fileAt } from "../../git/repository.ts";
import { otherRunsMax, takenBackBytesMax, takenBackFilesMax } from "../../core/limits.ts";
import { centralFirst, checksOf, hunksIn, without } from "../../core/trial/changes.ts";
import type { Change, Plan, PlannedSource } from "../../core/trial/changes.ts";
import type { Edit } from "../../core/trial/overlays.ts";
import type { NotTried, TakenBack, Trial } from "../../core/trial/trial-schema.ts";
import type { Emptied, Ran } from "../../core/review/evidence.ts";
import { checkCommand } from "../../core/review/verdict/known.ts";
import type { EvidenceCommand } from "../../core/review/verdict/to-run.ts";
import { settingsOf } from "../relay.ts";
import { builtBySetUp, runOnTree, treeOn } from "./tree-runs.ts";
import type { Trying } from "./tree-runs.ts";
import { tryWithoutWork, unusedFiles } from "./without-work.ts";
import type { RunWith } from "./without-work.ts";
import { named } from "../run-name.ts";

/** By the checks whose folder contains the change; what the evidence says is not known yet. */
export async function takeBackFromChecks(trying: Trying, on: boolean): Promise<Trial["takeBack"]> {
  const { checks, files, relay } = trying;
  const result = (what: "tried" | NotTried, changes: TakenBack[] = [], left = 0): Trial["takeBack"] => ({
    result: what,
    changes,
    left,
  });
  if (files.every(({ role, after }) => role !== "source" || !after)) return result("nothing");
  if (checks.length === 0) return result("no_checks");
  if (!on) return result("off");
  const plan = await planOf(trying);
  if (plan.changes.length === 0) return result("nothing");
  const tried = plan.changes.slice(0, settingsOf(relay).review.takeBackMax);
  const found: TakenBack[] = [];
  const runsMax = (settingsOf(relay).review.takeBackMax + otherRunsMax) * checks.length;
  for (const change of tried) {
    if (trying.bench.runs >= runsMax) break;
    const one = await takenBack(trying, plan, change);
    if (typeof one === "string") return result(one, found, plan.changes.length - found.length);
    found.push(one);
  }
  return result("tried", found, plan.changes.length - found.length);
}

/** What the commands of a verdict say: of each change that no check guards, and of the submission when all its work is taken out. */
export async function takeBackFromEvidence(
  begin: () => Promise<Trying>,
  of: {
    trial: Trial | undefined;
    commands: readonly EvidenceCommand[];
    resolved: readonly EvidenceCommand[];
    added: readonly Edit[];
    /** What git ignores in the Reviewer's clone. */
    built: readonly string[];
  },
): Promise<{ changes: TakenBack[]; emptied: Map<string, Emptied>; unresolved: Map<string, Ran> }> {
  const { trial, commands, resolved } = of;
  const unresolved = new Map<string, Ran>();
  const nothing = { changes: [], emptied: new Map<string, Emptied>(), unresolved };
  const result = trial?.takeBack.result;
  const open = result === "tried" || result === "no_checks" || result === "nothing";
  if (!open || commands.length + resolved.length === 0) return nothing;
  const trying = await begin();
  const plan = await planOf(trying);
  const { setup, cache } = settingsOf(trying.relay);
  const dependencies = new Set([...cache, "node_modules", ".venv", "venv"]);
  const isBuilt = (path: string): boolean => !dependencies.has(path.replace(/\/$/, ""));
  const built = of.built.some(isBuilt);
  const run: RunWith = async (edits, command, name, setsUp = false) => {
    const tree = await treeOn(trying, "submission", [...of.added, ...edits]);
    const all = command.trim() === checkCommand ? trying.checks : [command];
    for (const one of all) {
      const evidence = !trying.checks.includes(one);
      const builds = built && evidence ? trying.checks : [];
      const on = { side: "submission", tree, command: one, name, evidence, builds, setsUp } as const;
      const ran = await runOnTree(trying.relay, trying.bench, on);
      if (typeof ran === "string" || ran.flaky) return undefined;
      if (ran.exitCode !== 0 || one === all.at(-1)) return ran.exitCode;
    }
    return undefined;
  };
  const stale = async (): Promise<boolean> =>
    setup.length > 0 && ((await builtBySetUp(trying.relay, trying.bench, "submission")) ?? []).some(isBuilt);
  const emptied = await tryWithoutWork(trying, { plan, commands, run, stale, added: of.added });
  const unused = resolved.length > 0 ? await unusedFiles(trying) : [];
  for (const { command } of unused.length > 0 ? resolved : []) {
    const gone = unused.map((path) => ({ path, to: undefined }));
    const ended = await run(gone, command, named`without ${unused[0] ?? ""}`);
    if (ended !== undefined) unresolved.set(command, { exitCode: ended });
  }
  const changes =
    result === "nothing" ? [] : await unguardedBy(trying, { plan, trial: trial!, commands, run });
  return { changes, emptied, unresolved };
}

async function unguardedBy(
  { relay }: Trying,
  of: { plan: Plan; trial: Trial; commands: readonly EvidenceCommand[]; run: RunWith },
): Promise<TakenBack[]> {
  const { plan, trial, commands, run } = of;
  const changes: TakenBack[] = [];
  const guarded = new Set(
    trial.takeBack.changes
      .filter(({ result }) => result === "guarded")
      .map(({ file, line }) => `${file}:${line}`),
  );
  for (const change of plan.changes.slice(0, settingsOf(relay).review.takeBackMax)) {
    const { file, line, lines } = change;
    if (guarded.has(`${file}:${line}`) || commands.length === 0) continue;
    let result: TakenBack = { file, line, lines, result: "unguarded" };
    for (const { command, exitCode } of commands) {
      const ended = await run(editsOf(plan, [change]), command, named`without ${file}:${line}`);
      if (ended === undefined) result = { file, line, lines, result: "unseen" };
      else if (ended !== exitCode) {
        result = { file, line, lines, result: "guarded", by: command };
        break;
      }
    }
    changes.push(result);
  }
  return changes;
}

async function takenBack(trying: Trying, plan: Plan, change: Change): Promise<TakenBack | NotTried> {
  const { file, line, lines } = change;
  const tree = await treeOn(trying, "submission", editsOf(plan, [change]));
  let flaky = false;
  for (const command of checksOf(trying.checks, file)) {
    const name = named`without ${file}:${line}`;
    const ran = await runOnTree(trying.relay, trying.bench, { side: "submission", tree, command, name });
    if (typeof ran === "string") return ran;
    if (ran.exitCode !== 0) return { file, line, lines, result: "guarded", by: command };
    flaky ||= ran.flaky ?? false;
  }
  return { file, line, lines, result: flaky ? "unseen" : "unguarded" };
}

function editsOf({ sources }: Plan, changes: readonly Change[]): Edit[] {
  const files = [...new Set(changes.map(({ file }) => file))];
  return files.map((path) => {
    const source = sources.get(path)!;
    const own = changes.filter(({ file }) => file === path);
    return { path, to: { mode: source.mode, text: without(source, own) } };
  });
}

async function planOf({ relay, bench, files }: Trying): Promise<Plan> {
  const { git } = relay.repository;
  const { base, submission } = bench.sides;
  const sources: PlannedSource[] = [];
  for (const { path, role, before, after } of files) {
    if (role !== "source" || !after?.mode.startsWith("100")) continue;
    if (sources.length >= takenBackFilesMax) break;
    const texts = [
      before ? ((await fileAt(git, base.commit, path)) ?? "") : "",
      (await fileAt(git, submission.commit, path)) ?? "",
    ] as const;
    // Nobody writes such a file by hand; and text that is not UTF-8 would be written back changed.
    if (texts.some((text) => text.length > takenBackBytesMax || text.includes("\uFFFD"))) continue;
    // What an attribute calls binary, too.
    const form = ["--text", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0"];
    const where = [base.commit, submission.commit, "--", `:(literal)${path}`];
    const hunks = hunksIn(await git(["diff", ...form, ...where]));
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
    const told = await gitOr(git(["grep", "-l", "-w", "-F", "-e", name, submission.commit]), "");
    const namedBy = told.split("\n").length;
    sources.push({ path, mode: after.mode, before: texts[0], after: texts[1], hunks, namedBy });
  }
  return {
    sources: new Map(sources.map((source) => [source.path, source])),
    changes: centralFirst(sources),
  };
}

/** Takes changes of a submission back, one at a time: what stays green without a change does not guard it. */
import { gitOr } from "../../git/git.ts";
import { fileAt } from "../../git/repository.ts";
import { otherRunsMax, takenBackBytesMax, takenBackFilesMax } from "../../core/limits.ts";
import { centralFirst, checksOf, hunksIn, without } from "../../core/trial/changes.ts";
import type { Change, ChangedSource } from "../../core/trial/changes.ts";
import type { Edit } from "../../core/trial/overlays.ts";
import type { NotTried, TakenBack, Trial } from "../../core/trial/trial-schema.ts";
import type { Emptied } from "../../core/review/evidence.ts";
import { settingsOf } from "../relay.ts";
import { runOnTree, treeOn } from "./tree-runs.ts";
import type { Trying } from "./tree-runs.ts";

type Source = ChangedSource & { mode: string };

/** The changes that can be taken back, with their sources. */
type Plan = { sources: ReadonlyMap<string, Source>; changes: Change[] };

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

export type EvidenceCommand = { command: string; exitCode: number; absent: boolean };

/** What the commands of a verdict say: of each change that no check guards, and of the submission when all its work is taken out. */
export async function takeBackFromEvidence(
  begin: () => Promise<Trying>,
  of: { trial: Trial | undefined; commands: readonly EvidenceCommand[]; added: readonly Edit[] },
): Promise<{ changes: TakenBack[]; emptied: Map<string, Emptied> }> {
  const { trial, commands, added } = of;
  const emptied = new Map<string, Emptied>();
  const changes: TakenBack[] = [];
  const open = trial?.takeBack.result === "tried" || trial?.takeBack.result === "no_checks";
  if (!open || commands.length === 0) return { changes, emptied };
  const trying = await begin();
  const plan = await planOf(trying);
  const run = async (taken: readonly Change[], command: string, name: string) => {
    const tree = await treeOn(trying, "submission", [...added, ...editsOf(plan, taken)]);
    const on = {
      side: "submission",
      tree,
      command,
      name,
      evidence: !trying.checks.includes(command),
    } as const;
    const ran = await runOnTree(trying.relay, trying.bench, on);
    return typeof ran === "string" || ran.flaky ? undefined : ran.exitCode;
  };
  for (const { command, exitCode, absent } of commands) {
    if (!absent || plan.changes.length === 0) continue;
    const ended = await run(plan.changes, command, "without all work");
    emptied.set(command, ended === undefined ? "not_tried" : ended === exitCode ? "same" : "differs");
  }
  const guarded = new Set(
    trial.takeBack.changes
      .filter(({ result }) => result === "guarded")
      .map(({ file, line }) => `${file}:${line}`),
  );
  for (const change of plan.changes.slice(0, settingsOf(trying.relay).review.takeBackMax)) {
    const { file, line, lines } = change;
    if (guarded.has(`${file}:${line}`)) continue;
    let result: TakenBack = { file, line, lines, result: "unguarded" };
    for (const { command, exitCode } of commands) {
      const ended = await run([change], command, `without ${file}:${line}`);
      if (ended === undefined) result = { file, line, lines, result: "unseen" };
      else if (ended !== exitCode) {
        result = { file, line, lines, result: "guarded", by: command };
        break;
      }
    }
    changes.push(result);
  }
  return { changes, emptied };
}

async function takenBack(trying: Trying, plan: Plan, change: Change): Promise<TakenBack | NotTried> {
  const { file, line, lines } = change;
  const tree = await treeOn(trying, "submission", editsOf(plan, [change]));
  let flaky = false;
  for (const command of checksOf(trying.checks, file)) {
    const name = `without ${file}:${line}`;
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
  const sources: Source[] = [];
  for (const { path, role, before, after } of files) {
    if (role !== "source" || !after?.mode.startsWith("100")) continue;
    if (sources.length >= takenBackFilesMax) break;
    const texts = [
      before ? ((await fileAt(git, base.commit, path)) ?? "") : "",
      (await fileAt(git, submission.commit, path)) ?? "",
    ] as const;
    // Nobody writes such a file; and what is no UTF-8 would be written back as something else.
    if (texts.some((text) => text.length > takenBackBytesMax || text.includes("\uFFFD"))) continue;
    const form = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0"];
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

/** monoco issue start, stop, close, cancel, wontfix, duplicate, push, pull, reopen, and submit and review by hand: a step in an issue's life, in its file here. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { editFrontMatter } from "../../core/text/front-matter-edit.ts";
import { MonocoError } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { appendReviewComment } from "../../core/issue/edit.ts";
import { transition } from "../../core/issue/transitions.ts";
import type { TransitionName } from "../../core/issue/transitions.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { writeDurably } from "../../store/durable.ts";
import { readJournal } from "../../store/journal.ts";
import { tellFailure } from "../../views/failure.ts";
import { printJson } from "../../views/json.ts";
import { openHere, placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { findFile } from "./issues.ts";
import { listedIssues } from "../../app/listed-issues.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../../core/language/names.ts";

export type StepName = Exclude<TransitionName, "accept"> | "close";

export type StepFlags = {
  json: boolean;
  /** Close a parent even if its children are open. */
  force?: boolean;
  /** Added to the review section. */
  comment?: string;
};

/** The schema of `--json`, one issue. */
export type Step = { id: string; path: string; from: string; to: string };

/** Takes the step for all issues or none: an illegal step is reported, and nothing is changed. */
export async function step(name: StepName, ids: string[], flags: StepFlags): Promise<number> {
  if (currentSession()) {
    throw new MonocoError("input", t`a session cannot change where an issue stands`, {
      hint: t`monoco issue submit puts the work up for review; the rest is the relay's`,
    });
  }
  const here = await openHere();
  refuseFromWithin(here.repository);
  const nowIso = new Date().toISOString();
  const planned: (Step & { text: string })[] = [];
  let worst = 0;
  for (const id of new Set(ids.map(validId))) {
    try {
      planned.push(await plan(here, { id, name, nowIso, ids, flags }));
    } catch (error) {
      worst = Math.max(worst, tellFailure(error));
    }
  }
  if (worst !== 0) return worst;
  for (const { path, text } of planned) writeDurably(join(here.repository.worktree, path), text);
  const done = planned.map(({ id, path, from, to }): Step => ({ id, path, from, to }));
  if (flags.json) printJson(done);
  else
    for (const { id, path, from, to } of done)
      io().stdout.write(`${id}  ${from} → ${to}  ${plainLine(path)}\n`);
  return 0;
}

type Planned = { id: string; name: StepName; nowIso: string; ids: readonly string[]; flags: StepFlags };

async function plan(here: Here, { id, name, nowIso, ids, flags }: Planned): Promise<Step & { text: string }> {
  const { path, text } = findFile(here, id);
  const before = parseIssue(text, path);
  refuseWhileOpen(here, id);
  const changes = transition(before, name === "close" ? "accept" : name);
  if (changes["status"] === "closed" && !flags.force) await refuseOverChildren(here, id, ids);
  const times = { updated_at: nowIso, ...(changes["status"] === "closed" ? { closed_at: nowIso } : {}) };
  const stepped = editFrontMatter(text, { ...times, ...changes }, path);
  const comment = flags.comment && `- ${nowIso}, ${name.replace("_", " ")}: ${flags.comment}`;
  const after = comment ? appendReviewComment(stepped, before.language, comment) : stepped;
  const { status, stage } = parseIssue(after, path);
  return { id, path, from: `${before.status}/${before.stage}`, to: `${status}/${stage}`, text: after };
}

/** Refuses to close a parent before its children, unless they are closed with it. */
async function refuseOverChildren(here: Here, id: string, ids: readonly string[]): Promise<void> {
  const open = (await listedIssues(here)).issues.filter(
    ({ parent, status, id: child }) => parent === id && status !== "closed" && !ids.includes(child),
  );
  if (open.length === 0) return;
  const names = open.map((child) => `${child.id} (${child.status}, ${child.stage})`);
  throw new MonocoError("input", t`${id} has children that are not closed: ${names.join(", ")}`, {
    hint: t`close them first, name them with it, or close it all the same: --force`,
  });
}

/** Refuses while a relay is open: its journal says where the issue stands, and its merge changes the file. */
function refuseWhileOpen(here: Here, id: string): void {
  const { journal } = placesFor(here, id);
  if (!existsSync(journal)) return;
  const phase = phaseOf(replay(readJournal(journal)));
  if (["none", "done", "cancelled"].includes(phase)) return;
  throw new MonocoError("input", t`${id} has a relay (${named(phase)}): that says where it stands`, {
    hint: t`monoco status ${id}; monoco relay clear ${id} ends it, and keeps its work`,
  });
}

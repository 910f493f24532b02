/** Computes the facts about the work: commits, files, checks, ticks. Nothing comes from an agent's words. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesBetween } from "../../git/snapshot.ts";
import { logOf } from "../../git/log.ts";
import { mergeBase } from "../../git/repository.ts";
import type { EventOf } from "../../core/journal/event.ts";
import type { Issue } from "../../core/issue/issue.ts";
import { failureWords, isRed } from "../../core/review/red.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { unfinishedWords } from "../../core/exit/unfinished.ts";
import type { Unfinished } from "../../core/exit/unfinished.ts";
import { sentences } from "../../core/language/handoff-words.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { deciding } from "../../core/text/glob.ts";
import { modulesAt } from "../../git/clone/modules.ts";
import { contractNow, issueAt } from "../contract.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

export type Facts = {
  lines: string[];
  /** The facts for a prompt, which has its own place for failed checks and work that has not begun. */
  inPrompt: string[];
  issue: Issue;
  uncommitted: string[];
  /** Files of the branch that differ from the base. */
  files: string[];
  /** Whether the last checks passed; undefined if none ran. */
  checksOk: boolean | undefined;
};

type Checks = EventOf<"checks.ran">;
type At = {
  head: string;
  wip?: string | undefined;
  unfinished?: Unfinished | undefined;
  /** Folders of the clone that are repositories of their own. */
  repositories?: readonly string[] | undefined;
};

/** The facts at `head`. `wip` is the commit of uncommitted work, `checks` the last checks on this state. */
export async function gatherFacts(relay: Relay, at: At & { checks?: Checks | undefined }): Promise<Facts> {
  const { language, setup } = settingsOf(relay);
  const { workspaceReady, relay: logs } = relay.places;
  const { base, baseCommit, baseline, handoff } = openingOf(relay);
  const { git } = relay.repository;
  const start = await mergeBase(git, `refs/heads/${base}`, at.head);
  const { commits, files, uncommitted, issue } = await workSince(relay, start ?? baseCommit, at);
  const say = (name: keyof typeof sentences, ...values: (string | number)[]): string =>
    sentences[name][language](...values);
  const work = [
    commits.length > 0 ? say("commitsSoFar", commits.join("; ")) : say("noCommits"),
    ...(files.length > 0 ? [say("filesChanged", list(files))] : []),
    uncommitted.length > 0 ? say("uncommitted", list(uncommitted)) : say("nothingUncommitted"),
  ];
  const setUp =
    setup.length === 0 || existsSync(workspaceReady) ? [] : [say("setUpFailed", join(logs, "setup"))];
  const ticks = [
    ...(issue.criteria.length > 0 ? [say("criteria", ticked(issue.criteria), issue.criteria.length)] : []),
    ...(issue.tasks.length > 0 ? [say("tasks", ticked(issue.tasks), issue.tasks.length)] : []),
  ];
  const left = [
    ...(at.unfinished ? [unfinishedWords(at.unfinished, language)] : []),
    ...(at.repositories ? [say("repositories", list(at.repositories))] : []),
  ];
  const results = at.checks?.results ?? [];
  const passed = results
    .filter(({ exitCode }) => exitCode === 0)
    .map((one) => say("checkPassed", one.command));
  const failed = results.filter(isRed).map((one) => say("checkFailed", one.command, endOf(one, language)));
  // Before any session, the baseline says what is red.
  const old = at.checks
    ? results.filter(({ asBefore }) => asBefore)
    : (baseline?.results ?? []).filter(isRed);
  const redBefore = old.map((one) => say("redBefore", failureWords(one)));
  const none = at.checks && results.length === 0 ? [say("noChecks")] : [];
  const begun = handoff !== undefined || commits.length + uncommitted.length > 0;
  const closed = await closedModules(relay, at.head);
  const inPrompt = [
    ...left,
    ...(begun ? work : []),
    ...setUp,
    ...(closed.length > 0 ? [say("submodules", list(closed))] : []),
    ...passed,
    ...redBefore,
    ...(begun ? ticks : []),
  ];
  const lines = [...left, ...work, ...setUp, ...passed, ...failed, ...redBefore, ...none, ...ticks];
  return { lines, inPrompt, issue, uncommitted, files, checksOk: at.checks?.ok };
}

/** The submodules that the contract does not allow to change. */
async function closedModules(relay: Relay, head: string): Promise<string[]> {
  const allowedBy = deciding(contractNow(relay).issue.allows ?? []);
  const paths = (await modulesAt(relay.repository.git, head)).map(({ path }) => path);
  return paths.filter((path) => allowedBy(path) === undefined);
}

type Work = Pick<Facts, "files" | "uncommitted" | "issue"> & { commits: string[] };

async function workSince(relay: Relay, start: string, { head, wip }: At): Promise<Work> {
  const { git, root } = relay.repository;
  const [commits, files, uncommitted, issue] = await Promise.all([
    logOf(git, start, head),
    namesBetween(root, start, head),
    wip ? namesBetween(root, head, wip) : [],
    issueAt(relay, wip ?? head),
  ]);
  return { commits, files, uncommitted, issue };
}

/** How a failed check ended. */
export function endOf({ timedOut, exitCode }: CheckResult, language: Language): string {
  return timedOut ? sentences.timedOut[language]() : sentences.exitedWith[language](exitCode ?? "?");
}

/** The number of boxes that are done or cancelled. */
export function resolvedOf({ criteria, tasks }: Issue): number {
  return [...criteria, ...tasks].filter(({ state }) => state === "done" || state === "cancelled").length;
}

function ticked(items: Issue["criteria"]): number {
  return items.filter((item) => item.state === "done").length;
}

function list(names: readonly string[]): string {
  return names.length > 12 ? `${names.slice(0, 12).join(", ")}, … (${names.length})` : names.join(", ");
}

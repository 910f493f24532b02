/** What monoco itself knows of the work: commits, files, checks, ticks. Computed, never taken from an agent's words. */
import type { EventOf } from "../core/event.ts";
import type { Issue } from "../core/issue.ts";
import { words } from "../core/words.ts";
import { issueAt } from "./contract.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

export type Facts = {
  lines: string[];
  issue: Issue;
  uncommitted: string[];
  /** Files of the branch that differ from the base. */
  files: string[];
  /** How the last checks ended; undefined where none ran. */
  checksOk: boolean | undefined;
};

/** The facts at `head`; `wip` is the commit that keeps uncommitted work, `checks` the last that ran on this state. */
export async function gatherFacts(
  relay: Relay,
  at: { head: string; wip?: string | undefined; checks?: EventOf<"checks.ran"> | undefined },
): Promise<Facts> {
  const { git, root } = relay.repository;
  const { language } = settingsOf(relay);
  const { base } = openingOf(relay);
  const start =
    (await relay.edges.repository.mergeBase(git, `refs/heads/${base}`, at.head)) ??
    openingOf(relay).baseCommit;
  const commits = (await git(["log", "--format=%h %s", "--max-count=10", `${start}..${at.head}`])).trim();
  const files = await relay.edges.snapshot.namesBetween(root, start, at.head);
  const uncommitted = at.wip ? await relay.edges.snapshot.namesBetween(root, at.head, at.wip) : [];
  const issue = await issueAt(relay, at.wip ?? at.head);
  const say = (name: keyof typeof words, ...values: (string | number)[]): string =>
    words[name][language](...values);
  const lines = [
    commits ? say("commitsSoFar", commits.split("\n").join("; ")) : say("noCommits"),
    ...(files.length > 0 ? [say("filesChanged", list(files))] : []),
    uncommitted.length > 0 ? say("uncommitted", list(uncommitted)) : say("nothingUncommitted"),
    ...(at.checks ? checkLines(at.checks, say) : []),
    ...(issue.criteria.length > 0 ? [say("criteria", ticked(issue.criteria), issue.criteria.length)] : []),
    ...(issue.tasks.length > 0 ? [say("tasks", ticked(issue.tasks), issue.tasks.length)] : []),
  ];
  return { lines, issue, uncommitted, files, checksOk: at.checks?.ok };
}

function checkLines(
  checks: EventOf<"checks.ran">,
  say: (name: "checkPassed" | "checkFailed" | "noChecks", ...values: (string | number)[]) => string,
): string[] {
  if (checks.results.length === 0) return [say("noChecks")];
  return checks.results.map((result) =>
    result.exitCode === 0
      ? say("checkPassed", result.command)
      : say("checkFailed", result.command, result.timedOut ? "timed out" : `exit ${result.exitCode ?? "?"}`),
  );
}

function ticked(items: Issue["criteria"]): number {
  return items.filter((item) => item.state === "done").length;
}

function list(names: readonly string[]): string {
  return names.length > 12 ? `${names.slice(0, 12).join(", ")}, … (${names.length})` : names.join(", ");
}

/** `npm run blocked`: writes docs/blocked.md, what each block of a relay means and every way out, from the table below. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blockRules } from "../src/core/reason/block-schema.ts";
import type { Step, Way } from "../src/core/error/hint-schema.ts";
import { commandsOf } from "../src/views/hint.ts";
import type { BlockRule } from "../src/core/reason/block-schema.ts";

export const blockedPage = join(import.meta.dirname, "..", "docs", "blocked.md");

type Entry = { title: string; why: string; ways: readonly Way[] };

const resume = { do: "resume" } as const;
const byHand = (what: string): Way => [{ do: "by_hand", what }, resume];
const judge: Way = [{ do: "judge", verdicts: ["approve", "request_changes"] }, resume];
const say: Way = [{ do: "say" }, resume];
const retry = (note: string): Way => [{ do: "retry", note }];
const submitOwn = (what: string): Way => [{ do: "by_hand", what }, { do: "submit" }, resume];
const raise = (setting: string): Way => [
  { do: "raise", setting, where: `${setting} in monoco.yaml` },
  resume,
];
const workAnew: Way = [{ do: "clear" }, { do: "open", note: "works on the issue as it is now" }];

/** The way that each hint offers first comes first; test/relay/hints.test.ts holds the steps against real relays. */
export const blocks: Readonly<Record<BlockRule, Entry>> = {
  question: {
    title: "An agent asks a question",
    why: "Sessions in a row ended with a question that only a person can decide (`limits.questionsMax`, 2 by default). Every later session sees your answer.",
    ways: [[{ do: "answer" }, resume]],
  },
  human_gate: {
    title: "A person has to approve, too",
    why: "The Reviewer approved, and `gates` in monoco.yaml asks for a person: by the issue's criticality, or since the work changes a protected path; or a criterion could not be verified; or an earlier finding is resolved only by a new file that nothing names; or no new test of the submission fails on the base.",
    ways: [judge],
  },
  checks_failed: {
    title: "Your own submission fails its checks",
    why: "You submitted a commit, and its checks fail. monoco does not let an agent change your work unless you say so.",
    ways: [submitOwn("fix what fails and commit it"), retry("an Executor fixes it")],
  },
  evidence_unclear: {
    title: "What shows a criterion is for you to say",
    why: "monoco ran the Reviewer's evidence and asked it once more. What is left, the reason names; read the dossier, and approve or request changes. `(document)` before a criterion in the issue lets a line of text show it: [review.md](review.md#what-counts).",
    ways: [judge, retry("another Reviewer looks at it")],
  },
  no_verdict: {
    title: "The Reviewers gave no verdict",
    why: "Two Reviewer sessions ended without a verdict.",
    ways: [judge, retry("another Reviewer looks at it")],
  },
  finding_repeated: {
    title: "The same finding comes back",
    why: "A finding held the work back in three rounds. The Executor and the Reviewer will not agree.",
    ways: [judge, say],
  },
  refusal_repeated: {
    title: "Submits are refused for the same reason",
    why: "Three submits in a row were refused alike, mostly because something keeps writing files that are not committed.",
    ways: [byHand("find what writes those files, and undo, ignore or commit it"), say],
  },
  review_rounds: {
    title: "Too many rounds of review",
    why: "The Reviewer requested changes in as many rounds as `limits.reviewRoundsMax` allows (3 by default).",
    ways: [judge, say, retry("as many rounds again")],
  },
  merge_failed: {
    title: "The merge keeps failing",
    why: "Executor sessions repaired the merge three times, and it fails again, by conflicts or by checks on the merged tree.",
    ways: [submitOwn("switch to the branch monoco/ID, solve it and commit it"), retry("agents try again")],
  },
  sessions_max: {
    title: "All sessions are spent",
    why: "The relay used as many sessions as `limits.sessionsMax` allows (30 by default). Often the issue should be split.",
    ways: [say, retry("as many sessions again")],
  },
  breaker_open: {
    title: "The circuit breaker is open",
    why: "Sessions made no progress, met the same error again, were denied tools, or said less and less. With `breaker.reopen: manual`, it waits for you. `monoco relay explain ID` shows the numbers.",
    ways: [say, retry("one session tries")],
  },
  probes_max: {
    title: "The circuit breaker gave up",
    why: "As many probing sessions as `breaker.probesMax` allows (3 by default) made no progress, each after a longer pause.",
    ways: [say, retry("one session tries")],
  },
  needs_person: {
    title: "No agent can be used",
    why: "Every agent of the role needs a person: it is not logged in, has no credit, or does not know the model. `monoco agent list` shows which. The run ends with exit code 4.",
    ways: [byHand("fix the login, the credit or the model")],
  },
  budget: {
    title: "A budget is spent",
    why: "What is left of a budget does not cover another session: [budgets.md](budgets.md). A resume alone does not help, except that it begins a new run, with a new budget for runs; a day's budget frees itself as sessions get a day old.",
    ways: [
      raise("the setting that the reason names,"),
      [{ do: "resume", note: "begins a new run, for a run's budget" }],
      byHand("for a day's budget, wait until older sessions are a day old"),
    ],
  },
  setup_failed: {
    title: "Setup fails",
    why: "A command of `setup` failed in the clone of an Executor or of a Reviewer. The reason names the command, and the hint its log. The issue may be about the set-up, so the first session of a relay still starts, and its prompt names the failure; it does not start if `setup` ran out of time.",
    ways: [byHand("read the log, fix monoco.yaml or the repository")],
  },
  base_gone: {
    title: "The base branch is gone",
    why: "The branch that the work starts from and is merged into does not exist any more.",
    ways: [byHand("create the branch again, or rename it back")],
  },
  base_rewritten: {
    title: "The base branch was rewritten",
    why: "The base branch no longer has a commit that the work rests on. A merge would bring that commit back, so you decide whether it should.",
    ways: [
      submitOwn("to leave it out: rebase the branch monoco/ID onto the base, with the command in the hint"),
      byHand("to have it back: merge that commit into the base"),
    ],
  },
  base_held: {
    title: "Your checkout is in the way of the merge",
    why: "The merge is ready, but a worktree has the base branch checked out with uncommitted changes, a file in the way, or a rebase under way. monoco does not touch it. The merge is kept under `refs/monoco/ID/parked`.",
    ways: [byHand("commit, stash or move what is in the way; the hint has the command that lands the merge")],
  },
  base_stuck: {
    title: "The base branch cannot be moved",
    why: "The merge is ready, but git cannot move the branch, for example because of a stale lock file.",
    ways: [byHand("remove what the reason names")],
  },
  base_moving: {
    title: "The base branch moves too often",
    why: "The base branch moved three times while the merge was made, or brought something that meets the work each of three times that an approval was confirmed on the merged tree.",
    ways: [byHand("wait until the base branch moves less often")],
  },
  issue_closed: {
    title: "You closed or postponed the issue meanwhile",
    why: "Someone closed the issue on the base branch or put it off, and monoco does not merge over that.",
    ways: [byHand("open the issue again on the base branch"), [{ do: "clear", note: "keeps the work" }]],
  },
  issue_changed: {
    title: "You changed the contract meanwhile",
    why: "On the base branch, the issue's title, objective, criteria or checks changed since the relay opened, or the file is gone. The work was done and reviewed by the old contract.",
    ways: [byHand("put the old text back on the base branch"), workAnew],
  },
  issue_broken: {
    title: "The issue cannot be closed",
    why: "monoco cannot read or change the issue's file on the base branch. The reason names the line.",
    ways: [byHand("fix the file on the base branch")],
  },
  branch_ahead: {
    title: "The work branch has commits that nobody submitted",
    why: "The work is to be left on its branch (`finish: branch` or `pr`), and somebody has put commits there.",
    ways: [submitOwn("switch to the branch monoco/ID"), byHand("rename that branch")],
  },
  branch_held: {
    title: "The work branch is checked out",
    why: "A worktree has the branch `monoco/ID` checked out, and git cannot move it there.",
    ways: [byHand("switch that worktree to another branch, or do what the hint says")],
  },
  branch_moved: {
    title: "The work branch was moved just now",
    why: "Somebody moved the branch `monoco/ID` at the same moment.",
    ways: [[resume]],
  },
  branch_stuck: {
    title: "The work branch cannot be set",
    why: "git cannot create or move the branch `monoco/ID`, for example because a branch `monoco` exists.",
    ways: [byHand("remove what the reason names")],
  },
  pull_request_ahead: {
    title: "Others have pushed to the pull request",
    why: "The open pull request asks for changes, and its branch on GitHub has commits that are not monoco's. monoco never replaces those: take them in and submit the whole, or take them off that branch.",
    ways: [
      submitOwn("switch to the branch and pull it; the hint has the commands"),
      byHand("take those commits off the branch there"),
    ],
  },
  push_failed: {
    title: "The push failed",
    why: "With `finish: pr`, git could not push the branch. The reason has git's own words.",
    ways: [byHand("fix that; the hint has the command that shows it")],
  },
};

function commandOf(step: Step): string {
  switch (step.do) {
    case "judge":
      return '`monoco issue review ID --show`, then `--approve` or `--request-changes -m "…"`';
    case "raise":
      return `raise ${step.where}`;
    case "by_hand":
      return step.what;
    default:
      return `\`${commandsOf(step, {})[0]}\``;
  }
}

const stepWords = (step: Step): string =>
  commandOf(step) + ("note" in step && step.note !== undefined ? ` (${step.note})` : "");
const wayWords = (way: Way): string => way.map(stepWords).join(", then ");

/** The page as the table is now. */
export function blockedText(): string {
  const parts = blockRules.map((rule) => {
    const { title, why, ways } = blocks[rule];
    return `## ${title}\n\n\`${rule}\`. ${why}\n\n${ways.map((way) => `- ${wayWords(way)}`).join("\n")}\n`;
  });
  return `# Blocked: what now?

<!-- Written by npm run blocked; edit scripts/blocked.ts. -->

A relay that is blocked waits for a person; nothing is lost meanwhile. \`monoco relay status ID\` shows the rule, the reason and the hint with the exact
commands, and \`monoco relay explain ID\` the numbers behind it. Below, the heading says what happened, the first word of the text is the rule as the journal
and \`--json\` name it, and each point of the list is one way out. A way that only tries again comes last: it costs sessions, and may end as before. Where something is wrong
and no relay says so, \`monoco doctor\` looks for it: [safety.md](safety.md#what-is-wrong-here).

${parts.join("\n")}`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(blockedPage, blockedText());

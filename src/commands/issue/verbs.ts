/** The commands of `monoco issue`. */
import { dryRun, elsewhere, id, json } from "../options.ts";
import { criticalities, issueTypes, stages, statuses } from "../../core/issue/vocabulary.ts";
import { count, flag, flagOff, requiredText, text, textOr, texts, textsIfGiven, verb } from "../verb.ts";
import type { Group, Verb } from "../verb.ts";
import type { StepName } from "./step.ts";
import { translatable } from "../../core/language/translate.ts";

const keywords = [["[WORD...]", translatable("only those whose file holds all of these words")]] as const;

const filters = {
  status: {
    ...text("<status>", "open, closed or backlog; several with commas, here and below"),
    values: statuses,
  },
  stage: { ...text("<stage>", "draft, doing, review, done or freezed"), values: stages },
  type: { ...text("<type>", "feature, fix, chore or epic"), values: issueTypes },
  tag: text("<tag>", "any of these tags"),
  parent: text("<ID>", "the children of an issue"),
  priority: text("<priority>", "critical, high, medium, low …"),
  criticality: { ...text("<criticality>", "low, medium, high or critical"), values: criticalities },
  ready: flag("open, and all that it depends on is done"),
  json,
};

const create = verb({
  name: "create",
  about: "write a new issue from its type's template, and what you give of it",
  args: [["[title]", "- takes title and text from standard input"]],
  options: {
    type: { ...textOr("<type>", "feature", "feature, fix, chore or epic"), values: issueTypes },
    message: {
      ...textsIfGiven(
        "<text>",
        "title, then objective and criteria as Markdown; repeatable: a paragraph each",
      ),
      short: "m",
    },
    edit: flag("open the new file in $VISUAL or $EDITOR"),
    json,
  },
  examples: [
    'monoco issue create "Add a login page"',
    'monoco issue create --type fix "Logout hangs"',
    'monoco issue create -m "Add a login page" -m "Only members see /members." -m "- [ ] /members asks for a login"',
    "monoco issue create -",
  ],
  ends: ["conflict"],
  run: async (title, flags) => (await import("./create.ts")).create(title, flags),
});

const list = verb({
  name: "list",
  about: "the open issues, or those that fit",
  args: keywords,
  options: { ...filters, all: flag("closed and backlog ones too") },
  examples: ["monoco issue list --ready", "monoco issue list login --stage draft,doing --tag ui"],
  run: async (wanted, flags) => (await import("./list.ts")).list(wanted, flags),
});

const board = verb({
  name: "board",
  about: "the issues by stage, in columns",
  args: keywords,
  options: {
    ...filters,
    all: flag("all that are done, not only the last ones"),
    width: count("<n>", "columns of the terminal"),
  },
  examples: ["monoco issue board", "monoco issue board --type fix --width 120"],
  run: async (wanted, flags) => (await import("./list.ts")).board(wanted, flags),
});

const show = verb({
  name: "show",
  about: "one issue, the kinds of its criteria, its children, and what it waits for",
  args: id,
  options: { json: flag("print it parsed, as JSON") },
  examples: ["monoco issue show FEAT-0001"],
  run: async (issue, flags) => (await import("./issues.ts")).show(issue, flags),
});

const lint = verb({
  name: "lint",
  about: "what is wrong with the issues: file, line, remedy",
  args: [["[ID...]"]],
  options: {
    fix: flag("repair checkboxes and ids that two issues share; change no other byte"),
    dryRun: { ...dryRun, about: "show what --fix would change, and change nothing" },
    kinds: flag(
      "the kind of evidence that each criterion of open issues asks for, and whether it is guessed",
    ),
    json,
  },
  examples: ["monoco issue lint", "monoco issue lint FEAT-0001 --fix --dry-run", "monoco issue lint --kinds"],
  run: async (ids, flags) => (await import("./lint.ts")).lint(ids, flags),
});

/** A command that changes an issue's file here, without a relay. */
function step(name: StepName, about: string): Verb {
  return verb({
    name,
    about,
    args: [["<ID...>", "issues, as FEAT-0001"]],
    options: { json },
    examples: [`monoco issue ${name} FEAT-0001`],
    run: async (ids, flags) => (await import("./step.ts")).step(name, ids, flags),
  });
}

function closingStep(name: StepName, about: string): Verb {
  return verb({
    ...step(name, about),
    args: [["<ID...>", "issues, as FEAT-0001"]],
    options: { json, force: flag("also a parent whose children are open") },
    run: async (ids, flags) => (await import("./step.ts")).step(name, ids, flags),
  });
}

const submit = verb({
  name: "submit",
  about: "put the commit that is checked out up for review",
  args: id,
  options: {
    byHand: flag("without a relay: say in its file that the work is up for review"),
    remote: elsewhere,
    json,
  },
  examples: ["monoco issue submit", "monoco issue submit FEAT-0001 --by-hand"],
  run: async (issue, flags) => (await import("./submit.ts")).submit(issue, flags),
});

const review = verb({
  name: "review",
  about: "a submission's dossier; with --approve or --request-changes, a person's verdict",
  args: [["[ID...]", "several with --approve"]],
  options: {
    next: flag("what waits for your verdict, one after the other"),
    show: flag("the dossier (also without any flag)"),
    approve: flag("it may be merged"),
    run: flagOff("record the approval, and do not go on to the merge"),
    detach: flag("an approval goes on to the merge in the background"),
    requestChanges: flag("it goes back to an Executor"),
    edit: flag("write what has to change beneath the lines of the diff, in $VISUAL or $EDITOR"),
    message: {
      ...textsIfGiven("<text>", "what has to change, or a remark; src/a.ts:12: … names a line; repeatable"),
      short: "m",
    },
    remote: elsewhere,
    submission: count("<n>", "the submission that the verdict is about: refused if it is not the last one"),
    stat: flag("without the diff: its files alone"),
    file: texts("<path>", "only the changes of this file or folder; repeatable"),
    json: flag("print JSON; an approval does not go on then"),
  },
  examples: [
    "monoco issue review FEAT-0001",
    "monoco issue review FEAT-0001 --approve",
    "monoco issue review --next",
    "monoco issue review FEAT-0001 --edit",
    'monoco issue review FEAT-0001 --request-changes -m "The button needs a label."',
  ],
  run: async (ids, flags) => {
    if (flags.remote) return (await import("../there/tell.ts")).reviewThere(ids, flags);
    if (flags.next) return (await import("./review-next.ts")).reviewNext(ids, flags);
    return (await import("./review.ts")).review(ids, flags);
  },
});

const escaped = verb({
  name: "escaped",
  about: "say that what was merged for an issue was wrong; monoco report --escapes counts it",
  args: [["<ID>"]],
  options: { message: { ...requiredText("<text>", "what was wrong"), short: "m" }, json },
  examples: ['monoco issue escaped FEAT-0001 -m "The total is wrong for refunds."'],
  run: async (issue, flags) => (await import("./escaped.ts")).escaped(issue, flags),
});

const intake = verb({
  name: "intake",
  about: "let an issue of GitHub or GitLab in that a person has labelled, by a pull request: docs/fleet.md",
  options: { event: requiredText("<file>", "the event, as GitHub and GitLab hand it to a job"), json },
  examples: ['monoco issue intake --event "$GITHUB_EVENT_PATH"'],
  ends: ["conflict", "later"],
  run: async (flags) => (await import("./intake.ts")).intake(flags),
});

export const issue: Group = {
  name: "issue",
  about: "issues, and the steps of their life",
  verbs: [
    create,
    list,
    board,
    show,
    lint,
    step("start", "draft → doing"),
    step("stop", "doing → draft"),
    closingStep("close", "review → closed, implemented: done by hand"),
    closingStep("cancel", "close it as cancelled"),
    closingStep("wontfix", "close it as wontfix"),
    closingStep("duplicate", "close it as a duplicate"),
    step("push", "put it into the backlog"),
    step("pull", "take it out of the backlog"),
    step("reopen", "open a closed one again, as a draft"),
    submit,
    review,
    escaped,
    intake,
  ],
};

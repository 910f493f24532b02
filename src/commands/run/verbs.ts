/** The commands that run relays: run, loop, demo. */
import { languages } from "../../core/language/translate.ts";
import { MonocoError } from "../../core/error/error.ts";
import { isText } from "../../core/issue/name.ts";
import { database, runEnds, running, runningIssues } from "../options.ts";
import { count, flag, flagIfGiven, text, textsIfGiven, verb } from "../verb.ts";
import { t } from "../../core/language/translate.ts";

export const demo = verb({
  name: "demo",
  about: "the whole story in a temporary repository, with the scripted agent; no key, no network",
  options: {
    language: {
      ...text("<language>", "of its story: en or zh; that of the command without it"),
      values: languages,
    },
    folder: text("<folder>", "a folder, new or empty, to use instead of a new temporary folder"),
    setUpOnly: flag("make the repository and stop there"),
  },
  examples: ["monoco demo", "monoco demo --language zh --folder demo --set-up-only"],
  ends: ["person", "interrupted"],
  run: async (flags) => (await import("../demo/demo.ts")).demo(flags),
});

export const run = verb({
  name: "run",
  about: "run the relay of one issue or several until merged or a person is needed",
  args: [["[ID...]", "issues, as FEAT-0001; or a text in quotes, of which an agent makes an issue"]],
  options: {
    yes: { ...flag("with a text: commit the issue and run it without asking"), short: "y" },
    all: flag("all open issues, by their dependencies and priority; waits for usage limits"),
    ignoreDependencies: flag("begin an issue though what it depends on is not done"),
    withoutCriteria: flag("run an issue that has no acceptance criteria"),
    update: flag("first fast-forward the base to its upstream, as last fetched"),
    until: text("<time>", "begin no session after 07:30, 2026-11-23T07:30, or 8h from now"),
    watch: flag("with --all: when all is done, wait for new issues, answers, approvals, and pull requests"),
    remote: flag(
      "as one of several machines: take a lease on the remote, go on with what is there, push as it goes",
    ),
    fleet: flag("with --all: share the backlog with the workers of a fleet, in their database"),
    database,
    dryRun: flag("show what would run, by whom and within what, and change nothing"),
    ...runningIssues,
  },
  examples: [
    "monoco run FEAT-0001",
    'monoco run "Fix the login page"',
    "monoco run --all -j 2",
    "monoco run --all --dry-run",
    "monoco run --all --until 8h",
    "monoco run --all --watch",
    "monoco run --all --detach",
    "monoco run FEAT-0001 --remote --until 5h",
    "monoco run --all --fleet",
    "monoco run FEAT-0001 --agent codex --set limits.sessionsMax=5",
  ],
  ends: runEnds,
  run: async (ids, flags) => {
    if (ids.some(isText)) return (await import("./text.ts")).runText(ids, flags);
    if (flags.yes) throw yesNeedsText();
    return flags.dryRun
      ? (await import("./dry-run.ts")).dryRun(ids, flags)
      : (await import("./run.ts")).run(ids, { ...flags, resume: false });
  },
});

function yesNeedsText(): MonocoError {
  return new MonocoError("input", t`--yes goes with a text: issues that are there are run without asking`, {
    hint: t`leave --yes out, or quote the whole text`,
  });
}

export const loop = verb({
  name: "loop",
  about: "give one prompt to fresh sessions until its promise is given and its checks pass",
  args: [["[PROMPT.md]", "a file with the prompt; its front matter may hold what the options say"]],
  options: {
    template: {
      ...text("<name>", "a prompt that comes with monoco: coverage, duplicates, lint, entropy"),
      values: ["coverage", "duplicates", "lint", "entropy"],
    },
    promise: text("<word>", "the word inside <promise>…</promise> that says all is done (COMPLETE)"),
    max: count("<n>", "sessions at most (20)"),
    verify: textsIfGiven("<command>", "a check that has to pass; repeatable"),
    review: flagIfGiven("review the work, and merge it; without it, the work is left on a branch"),
    ...running,
    json: flag("print a report as JSON"),
  },
  examples: ['monoco loop PROMPT.md --verify "npm test"', "monoco loop --template coverage --max 5"],
  ends: runEnds,
  run: async (file, flags) => (await import("./loop.ts")).loop(file, flags),
});

/** Every command of monoco, in the order of the help. */
import { languages } from "../core/language/translate.ts";
import { agent } from "./agent/verbs.ts";
import { exporting, importing } from "./exchange/verbs.ts";
import { hook } from "./hook/verbs.ts";
import { issue } from "./issue/verbs.ts";
import { id, json, set } from "./options.ts";
import { relay, replay, stats } from "./relay/verbs.ts";
import { fleet, worker } from "./fleet/verbs.ts";
import { demo, loop, run } from "./run/verbs.ts";
import { count, countOr, flag, flagOff, text, textOr, verb } from "./verb.ts";
import type { Group, Verb } from "./verb.ts";

const init = verb({
  name: "init",
  about: "write monoco.yaml, issues/ and a block in AGENTS.md; changes nothing that is there",
  options: {
    language: { ...textOr("<language>", "en", "en or zh"), values: languages },
    ci: {
      ...text("<service>", "instead, the workflow files for CI runners as workers: github or gitlab"),
      values: ["github", "gitlab"],
    },
    force: flag("with --ci: replace files that somebody has changed"),
    json,
  },
  examples: ["monoco init", "monoco init --language zh", "monoco init --ci github"],
  run: async ({ ci, ...flags }) =>
    ci === undefined
      ? (await import("./init.ts")).init(flags)
      : (await import("./ci/init-ci.ts")).initCi(ci, flags),
});

const plan = verb({
  name: "plan",
  about: "which issues of the base a worker can begin now, urgent ones first",
  args: [["[ID...]", "only these, also if their relay waits for a person"]],
  options: {
    remote: flag("by the relays of the remote; so where `remote.runs` is set"),
    max: countOr("<n>", 256, "issues at most, which is what a matrix of GitHub takes"),
    ids: flag("print nothing but the ids, one a line"),
    json: flag("print JSON, as the matrix of a workflow"),
  },
  examples: ["monoco plan", "monoco plan --remote --json"],
  ends: ["later"],
  run: async (ids, flags) => (await import("./ci/plan.ts")).plan(ids, flags),
});

const inbox = verb({
  name: "inbox",
  about: "show what needs you and what is running, waiting and done (the default command)",
  options: {
    all: flag("all that needs you, more than a screen of it too"),
    approvals: flag("only what waits for your approval"),
    questions: flag("only what asks"),
    stuck: flag("only what is blocked for another reason"),
    idle: flag("only what could go on and is run by nobody"),
    ids: flag("print nothing but the ids, one a line"),
    everywhere: flag("of all repositories in which monoco ran on this machine"),
    remote: flag("of the relays on the remote, and who holds each: docs/remote.md#messages-by-refs"),
    json,
  },
  examples: ["monoco", "monoco inbox --all", "monoco inbox --approvals --ids", "monoco inbox --everywhere"],
  run: async (flags) => (await import("./inbox.ts")).inbox(flags),
});

const watch = verb({
  name: "watch",
  about: "the same live and full screen: what needs you first, with a key for each thing to do about it",
  options: { everywhere: flag("of all repositories in which monoco ran on this machine") },
  examples: ["monoco watch", "monoco watch --everywhere"],
  ends: ["interrupted"],
  run: async (flags) => (await import("./watch/watch.ts")).watch(flags),
});

const dashboard = verb({
  name: "dashboard",
  about: "the inbox, reviews and relays in your browser, on this machine only",
  options: {
    port: count("<n>", "the port; any that is free without it"),
    everywhere: flag("of all repositories in which monoco ran on this machine"),
  },
  examples: ["monoco dashboard", "monoco dashboard --port 8420"],
  run: async (flags) => (await import("./dashboard/dashboard.ts")).dashboard(flags),
});

const report = verb({
  name: "report",
  about: "what was asked, done, decided and spent, with the evidence, and how to undo it; as Markdown",
  args: [["[ID]", "all relays without it"]],
  options: {
    since: text("<date>", "only relays to which something happened then or later, as 2026-11-21"),
    html: text("<file>", "write one HTML file that loads nothing, with the timeline"),
    escapes: flag("instead, which merges were later reverted, reopened, repaired or marked as wrong"),
    json,
  },
  examples: [
    "monoco report FEAT-0001",
    "monoco report --since 2026-11-21",
    "monoco report --html report.html",
    "monoco report --escapes",
  ],
  run: async (issue, flags) => (await import("./report.ts")).report(issue, flags),
});

const verify = verb({
  name: "verify",
  about: "compare merges with their records, and run their evidence again, on any clone",
  args: [["[COMMIT]", "a commit or a range A..B; HEAD without it"]],
  options: {
    run: flagOff("compare only, and run no command"),
    trustedOnly: flag(
      "run only what an allowed signer signed, or what the base's own monoco.yaml and issue name; so where CI is set",
    ),
    signers: text("<file>", "the allowed signers, instead of git's gpg.ssh.allowedSignersFile"),
    json,
  },
  examples: ["monoco verify --no-run", "monoco verify main~10..main", "monoco verify HEAD --trusted-only"],
  ends: ["person", "interrupted"],
  run: async (commit, flags) => (await import("./verify.ts")).verify(commit, flags),
});

const learnings = verb({
  name: "learnings",
  about: "what merged relays learned of the repository; with --promote, for AGENTS.md",
  args: [["[NUMBER...]", "entries of the list"]],
  options: {
    promote: flag("write them into AGENTS.md, for a person to commit"),
    drop: flag("give them to no session any more"),
    json,
  },
  examples: ["monoco learnings", "monoco learnings 1 2 --promote", "monoco learnings 3 --drop"],
  ends: ["conflict"],
  run: async (numbers, flags) => (await import("./learnings.ts")).learnings(numbers, flags),
});

const why = verb({
  name: "why",
  about: "who made a line of a file, for which issue, and what guards it",
  args: [["<file>", "FILE, FILE:LINE or FILE:FROM-TO"]],
  options: { json },
  examples: ["monoco why src/login.ts:12", "monoco why src/login.ts:12-20 --json"],
  run: async (place, flags) => (await import("./why.ts")).why(place, flags),
});

const config: Group = {
  name: "config",
  about: "the settings",
  verbs: [
    verb({
      name: "show",
      about: "each setting with its value and where that comes from",
      options: { set: { ...set, about: "as a run would take it; repeatable" }, json },
      examples: ["monoco config show", "monoco config show --set limits.sessionsMax=5"],
      run: async (flags) => (await import("./config-show.ts")).show(flags),
    }),
  ],
};

const check = verb({
  name: "check",
  about: "run the contract's checks here and now",
  args: id,
  options: {
    fresh: flag(
      "run set-up and checks in a fresh clone of the base, as a relay finds them before its first session",
    ),
    json,
  },
  examples: ["monoco check", "monoco check FEAT-0001", "monoco check --fresh"],
  ends: ["person", "interrupted"],
  run: async (of, flags) => (await import("./check.ts")).check(of, flags),
});

const doctor = verb({
  name: "doctor",
  about: "what is wrong here and how to fix it: the machine, the agents, the repository, its relays",
  options: {
    fix: flag("fix what loses nothing: orphaned processes, and the clones that reviews left"),
    ci: flag("also what a CI runner needs of this checkout and machine to work on relays"),
    json,
  },
  examples: ["monoco doctor", "monoco doctor --fix", "monoco doctor --ci"],
  ends: ["person", "agent"],
  run: async (flags) => (await import("./doctor.ts")).doctor(flags),
});

const completion = verb({
  name: "completion",
  about: "print a script that completes commands, options and ids; bash, zsh or fish",
  args: [["<shell>"]],
  examples: ["monoco completion bash", "monoco completion zsh", "monoco completion fish"],
  run: async (shell) => (await import("./completion.ts")).completion(shell, verbs),
});

export const verbs: readonly (Verb | Group)[] = [
  inbox,
  watch,
  dashboard,
  init,
  demo,
  run,
  loop,
  plan,
  worker,
  fleet,
  relay,
  issue,
  agent,
  config,
  report,
  verify,
  why,
  learnings,
  stats,
  replay,
  importing,
  exporting,
  check,
  doctor,
  completion,
  hook,
];

/** The commands of `monoco relay`, and those that read journals. */
import { elsewhere, id, json, runEnds, runningIssues, session } from "../options.ts";
import { countOr, flag, requiredNumber, requiredText, text, textsIfGiven, texts, verb } from "../verb.ts";
import type { Group } from "../verb.ts";

const prepare = verb({
  name: "prepare",
  about:
    "hand over: writes RALPH.md, or checks the one that is there; in a session that monoco runs, or in your own on a branch of the issue",
  args: [["[ID]", "outside a session: the branch's, or the only one, without it"]],
  options: { reason: text("<reason>", "context_limit, timeout or failure"), json },
  examples: [
    "monoco relay prepare",
    "monoco relay prepare --reason context_limit",
    "monoco relay prepare FEAT-0001",
  ],
  run: async (issue, flags) => (await import("./prepare.ts")).prepare(issue, flags),
});

const status = verb({
  name: "status",
  short: true,
  about: "what a relay is doing, why, and what happens next",
  args: [["[ID]", "all relays without it, a line each"]],
  options: {
    all: flag("without an ID: those that are merged, too"),
    remote: flag("of the relays on the remote, and who holds each: docs/remote.md#messages-by-refs"),
    json,
  },
  examples: ["monoco status", "monoco status FEAT-0001 --json"],
  ends: ["later"],
  run: async (issue, flags) => (await import("./status.ts")).status(issue, flags),
});

const resume = verb({
  name: "resume",
  short: true,
  about: "go on with a relay from where it was",
  args: [["[ID...]", "the one that is open without it"]],
  options: runningIssues,
  examples: ["monoco resume FEAT-0001", "monoco resume FEAT-0001 --set limits.sessionsMax=40"],
  ends: runEnds,
  run: async (ids, flags) => (await import("../run/run.ts")).run(ids, { ...flags, resume: true }),
});

const stop = verb({
  name: "stop",
  short: true,
  about: "end the running session with a handoff, and pause",
  args: id,
  options: {
    all: flag("instead: end the run in the background with all its relays, as Ctrl-C does"),
    remote: elsewhere,
    json,
  },
  examples: ["monoco stop FEAT-0001", "monoco stop --all"],
  ends: ["person", "conflict", "later"],
  run: async (issue, flags) =>
    flags.all
      ? (await import("../background/stop-all.ts")).stopAll(issue, flags)
      : (await import("./control.ts")).stop(issue, flags),
});

const show = verb({
  name: "show",
  short: true,
  about: "print a handoff: the last one, or that of a session",
  args: id,
  options: { session, json },
  examples: ["monoco show FEAT-0001", "monoco show FEAT-0001 --session 2"],
  run: async (issue, flags) => (await import("./control.ts")).show(issue, flags),
});

const log = verb({
  name: "log",
  short: true,
  about: "what has happened: an event a line, newest last",
  args: [["[ID]", "the output of the last run in the background without it"]],
  options: {
    last: { ...countOr("<n>", 50, "how many lines"), short: "n" },
    follow: { ...flag("print more as it comes, until the run ends"), short: "f" },
    json: flag("print each event as the journal has it, one a line: docs/journal.md"),
  },
  examples: ["monoco log FEAT-0001", "monoco log FEAT-0001 -n 10 --json", "monoco log -f"],
  run: async (issue, flags) => (await import("../background/log.ts")).log(issue, flags),
});

const attach = verb({
  name: "attach",
  short: true,
  about: "what the agent of the running session prints, as it comes, until that session ends",
  args: id,
  options: { last: { ...countOr("<n>", 20, "how many of the lines that are there already"), short: "n" } },
  examples: ["monoco attach FEAT-0001"],
  run: async (issue, flags) => (await import("../background/attach.ts")).attach(issue, flags),
});

const diff = verb({
  name: "diff",
  short: true,
  about: "what its work changes against the base that it began at",
  args: id,
  options: {
    stat: flag("only how much, by file"),
    file: texts("<path>", "only of this file or folder; repeatable"),
  },
  examples: ["monoco diff FEAT-0001", "monoco diff FEAT-0001 --stat --file src"],
  run: async (issue, flags) => (await import("./diff.ts")).diff(issue, flags),
});

const explain = verb({
  name: "explain",
  short: true,
  about: "why it did what it did: each decision with its reason, its numbers and the setting that changes it",
  args: id,
  options: { session: { ...session, about: "only what is about this session" }, json },
  examples: ["monoco explain FEAT-0001", "monoco explain FEAT-0001 --session 2"],
  run: async (issue, flags) => (await import("./explain.ts")).explainRelay(issue, flags),
});

const clear = verb({
  name: "clear",
  about: "end a relay: its clones are removed, its journal and its work are kept",
  args: id,
  options: {
    force: flag("remove a branch with unmerged work too; with --refs, unmerged work under refs"),
    refs: flag("drop the refs of a finished relay instead: its sessions' commits and the journal's copy"),
    json,
  },
  examples: ["monoco relay clear FEAT-0001"],
  ends: ["conflict"],
  run: async (issue, flags) => (await import("./control.ts")).clear(issue, flags),
});

const answer = verb({
  name: "answer",
  short: true,
  about:
    "answer a relay's question; the answer goes to every later session, and to the running one if its agent accepts messages",
  args: [["<ID>", "may be left out where one relay is open"], ["[text]"]],
  options: { remote: elsewhere, json },
  examples: ['monoco answer FEAT-0001 "Keep the old name."'],
  ends: ["person", "conflict", "later"],
  run: async (issue, text, flags) => (await import("./say.ts")).answer(issue, text, flags),
});

const say = verb({
  name: "say",
  short: true,
  about:
    "send a relay a message; it goes to every later session, and to the running one if its agent accepts messages",
  args: [["<ID>", "may be left out where one relay is open"], ["[text]"]],
  options: { remote: elsewhere, json },
  examples: ['monoco say FEAT-0001 "The staging database is down today."'],
  ends: ["person", "conflict", "later"],
  run: async (issue, text, flags) => (await import("./say.ts")).say(issue, text, flags),
});

const ask = verb({
  name: "ask",
  about: "in a session: ask what only a person can decide",
  args: [["<question>"]],
  examples: ['monoco relay ask "Which of the two formats do we keep?"'],
  run: async (question) => (await import("./ask.ts")).ask(question),
});

const extend = verb({
  name: "extend",
  about: "in a session: ask for more time",
  options: { minutes: requiredNumber("<n>", "how many"), because: requiredText("<why>", "what for") },
  examples: ['monoco relay extend --minutes 10 --because "the last test is slow"'],
  run: async (flags) => (await import("./extend.ts")).extend(flags),
});

const carrying = {
  all: flag("all relays"),
  json,
};

const push = verb({
  name: "push",
  about: "send the head and the submissions to the remote, after a scan for secrets: docs/remote.md",
  args: [["[ID...]", "the one that is open without it"]],
  options: {
    allow: texts("<object>", "an object that the scan named, and that holds no secret; repeatable"),
    ...carrying,
  },
  examples: ["monoco relay push FEAT-0001", "monoco relay push --all"],
  ends: ["person", "conflict", "later", "interrupted"],
  run: async (ids, flags) => (await import("./carry.ts")).push(ids, flags),
});

const pull = verb({
  name: "pull",
  about: "bring what another clone pushed, where this one has not gone on; the next run begins with it",
  args: [["[ID...]", "the one that is open without it"]],
  options: {
    take: {
      ...text("<side>", "where both clones went on: theirs or mine; the other one is kept under refs"),
      values: ["theirs", "mine"],
    },
    ...carrying,
  },
  examples: ["monoco relay pull FEAT-0001", "monoco relay pull --all"],
  ends: ["person", "conflict", "later", "interrupted"],
  run: async (ids, flags) => (await import("./carry.ts")).pull(ids, flags),
});

const comments = verb({
  name: "comments",
  about: "take /monoco answer, approve and the like from comments on issues and pull requests: docs/fleet.md",
  args: [["[ID...]", "all relays on the remote that are open without it"]],
  options: {
    event: text("<file>", "only the comment of this event, as GitHub and GitLab hand it to a job"),
    json,
  },
  examples: ["monoco relay comments", 'monoco relay comments --event "$GITHUB_EVENT_PATH"'],
  ends: ["conflict", "later"],
  run: async (ids, flags) => (await import("./comments.ts")).comments(ids, flags),
});

export const relay: Group = {
  name: "relay",
  about: "the relay of an issue",
  verbs: [
    prepare,
    status,
    resume,
    stop,
    show,
    log,
    attach,
    diff,
    explain,
    clear,
    push,
    pull,
    answer,
    say,
    comments,
    ask,
    extend,
  ],
};

export const stats = verb({
  name: "stats",
  about:
    "how the sessions of this repository went: success, duration, ends, handoffs, cost, by agent and role",
  options: {
    since: text("<date>", "only what began then or later, as 2026-11-21"),
    json,
  },
  examples: ["monoco stats --since 2026-11-21"],
  run: async (flags) => (await import("./stats.ts")).stats(flags),
});

export const replay = verb({
  name: "replay",
  about: "what other thresholds would have decided on recorded journals, session by session",
  args: [["[ID...]", "all relays of the repository without it"]],
  options: {
    journals: textsIfGiven(
      "<folder...>",
      "repositories, or folders with journals, instead of this repository",
    ),
    policy: requiredText("<file>", "thresholds to try, as in monoco.yaml"),
    json,
  },
  examples: ["monoco replay --policy calm.yaml"],
  run: async (ids, flags) => (await import("./replay.ts")).replayJournals(ids, flags),
});

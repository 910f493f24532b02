/** The command line: names the verbs, loads each when it is called, and turns every error into words and an exit code. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { MonocoError } from "./core/error/error.ts";
import { io, within } from "./io/io.ts";
import type { Io } from "./io/io.ts";

/**
 * Runs `monoco ARGV` and resolves to its exit code. What is left out of `surroundings` is the process's own. Hooks and
 * `--version` run often and have to be quick: they load neither commander nor zod.
 */
export async function main(argv: readonly string[], surroundings?: Partial<Io>): Promise<number> {
  const run = (): Promise<number> => carryOut(argv).catch(fail);
  return surroundings ? within(surroundings, run) : run();
}

async function carryOut(argv: readonly string[]): Promise<number> {
  if (argv[0] === "hook" && !argv[1]?.startsWith("-"))
    return (await import("./commands/hook.ts")).hook(argv[1]);
  if (argv.length === 1 && ["--version", "-v"].includes(argv[0] ?? "")) {
    io().stdout.write(`${version()}\n`);
    return 0;
  }
  return parse(argv);
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

async function parse(argv: readonly string[]): Promise<number> {
  const { Command, CommanderError } = await import("commander");
  let code = 0;
  const program = new Command("monoco")
    .description(
      "A relay orchestrator for coding agents: sessions hand over, a Reviewer decides, git merges.",
    )
    .version(version(), "-v, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(monoco --help lists the commands)")
    .addHelpText("after", `\nShort for monoco relay …: monoco ${relayShort.join("|")}`)
    .configureOutput({
      writeOut: (text) => io().stdout.write(text),
      writeErr: (text) => io().stderr.write(text),
      getOutHelpWidth: () => (io().stdout.isTTY ? (io().stdout.columns ?? 80) : 80),
      getErrHelpWidth: () => (io().stderr.isTTY ? (io().stderr.columns ?? 80) : 80),
    })
    .exitOverride()
    .enablePositionalOptions();
  nameVerbs(program, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(spelledOut(argv), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** Verbs of `monoco relay` that work without the word `relay`. */
const relayShort: readonly string[] = ["status", "log", "explain", "stop", "say", "answer", "resume", "show"];

function spelledOut([verb = "", ...rest]: readonly string[]): string[] {
  return relayShort.includes(verb) ? ["relay", verb, ...rest] : verb === "" ? rest : [verb, ...rest];
}

type Ended = (code: number) => void;

function nameVerbs(program: Command, ended: Ended): void {
  program
    .command("init")
    .description("monoco.yaml, issues/, a block in AGENTS.md; changes nothing that is there")
    .option("--language <language>", "en or zh", "en")
    .option("--json", "print JSON", false)
    .action(async (flags) => ended(await (await import("./commands/init.ts")).init(flags)));
  program
    .command("demo")
    .description("the whole story in a temp repository, with the scripted agent; no key, no network")
    .option("--language <language>", "en or zh", "en")
    .option("--folder <folder>", "a folder, new or empty, to use instead of a new temp folder")
    .option("--set-up-only", "make the repository and stop there", false)
    .action(async (flags) => ended(await (await import("./commands/run/demo.ts")).demo(flags)));
  program
    .command("run")
    .description(
      "run the relay of one issue or several, in the foreground, until merged or a person is needed",
    )
    .argument("[ID...]", "issues, as FEAT-0001")
    .option("--all", "all open issues, by their dependencies and priority", false)
    .option("--ignore-dependencies", "begin an issue though what it depends on is not done", false)
    .option("--without-criteria", "run an issue that has no acceptance criteria", false)
    .option("-j, --jobs <n>", "relays at once", ordinal("--jobs"), 3)
    .option("--agent <name>", "play the Executor by this agent")
    .option("--set <key=value>", "a setting for this run, as limits.sessionsMax=5; repeatable", collect, [])
    .option(
      "--policy <file>",
      "thresholds for this run; named twice, each issue gets one of them",
      collect,
      [],
    )
    .option("--follow-ups", "after the merge, make issues of what the Reviewers found beside", false)
    .option("--once", "one session, then ask", false)
    .option("--wait", "wait for usage limits at a terminal too", false)
    .option("--json", "print a report of each relay as JSON", false)
    .action(async (ids, flags) =>
      ended(await (await import("./commands/run/run.ts")).run(ids, { ...flags, resume: false })),
    );
  program
    .command("loop")
    .description("give one prompt to fresh sessions until its promise is given and its checks pass")
    .argument("[PROMPT.md]", "a file with the prompt; its front matter may hold what the options say")
    .option("--template <name>", "a prompt that comes with monoco: coverage, duplicates, lint, entropy")
    .option("--promise <word>", "what stands in <promise>…</promise> when all is done (COMPLETE)")
    .option("--max <n>", "sessions at most (20)", ordinal("--max"))
    .option("--verify <command>", "a check that has to pass; may be given several times", collect)
    .option("--review", "review the work, and merge it; else it is left on a branch")
    .option("--agent <name>", "play it by this agent")
    .option(
      "--set <key=value>",
      "a setting for this loop, as limits.sessionMinutes=5; repeatable",
      collect,
      [],
    )
    .option("--once", "one session, then ask", false)
    .option("--wait", "wait for usage limits at a terminal too", false)
    .option("--json", "print a report as JSON", false)
    .action(async (file, flags) => ended(await (await import("./commands/run/loop.ts")).loop(file, flags)));
  nameRelayVerbs(
    program
      .command("relay")
      .description(
        "the relay of an issue: prepare, status, resume, stop, show, log, explain, ask, answer, say, clear",
      ),
    ended,
  );
  nameIssueVerbs(
    program
      .command("issue")
      .description("issues: create, list, board, show, lint, submit, review, and the steps of their life"),
    ended,
  );
  nameAgentVerbs(program.command("agent").description("the agents: list, probe"), ended);
  program
    .command("config")
    .description("the settings: show")
    .command("show")
    .description("each setting with its value and where that comes from")
    .option("--set <key=value>", "as a run would take it; repeatable", collect, [])
    .option("--json", "print JSON", false)
    .action(async (flags) => ended(await (await import("./commands/config-show.ts")).show(flags)));
  program
    .command("stats")
    .description(
      "how the sessions of this repository went: success, duration, ends, handoffs, cost, by agent and role",
    )
    .option("--since <date>", "only what began then or later, as 2026-11-21")
    .option("--by <what>", "policy: compare the policy files that relays were run under")
    .option("--json", "print JSON", false)
    .action(async (flags) => ended(await (await import("./commands/relay/stats.ts")).stats(flags)));
  program
    .command("replay")
    .description("what other thresholds would have decided on recorded journals, session by session")
    .argument("[ID...]", "all relays of the repository without it")
    .option("--journals <folder...>", "repositories, or folders with journals, instead of this repository")
    .option("--policy <file>", "thresholds to try, as in monoco.yaml; twice to compare two", collect, [])
    .option("--label <id=truth>", "FEAT-0001=done, or not-done; repeatable", collect, [])
    .option("--fit", "propose the thresholds that would have been right most often", false)
    .option("--out <file>", "write what --fit proposes to a new policy file")
    .option("--json", "print JSON", false)
    .action(async (ids, flags) =>
      ended(await (await import("./commands/relay/replay.ts")).replayJournals(ids, flags)),
    );
  program
    .command("import")
    .description(
      "make issues of prd.json, fix_plan.md, TODO.md, GitHub's issues, or JSON lines of any tracker",
    )
    .argument("<source>", "a .json, .md or .jsonl file, github, or - for JSON lines on standard input")
    .argument("[which]", "with github: an issue's number, or a label")
    .option("--all", "what is done at the source too, closed", false)
    .option("--update", "write anew what has changed at the source and is still as it was imported", false)
    .option("--as <name>", "what the source is called in the issues, instead of its path")
    .option("--dry-run", "show what would be written, and write nothing", false)
    .option("--json", "print JSON", false)
    .action(async (source, which, flags) =>
      ended(await (await import("./commands/exchange/import.ts")).importFrom(source, which, flags)),
    );
  program
    .command("export")
    .description("write into prd.json, as passes, which of its stories are merged")
    .argument("<file>", "a prd.json that was imported")
    .option("--as <name>", "what it was called when it was imported")
    .option("--dry-run", "show what would be written, and write nothing", false)
    .option("--json", "print JSON", false)
    .action(async (file, flags) =>
      ended(await (await import("./commands/exchange/export.ts")).exportTo(file, flags)),
    );
  program
    .command("check")
    .description("run the contract's checks here and now")
    .argument("[ID]")
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/check.ts")).check(id, flags)));
  program
    .command("hook")
    .description("called by an agent's hooks: on-stop, on-tool, on-session-start")
    .argument("<name>")
    .action(async (name) => ended(await (await import("./commands/hook.ts")).hook(name)));
}

function nameAgentVerbs(agent: Command, ended: Ended): void {
  agent
    .command("list")
    .description(
      "which agents are found here, in which version, logged in or not, and the roles that they play",
    )
    .option("--json", "print JSON", false)
    .action(async (flags) => ended(await (await import("./commands/agent/list.ts")).list(flags)));
  agent
    .command("probe")
    .description("try what an installed agent CLI can do, before a scripted model; no key, no network")
    .argument("[AGENT]", "claude, codex …; all that are installed without it")
    .option("--live", "ask the model itself instead, with your own login: two short sessions, scored", false)
    .option("--model <model>", "with --live: the model to ask")
    .option("--json", "print JSON", false)
    .action(async (name, flags) =>
      ended(await (await import("./commands/agent/probe.ts")).probe(name, flags)),
    );
}

function nameRelayVerbs(relay: Command, ended: Ended): void {
  relay
    .command("prepare")
    .description("hand over: write RALPH.md, or check the one that is there")
    .option("--reason <reason>", "context_limit, timeout or failure")
    .option("--json", "print JSON", false)
    .action(async (flags) => ended(await (await import("./commands/relay/prepare.ts")).prepare(flags)));
  relay
    .command("status")
    .description("what a relay is doing, why, and what happens next")
    .argument("[ID]", "all relays without it")
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/relay/status.ts")).status(id, flags)));
  relay
    .command("resume")
    .description("go on with a relay from where it was")
    .argument("<ID...>")
    .option("-j, --jobs <n>", "relays at once", ordinal("--jobs"), 3)
    .option("--agent <name>", "play the Executor by this agent")
    .option("--set <key=value>", "a setting for this run, as limits.sessionsMax=5; repeatable", collect, [])
    .option(
      "--policy <file>",
      "thresholds for this run; named twice, each issue gets one of them",
      collect,
      [],
    )
    .option("--follow-ups", "after the merge, make issues of what the Reviewers found beside", false)
    .option("--once", "one session, then ask", false)
    .option("--wait", "wait for usage limits at a terminal too", false)
    .option("--json", "print a report of each relay as JSON", false)
    .action(async (ids, flags) =>
      ended(await (await import("./commands/run/run.ts")).run(ids, { ...flags, resume: true })),
    );
  relay
    .command("stop")
    .description("end the running session with a handoff, and pause")
    .argument("[ID]")
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/relay/control.ts")).stop(id, flags)));
  relay
    .command("show")
    .description("print a handoff: the last one, or that of a session")
    .argument("[ID]")
    .option("--session <n>", "the session's number", ordinal("--session"))
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/relay/control.ts")).show(id, flags)));
  relay
    .command("log")
    .description("what has happened: an event a line, newest last")
    .argument("[ID]")
    .option("-n, --last <n>", "how many events", ordinal("--last"), 50)
    .option("--json", "print each event as the journal has it, one a line: docs/journal.md", false)
    .action(async (id, flags) => ended(await (await import("./commands/relay/log.ts")).log(id, flags)));
  relay
    .command("explain")
    .description(
      "why it did what it did: each decision with its rule, its numbers and the setting that changes it",
    )
    .argument("[ID]")
    .option("--session <n>", "only what is about this session", ordinal("--session"))
    .option("--json", "print JSON", false)
    .action(async (id, flags) =>
      ended(await (await import("./commands/relay/explain.ts")).explainRelay(id, flags)),
    );
  relay
    .command("clear")
    .description("end a relay: its clones go, its journal and its work stay")
    .argument("[ID]")
    .option("--force", "remove a branch with unmerged work too", false)
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/relay/control.ts")).clear(id, flags)));
  relay
    .command("answer")
    .description("answer a relay's question: every later session is told, the running one if it can be")
    .argument("<ID>")
    .argument("<text>")
    .option("--json", "print JSON", false)
    .action(async (id, text, flags) =>
      ended(await (await import("./commands/relay/say.ts")).answer(id, text, flags)),
    );
  relay
    .command("say")
    .description("say something to a relay: every later session is told, the running one if it can be")
    .argument("<ID>")
    .argument("<text>")
    .option("--json", "print JSON", false)
    .action(async (id, text, flags) =>
      ended(await (await import("./commands/relay/say.ts")).say(id, text, flags)),
    );
  relay
    .command("ask")
    .description("in a session: ask what only a person can decide")
    .argument("<question>")
    .action(async (question) => ended((await import("./commands/relay/ask.ts")).ask(question)));
  relay
    .command("extend")
    .description("in a session: ask for more time")
    .requiredOption("--minutes <n>", "how many", positive("--minutes"))
    .requiredOption("--because <why>", "what for")
    .action(async (flags) => ended((await import("./commands/relay/extend.ts")).extend(flags)));
}

/** Steps in an issue's life, without a relay: they change its file here. */
const issueSteps = [
  ["start", "draft → doing"],
  ["stop", "doing → draft"],
  ["close", "review → closed, implemented: done by hand"],
  ["cancel", "close it as cancelled"],
  ["wontfix", "close it as wontfix"],
  ["duplicate", "close it as a duplicate"],
  ["push", "put it into the backlog"],
  ["pull", "take it out of the backlog"],
  ["reopen", "open a closed one again, as a draft"],
] as const;

/** Steps that close an issue. */
const closing: readonly string[] = ["close", "cancel", "wontfix", "duplicate"];

function nameIssueVerbs(issue: Command, ended: Ended): void {
  issue
    .command("create")
    .description("write a new issue from its type's template")
    .argument("<title>")
    .option("--type <type>", "feature, fix, chore or epic", "feature")
    .option("--json", "print JSON", false)
    .action(async (title, flags) =>
      ended(await (await import("./commands/issue/issues.ts")).create(title, flags)),
    );
  filtered(issue.command("list"))
    .description("the open issues, or those that fit")
    .option("--all", "closed and backlog ones too", false)
    .action(async (words, flags) =>
      ended(await (await import("./commands/issue/list.ts")).list(words, flags)),
    );
  filtered(issue.command("board"))
    .description("the issues by stage, in columns")
    .option("--all", "all that are done, not only the last ones", false)
    .option("--width <n>", "columns of the terminal", ordinal("--width"))
    .action(async (words, flags) =>
      ended(await (await import("./commands/issue/list.ts")).board(words, flags)),
    );
  issue
    .command("show")
    .description("one issue")
    .argument("[ID]")
    .option("--json", "print it parsed, as JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/issue/issues.ts")).show(id, flags)));
  issue
    .command("lint")
    .description("what is wrong with the issues: file, line, remedy")
    .argument("[ID...]")
    .option("--fix", "mend what is mechanical, and leave every other byte alone", false)
    .option("--dry-run", "show what --fix would change, and change nothing", false)
    .option("--json", "print JSON", false)
    .action(async (ids, flags) => ended(await (await import("./commands/issue/lint.ts")).lint(ids, flags)));
  for (const [name, words] of issueSteps) {
    const command = issue
      .command(name)
      .description(words)
      .argument("<ID...>", "issues, as FEAT-0001")
      .option("--json", "print JSON", false)
      .action(async (ids, flags) =>
        ended(await (await import("./commands/issue/step.ts")).step(name, ids, flags)),
      );
    if (closing.includes(name)) command.option("--force", "also a parent whose children are open", false);
  }
  issue
    .command("submit")
    .description("put the commit one stands on up for review")
    .argument("[ID]")
    .option("--json", "print JSON", false)
    .option("--by-hand", "without a relay: say in its file that the work is up for review", false)
    .action(async (id, flags) => ended(await (await import("./commands/issue/submit.ts")).submit(id, flags)));
  issue
    .command("review")
    .description("a submission's dossier; with --approve or --request-changes, a person's verdict")
    .argument("[ID]")
    .option("--show", "the dossier (also without any flag)", false)
    .option("--approve", "it may be merged", false)
    .option("--request-changes", "it goes back to an Executor", false)
    .option("-m, --message <text>", "what has to change, or a remark")
    .option("--json", "print JSON", false)
    .action(async (id, flags) => ended(await (await import("./commands/issue/review.ts")).review(id, flags)));
}

function filtered(command: Command): Command {
  return command
    .argument("[WORD...]", "only those whose file holds all of these words")
    .option("--status <status>", "open, closed or backlog; several with commas, here and below")
    .option("--stage <stage>", "draft, doing, review, done or freezed")
    .option("--type <type>", "feature, fix, chore or epic")
    .option("--tag <tag>", "any of these tags")
    .option("--parent <ID>", "the children of an issue")
    .option("--priority <priority>", "critical, high, medium, low …")
    .option("--criticality <criticality>", "low, medium, high or critical")
    .option("--ready", "open, and all that it depends on is done", false)
    .option("--json", "print JSON", false);
}

/** Of an option that may be given several times. */
function collect(word: string, before: readonly string[] = []): string[] {
  return [...before, word];
}

/** Reads the number of an option. */
type ReadNumber = (text: string) => number;

function positive(option: string): ReadNumber {
  return (text) => {
    const value = Number(text);
    if (value > 0 && Number.isFinite(value)) return value;
    throw new MonocoError("input", `${option}: expected a number above 0, got ${JSON.stringify(text)}`, {
      hint: `write it like ${option} 10 or ${option} 0.5`,
    });
  };
}

function ordinal(option: string): ReadNumber {
  return (text) => {
    const value = Number(text);
    if (value > 0 && Number.isSafeInteger(value)) return value;
    throw new MonocoError(
      "input",
      `${option}: expected a whole number above 0, got ${JSON.stringify(text)}`,
      {
        hint: `write it like ${option} 3`,
      },
    );
  };
}

/** Words and exit code of whatever was thrown. */
async function fail(error: unknown): Promise<number> {
  return (await import("./views/failure.ts")).tellFailure(error);
}

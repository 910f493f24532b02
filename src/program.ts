/** Makes a program of the commands' records: its help, and the one command that a command line names. */
import { Command, CommanderError, Option } from "commander";
import { flagOf } from "./commands/verb.ts";
import type { Group, Verb } from "./commands/verb.ts";
import { MonocoError } from "./core/error/error.ts";
import { nearest } from "./core/text/nearest.ts";
import { io } from "./io/io.ts";
import type { Usage } from "./usage.ts";
import { t, translated } from "./core/language/translate.ts";

type Program = {
  verbs: readonly (Verb | Group)[];
  version: string;
  /** Commander's own texts in a language other than English. */
  usage?: Usage;
};

/** Runs the program; resolves to the exit code. */
export async function runProgram(
  argv: readonly string[],
  { verbs, version, usage }: Program,
): Promise<number> {
  let code = 0;
  const ended = (result: number): void => {
    code = result;
  };
  const program = emptyProgram(version, usage);
  const shortFor = shortVerbs(verbs);
  const args = spelledOut(argv, shortFor);
  const called = verbsCalled(args, verbs);
  for (const one of called.length > 0 ? called : verbs) {
    if ("verbs" in one) addGroup(program, one, ended);
    else addVerb(program, one, ended);
  }
  for (const [group, names] of shortFor)
    program.addHelpText("after", t`\nShort for monoco ${group} …: monoco ${names.join("|")}`);
  refuseElsewhere(args, verbs);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** The one command with this exact name. Building all takes longer, and only help and misspelled names need the others. */
function verbsCalled([first, second]: readonly string[], verbs: Program["verbs"]): Program["verbs"] {
  return verbs.flatMap((one): Program["verbs"] => {
    if (one.name !== first) return [];
    if (!("verbs" in one)) return [one];
    const called = one.verbs.filter(({ name }) => name === second);
    return called.length > 0 ? [{ ...one, verbs: called }] : [];
  });
}

function emptyProgram(version: string, usage: Usage | undefined): Command {
  return new Command("monoco")
    .description(
      t`A relay orchestrator for coding agents: sessions hand over, a Reviewer decides, git merges.`,
    )
    .version(version, "-v, --version", t`output the version number`)
    .helpOption("-h, --help", t`display help for command`)
    .helpCommand("help [command]", t`display help for command`)
    .showSuggestionAfterError()
    .configureHelp(usage?.help ?? {})
    .configureOutput({
      outputError: (text, write) => write(hinted(text, usage)),
      writeOut: (text) => io().stdout.write(text),
      writeErr: (text) => io().stderr.write(text),
      getOutHelpWidth: () => (io().stdout.isTTY ? (io().stdout.columns ?? 80) : 80),
      getErrHelpWidth: () => (io().stderr.isTTY ? (io().stderr.columns ?? 80) : 80),
    })
    .exitOverride()
    .enablePositionalOptions();
}

type Ended = (code: number) => void;

function addGroup(program: Command, { name, about, verbs }: Group, ended: Ended): void {
  const names = verbs.map((verb) => verb.name).join(", ");
  const group = program.command(name).description(t`${translated(about)}: ${names}`);
  for (const verb of verbs) addVerb(group, verb, ended);
}

function addVerb(above: Command, verb: Verb, ended: Ended): void {
  const command = above.command(verb.name).description(translated(verb.about));
  for (const [name, about] of verb.args) command.argument(name, about && translated(about));
  for (const key of Object.keys(verb.options)) command.addOption(optionOf(verb, key));
  command.addHelpText("after", [`\n${t`Examples:`}`, ...verb.examples].join("\n  "));
  command.action(async (...given) => {
    const flags: object = given.at(-2);
    ended(await verb.run(...given.slice(0, -2), { ...unsetOf(verb), ...flags }));
  });
}

function optionOf({ options }: Verb, key: string): Option {
  const { about, required, unset, read } = options[key]!;
  const option = new Option(flagOf(options, key), translated(about)).makeOptionMandatory(required ?? false);
  if (read) option.argParser((text, before: unknown) => read(text, option.long ?? "", before));
  return typeof unset === "string" || typeof unset === "number" ? option.default(unset) : option;
}

/** Throws for a command of another level, or a nearly right one: commander looks on its own level only. */
function refuseElsewhere([first = "", second = ""]: readonly string[], verbs: Program["verbs"]): void {
  const top = verbs.map(({ name }) => name);
  const group = verbs.find((one): one is Group => "verbs" in one && one.name === first);
  const [word, level] = group ? [second, group.verbs.map(({ name }) => name)] : [first, top];
  if (!/^[a-z]/i.test(word) || word === "help" || level.includes(word)) return;
  const unknown = t`unknown command "${group ? `${first} ` : ""}${word.slice(0, 80)}"`;
  const other = Object.entries(elsewhere).find(([words]) => words.split(" ").includes(word));
  if (other) throw new MonocoError("input", unknown, { hint: t`did you mean ${other[1]}?` });
  if (nearest(word, level) !== undefined) return;
  const others = verbs.flatMap((one): [name: string, command: string][] =>
    "verbs" in one
      ? one.verbs.map(({ name, short }) => [name, short ? name : `${one.name} ${name}`])
      : [[one.name, one.name]],
  );
  const name = nearest(
    word,
    others.map(([name]) => name),
  );
  const commands = others.filter(([spelled]) => spelled === name).map(([, command]) => `monoco ${command}`);
  if (commands.length > 0)
    throw new MonocoError("input", unknown, { hint: t`did you mean ${commands.join(t`, or `)}?` });
}

/** What people type who know other tools (docker, git, gh, systemd), and the command here. */
const elsewhere: Readonly<Record<string, string>> = {
  "view cat inspect": "monoco show ID",
  "open ls": "monoco issue list --status=open",
  "logs journal": "monoco log ID",
  "tail follow": "monoco log -f",
  "ps top": "monoco status ID",
  "pause kill abort interrupt": "monoco stop ID",
  "continue go work": "monoco run ID",
  "approve lgtm": "monoco issue review ID --approve",
  reject: 'monoco issue review ID --request-changes -m "…"',
  "new add": 'monoco issue create "Title"',
};

/** Commander's error in the style of all errors: a fault, and a hint below it. */
function hinted(text: string, usage: Usage | undefined): string {
  const [fault = "", suggestion = ""] = text.trimEnd().split("\n");
  const meant = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1];
  const hint = meant === undefined ? t`monoco --help lists the commands` : t`did you mean ${meant}?`;
  return `${usage?.faultWords(fault) ?? fault}\n${t`hint: ${hint}`}\n`;
}

/** The defaults that help does not show: off, and none. */
function unsetOf({ options }: Verb): object {
  const unset = Object.entries(options).map(([key, option]) => [key, option.unset] as const);
  return Object.fromEntries(unset.filter(([, value]) => value !== undefined));
}

/** The verbs of each group that work without the group's name. */
function shortVerbs(verbs: Program["verbs"]): [group: string, names: string[]][] {
  const all = verbs.flatMap((one): [string, string[]][] =>
    "verbs" in one ? [[one.name, one.verbs.filter(({ short }) => short).map(({ name }) => name)]] : [],
  );
  return all.filter(([, names]) => names.length > 0);
}

function spelledOut([verb = "", ...rest]: readonly string[], short: ReturnType<typeof shortVerbs>): string[] {
  const group = short.find(([, names]) => names.includes(verb))?.[0];
  if (group !== undefined) return [group, verb, ...rest];
  // Without a command, monoco runs `inbox`.
  return verb === "" ? ["inbox", ...rest] : [verb, ...rest];
}

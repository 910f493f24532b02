/** What a shell command can show at all: nothing, because its status is fixed; what a text says; or what the project does. */
import { parse } from "shell-quote";
import { asksOnly } from "./asks-only.ts";
import { readInlineCode } from "./inline-code.ts";

/**
 * `constant`: the status does not depend on the repository. `reads`: it depends on text or git only. `runs`: something
 * is executed that may be the work itself. In the order of how much a status can show.
 */
export const commandNatures = ["constant", "reads", "runs"] as const;
export type CommandNature = (typeof commandNatures)[number];

/** Never throws; what cannot be read as a shell command counts as `runs`, whose status still has to tell base from branch. */
export function natureOf(command: string, by: By = "status"): CommandNature {
  return natureWithin(command, nestingMax, by);
}

/** What of a command is looked at: its exit status, or the figure that it prints. */
type By = "status" | "output";

/** Commands in commands; deeper ones count as `runs`. */
const nestingMax = 5;

function natureWithin(command: string, depth: number, by: By): CommandNature {
  if (depth === 0) return "runs";
  try {
    const { text, inner } = substituted(command);
    const within = most(inner.map((one) => natureWithin(one, depth - 1, "output")));
    return natureOfAll(text, { within, depth, by });
  } catch {
    // What shell-quote does not know, such as `${x// /_}`.
    return "runs";
  }
}

type Within = { within: CommandNature; depth: number; by: By };

function natureOfAll(text: string, of: Within): CommandNature {
  const all = simpleCommands(text).map(({ words, after }) => ({
    words,
    after,
    own: simpleNature(words, of),
  }));
  if (all.some(({ words }) => branches.has(words[0] ?? "") || words.some((word) => word.includes("$?"))))
    return most(all.map(({ own }) => own));
  // `… || { echo no; exit 1; }`: it ends as what came before it does.
  const last = all.findLast(({ words }) => words.some((word) => word !== "{" && word !== "}"));
  if (failsOnPurpose(last?.words ?? [])) return most(all.map(({ own }) => own));
  const strict = all.some(({ words }) => sets(words, /^-\w*e|^errexit$/));
  const writes = />/.test(text);
  let nature: CommandNature = "constant";
  for (const { after, own } of pipelines(all, of)) {
    const both = most([nature, own]);
    if (after === "&&" || (after === ";" && (strict || (writes && own === "reads")))) nature = both;
    else if (after === "||") nature = own === "constant" && nature !== "constant" ? "constant" : both;
    else nature = own;
  }
  return nature;
}

type Piped = Simple & { own: CommandNature };

/** A pipe ends as its last command does: `npm test | tail` always succeeds, unless `pipefail` is set; what it prints is another matter. */
function pipelines(all: readonly Piped[], { by }: Within): Piped[] {
  const fails = by === "output" || all.some(({ words }) => sets(words, /^pipefail$/));
  const found: Piped[] = [];
  for (const one of all) {
    const before = one.after === "|" ? found.at(-1) : undefined;
    if (!before) found.push({ ...one });
    else if (one.own === "constant" || (!fails && passesOn(one.words))) before.own = "constant";
    else before.own = most([before.own, one.own]);
  }
  return found;
}

function sets(words: readonly string[], option: RegExp): boolean {
  return words[0] === "set" && words.some((word) => option.test(word));
}

const filters = new Set("tail head tee wc cat sort uniq cut tr nl column sed awk gawk".split(" "));

/** A filter that succeeds whatever it is given. */
function passesOn([program = "", ...rest]: readonly string[]): boolean {
  const fails = program === "sort" ? /^-c|^--check/i : /\bexit\b|\bq\d/;
  return filters.has(program) && !rest.some((word) => fails.test(word));
}

/** `false`, `exit 1`, `exit $status`. */
function failsOnPurpose(words: readonly string[]): boolean {
  const [program, status = "0"] = words.filter((word) => word !== "{" && word !== "}");
  return program === "false" || ((program === "exit" || program === "return") && status !== "0");
}

function most(natures: readonly CommandNature[]): CommandNature {
  return commandNatures[Math.max(0, ...natures.map((one) => commandNatures.indexOf(one)))]!;
}

const substitute = "$SUBSTITUTED";

/**
 * The command with each `$(…)`, `<(…)` and `` `…` `` replaced by a variable, and the commands that stood in them. Comments and
 * here-documents are left out; line ends become `;`.
 */
function substituted(command: string): { text: string; inner: string[] } {
  const inner: string[] = [];
  const documents: string[] = [];
  let text = "";
  let quote = "";
  const closing = closingParentheses(command);
  for (let at = 0; at < command.length; at += 1) {
    const mark = command[at]!;
    const end = quote === "'" ? -1 : endOfSubstitution(command, at, closing);
    const here = quote === "" && mark === "<" ? hereDocument(command, at) : undefined;
    if (end !== -1) {
      inner.push(command.slice(mark === "`" ? at + 1 : at + 2, end));
      text += substitute;
      at = end;
    } else if (here) {
      documents.push(here.ends);
      text += " < ";
      at += here.length - 1;
    } else if (mark === "\\" && quote !== "'") {
      text += command.slice(at, at + 2);
      at += 1;
    } else if (mark === "#" && quote === "" && /^$|\s/.test(command[at - 1] ?? "")) {
      at = endOfLine(command, at) - 1;
    } else if (mark === "\n" && quote === "") {
      text += " ; ";
      for (const ends of documents.splice(0)) at = endOfDocument(command, at, ends);
    } else {
      if (quote === mark) quote = "";
      else if (quote === "" && (mark === "'" || mark === '"')) quote = mark;
      text += mark;
    }
  }
  return { text, inner };
}

function endOfLine(command: string, at: number): number {
  const end = command.indexOf("\n", at);
  return end === -1 ? command.length : end;
}

/** `<<EOF`, `<<-'EOF'`: how long that is, and the line that ends it. */
function hereDocument(command: string, at: number): { length: number; ends: string } | undefined {
  const found = /^<<-?\s*(['"]?)([\w.]+)\1/.exec(command.slice(at, at + 100));
  return found ? { length: found[0].length, ends: found[2]! } : undefined;
}

/** The end of the last line of a here-document that begins in the next line. */
function endOfDocument(command: string, at: number, ends: string): number {
  let end = at;
  while (end < command.length) {
    const next = endOfLine(command, end + 1);
    if (command.slice(end + 1, next).trim() === ends) return next - 1;
    end = next;
  }
  return end;
}

/** Where each `(` is closed, whatever quotes are around it: looked up, since a command may open thousands that nothing closes. */
function closingParentheses(command: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: mark, index } of command.matchAll(/[()]/g)) {
    if (mark === "(") open.push(index);
    else if (open.length > 0) closing.set(open.pop()!, index);
  }
  return closing;
}

/** Where the `)` or the backtick stands that closes what opens at `at`; -1 where nothing opens there, or it is arithmetic. */
function endOfSubstitution(command: string, at: number, closing: ReadonlyMap<number, number>): number {
  if (command[at] === "`") return command.indexOf("`", at + 1);
  const opens = ["$(", "<(", ">("].some((mark) => command.startsWith(mark, at));
  return opens && !command.startsWith("$((", at) ? (closing.get(at + 1) ?? -1) : -1;
}

type Simple = { words: string[]; after: string };

/** Each simple command with the operator before it. Redirections and parentheses are left out: they change no status. */
function simpleCommands(text: string): Simple[] {
  const found: Simple[] = [];
  let current: Simple = { words: [], after: ";" };
  for (const token of parse(text, (name) => `$${name}`)) {
    if (typeof token === "string") current.words.push(token);
    else if ("pattern" in token) current.words.push(token.pattern);
    else if ("op" in token && separators.has(token.op)) {
      if (current.words.length > 0) found.push(current);
      current = { words: [], after: token.op === "&" ? ";" : token.op.replace("|&", "|") };
    }
  }
  return current.words.length > 0 ? [...found, current] : found;
}

const separators = new Set([";", "&", "&&", "||", "|", "|&", ";;"]);
const branches = new Set(["if", "while", "until", "for", "case", "function"]);
/** Words before a program that change neither what runs nor what its status says. */
const prefixes =
  /^(?:!|\{|\}|if|while|until|then|else|elif|do|done|fi|esac|env|exec|time|nice|nohup|command|builtin|sudo|stdbuf|timeout|-\w+|\d+[smh]?|\w+=.*)$/;

const constants = new Set(
  ": true false exit return echo printf sleep wait cd pushd popd pwd export set unset shopt ulimit umask date whoami hostname".split(
    " ",
  ),
);
const readers = new Set(
  "test [ [[ grep egrep fgrep rg ag ack cat bat tac ls dir tree head tail wc sed awk gawk find fd diff cmp comm stat file sort uniq cut tr paste column nl less more strings xxd od hexdump jq yq xmllint basename dirname realpath readlink du md5sum sha1sum sha256sum cksum which type git gh touch mkdir rmdir rm cp mv ln chmod".split(
    " ",
  ),
);
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);
const interpreters = /^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua)$/;

function simpleNature(words: readonly string[], of: Within): CommandNature {
  const { within } = of;
  const start = words.findIndex((word) => !prefixes.test(word));
  if (start === -1) return words.some((word) => word.includes(substitute)) ? within : "constant";
  const [program = "", ...rest] = words.slice(start);
  if (program === "for" || program === "case") return "constant";
  const name = program.split("/").at(-1)!;
  const own = weakerOf(programNature(name, rest, of), words.slice(start));
  // A value that was computed before decides what is compared here.
  return own !== "runs" && name !== "echo" && name !== "printf" && rest.some((word) => word.includes("$"))
    ? most([own, within])
    : own;
}

function weakerOf(own: CommandNature, words: readonly string[]): CommandNature {
  return own === "runs" && asksOnly(words) ? "reads" : own;
}

function programNature(name: string, rest: readonly string[], of: Within): CommandNature {
  if (name === "eval") return natureWithin(rest.join(" "), of.depth - 1, of.by);
  if (shells.has(name)) {
    const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
    return flag === -1
      ? "runs"
      : natureWithin(rest[flag + 1] ?? "", of.depth - 1, rest.includes("pipefail") ? "output" : of.by);
  }
  if (name === "xargs") {
    const at = rest.findIndex((word) => !word.startsWith("-"));
    return at === -1 ? "constant" : simpleNature(rest.slice(at), of);
  }
  if (name === "find" || name === "fd") {
    const at = rest.findIndex((word) => /^(?:-exec(?:dir)?|-ok(?:dir)?|-x|-X|--exec)$/.test(word));
    return at === -1 ? "reads" : most(["reads", simpleNature(rest.slice(at + 1), of)]);
  }
  if (interpreters.test(name)) return interpreterNature(name, rest, of.depth);
  if (constants.has(name)) return "constant";
  return readers.has(name) ? "reads" : "runs";
}

/** Options before a script that are followed by a value. */
const withValue = /^(?:--import|--require|--loader|-W|-I)$/;

/** Ruby's `-rprice`, Perl's `-MPrice`: a module that may be the project's, unless it comes with the language. */
const loadsOwn =
  /^-(?:r(?!(?:json|yaml|set|date|time|csv|open3|stringio|fileutils|pathname|digest|tempfile|optparse)$)|[mM](?!-?(?:strict|warnings|utf8|feature|autodie|v?5|constant|List::Util|Data::Dumper|JSON::PP|Cwd|(?:File|IO|Digest)(?:::|\b))\b))./;

/** Code on the command line shows what it loads and starts; a script, a module, tests are not looked into. */
function interpreterNature(name: string, rest: readonly string[], depth: number): CommandNature {
  const code = codeFlags(name);
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!;
    if (code.test(word)) return inlineNature(rest.slice(at + 1).join(" "), depth);
    if (/^(?:--version|-v|-V|--help)$/.test(word)) return "constant";
    if (!word.startsWith("-") || /^(?:-m|--test)$/.test(word) || loadsOwn.test(word)) return "runs";
    if (withValue.test(word)) at += 1;
  }
  return "runs";
}

function inlineNature(code: string, depth: number): CommandNature {
  const { runs, starts, reads } = readInlineCode(code);
  if (runs) return "runs";
  return most([
    reads ? "reads" : "constant",
    ...starts.map((command) => natureWithin(command, depth - 1, "status")),
  ]);
}

function codeFlags(name: string): RegExp {
  if (/^(?:node|deno|bun)$/.test(name)) return /^(?:-e|-p|-pe|--eval|--print)$/;
  if (name === "php") return /^-r$/;
  if (name.startsWith("python")) return /^-c$/;
  // Letters that take what follows them (`-MPrice`, `-rprice`) end the row of single ones.
  return name === "perl" ? /^-[acflnpsStTuUvwWX\d]*[eE]$/ : /^-[alnpSsvwW\d]*e$/;
}

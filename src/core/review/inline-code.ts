/** What code on a command line reaches (`node -e`, `python -c`): modules of the project, programs that it starts, or files to read. */

/** Modules of Node and Python by which a program reads, compares and starts, and runs nothing of the project's by itself. */
const ofTheLanguage = new Set(
  (
    "fs path os url util assert buffer events process child_process string_decoder querystring readline stream zlib timers " +
    "sys re io json pathlib glob fnmatch hashlib difflib string ast tokenize csv configparser tomllib textwrap itertools functools " +
    "collections subprocess shutil time math datetime platform tempfile stat filecmp linecache codecs base64 typing yaml"
  ).split(" "),
);

const quoted = /^\s*(?:\(\s*)?(?:\[\s*)?(["'`])(.*?)\1/s;
const loading = /\b(?:from|import|require|__import__|import_module)(?=\s*(?:\(\s*)?["'`])/g;
/** Python's statements, which name modules without quotes. */
const statements = /(?:^|[;\n:])[^\S\n]*(?:from\s+([\w.]+)\s+import\b|import\s+(\w[\w., ]*))/g;
/** Modules whose names are computed; Ruby's, Perl's and PHP's ways to load. */
const loadsUnseen =
  /\b(?:import|require|__import__|import_module)\s*\(\s*[^\s"'`]|(?<![.\w])(?:require_relative|include|include_once|require_once|use|do|dofile|load|autoload)\b\s*(?:\(\s*)?["'\w.]|\brunpy\b/;
const starting =
  /(?<!\/[dgimsuvy]{0,8}\.)\b(?:exec\w*|spawn\w*|fork|system|[pP]open[23]?|run|call|check_call|check_output|eval|Function|fetch|request|connect|urlopen)(?=\s*[(["'`])/g;
const reading = /\b(?:open|read|exists|stat|glob|fs|File|IO|ENV|environ|env|argv|STDIN|stdin)|<>|\.\//;

export type InlineCode = {
  /** It runs what nobody can tell from here, or what belongs to the project. */
  runs: boolean;
  /** Command lines that it starts. */
  starts: string[];
  reads: boolean;
};

export function readInlineCode(code: string): InlineCode {
  const after = (found: RegExpMatchArray): string | undefined =>
    quoted.exec(code.slice(found.index! + found[0].length, found.index! + found[0].length + 1_000))?.[2];
  const loaded = [
    ...[...code.matchAll(loading)].map((found) => after(found) ?? ""),
    ...[...code.matchAll(statements)].flatMap(([, from, names = ""]) =>
      from === undefined ? names.split(",").map((one) => one.trim().split(" ")[0]!) : [from],
    ),
  ];
  const starts = [...code.matchAll(starting)].map(after);
  return {
    // A variable of the shell may hold anything.
    runs:
      /\$\w/.test(code) ||
      loadsUnseen.test(code) ||
      !loaded.every((name) => isOfLanguage(name)) ||
      starts.includes(undefined),
    starts: starts.filter((one) => one !== undefined),
    reads: loaded.length > 0 || reading.test(code),
  };
}

/** `node:fs/promises`, `os.path`; a JSON file is read, not run. */
function isOfLanguage(name: string): boolean {
  return name.endsWith(".json") || ofTheLanguage.has(name.replace(/^node:/, "").split(/[/.]/)[0]!);
}

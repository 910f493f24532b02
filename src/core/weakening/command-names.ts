/** What a shell command names: the files that it runs, and the scripts of package.json behind it. */
import { isRecord } from "../text/record.ts";

/** A package.json that is changed, or that commands run scripts of. */
export type PackageChange = { path: string; before: string | undefined; after: string | undefined };

/** The words of a shell command, without quotes, separators and `./`. */
function wordsOf(command: string): string[] {
  return command
    .split(/[\s'"`()<>{}]+|(?<=\s--[\w-]{1,40})=/)
    .map((word) => word.replace(/^(?:\.\/)+/, ""))
    .filter((word) => word !== "");
}

/** Programs that run what comes next. */
const runners = new RegExp(
  `^(?:${[
    "sh|bash|dash|zsh|ksh|fish|pwsh|env|exec|time|nice|nohup|timeout|command|sudo|xvfb-run|then|do|else|if|!",
    "node|tsx|ts-node|deno|bun|npx|bunx|pnpm|yarn|npm|dlx|run|python[\\d.]*|pypy\\d*|uv|poetry|pipenv|ruby|bundle|perl|php|lua|Rscript",
  ].join("|")})$`,
);
/** Options that name a file which is run, or says how. */
const runOptions =
  /^(?:--config|--import|--require|--loader|--rcfile|--init-file|--file|--setup|--makefile|--justfile)$/;

/** Options of a shell that a value follows: `bash -eo pipefail ci.sh`. */
const shellOptions = /^(?:[-+]\w*[oO]|--(?:rcfile|init-file))$/;

/** The programs and scripts of a command: not the files that it looks at, which may be the very work. */
function filesRunBy(command: string): string[] {
  return command.split(/[;&|\n]+/).flatMap((simple) => {
    const all = wordsOf(simple);
    const named = all.filter((_, at) => at > 0 && runOptions.test(all[at - 1]!));
    const shell = all.findIndex((word) => /^(?:ba|da|z|k)?sh$/.test(word));
    const words = all.filter((_, at) => shell === -1 || at <= shell || !shellOptions.test(all[at - 1]!));
    const first = words.findIndex((word) => !isBefore(word));
    return first === -1 ? named : [words[first]!, ...named];
  });
}

/** A runner, an option, a variable that is set for it, the 60 of `timeout 60 sh test.sh`. */
function isBefore(word: string): boolean {
  return runners.test(word) || /^[-+]|^\w+=|^\d+[smh]?$/.test(word);
}

/** Whether a path is a shell script's or a Makefile's, by its name. */
export function isShellFile(path: string): boolean {
  return /\.(?:ba|da|z|k)?sh$|\.mk$|(?:^|\/)[^/]*[mM]akefile$|\/[^./]+$/.test(path);
}

/**
 * The shell scripts that a shell script or a Makefile runs or sources, as paths from the root, if they are named from there or
 * from its own folder. Programs of the work itself are none.
 */
export function scriptsIn(text: string, path: string): string[] {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const found = text.split("\n").flatMap((line) => {
    const [, sourced] =
      /(?:^|[;&|]|\bthen\b|\bdo\b)\s*(?:source|\.|-?include)\s+(\S[^;&|#]*)/.exec(line) ?? [];
    const scripts = filesRunBy(line).filter((word) => /\.(?:ba|da|z|k)?sh$/.test(word));
    return [...(sourced === undefined ? [] : wordsOf(sourced).slice(-1)), ...scripts];
  });
  return [...new Set(found.flatMap((word) => [word, folder + word.replace(/^\/+/, "")]))];
}

const toolFolder =
  /(?:^|\/)(?:tools?|scripts?|ci|\.ci|build|hack|dev|devtools|tasks|support)\/[^/]+\.(?:[cm]?[jt]s|py|rb)$/;

/** Whether a program that a check names is a tool: by its folder, since the work's own programs are named by checks, too. */
export function isTool(path: string): boolean {
  return toolFolder.test(path);
}

/** The files next to a tool that it imports: `./list.mjs`, `from . import cases`, `require_relative "list"`. */
export function modulesIn(text: string, path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const ends = path.endsWith(".py")
    ? [".py"]
    : path.endsWith(".rb")
      ? [".rb"]
      : ["", ".js", ".mjs", ".cjs", ".ts"];
  const quoted = /\b(?:from|import|require|require_relative)\b\s*(?:\(\s*)?(["'`])(?:\.\/)?([\w.-]+)\1/g;
  const statement = /^[^\S\r\n]*(?:from\s+\.?(\w+)\s+import\b|(?:from\s+\.\s+)?import\s+(\w+))/gm;
  const names = path.endsWith(".py")
    ? [...text.matchAll(statement)].map(([, from, whole]) => from ?? whole!)
    : [...text.matchAll(quoted)].map(([, , name]) => name!);
  return [...new Set(names.flatMap((name) => ends.map((end) => folder + name + end)))];
}

/** Files that build tools read without being told their names. */
const readBy: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  gmake: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
  rake: ["Rakefile"],
};

/**
 * Each path that a command names, with that command: words that are files, what its build tool reads, what the package
 * scripts that it runs name in turn, and package.json itself where one of those scripts is changed.
 */
export function namesIn(
  commands: readonly string[],
  packages: readonly PackageChange[],
): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const root = packages.find((one) => one.path === "package.json");
  const scripts = { ...scriptsOf(root?.after), ...scriptsOf(root?.before) };
  for (const command of commands) {
    const run = scriptsRun(command, scripts);
    const words = [command, ...run.map((name) => scripts[name] ?? "")].flatMap(filesRunBy);
    for (const word of words) {
      for (const path of [word, ...(Object.hasOwn(readBy, word) ? readBy[word]! : [])]) {
        if (!named.has(path)) named.set(path, command);
      }
    }
    for (const { path, before, after } of packages) {
      const [was, is] = [scriptsOf(before), scriptsOf(after)];
      const asked = new Set([...run, ...scriptsRun(command, was), ...scriptsRun(command, is)]);
      if ([...asked].some((name) => was[name] !== is[name]) && !named.has(path)) named.set(path, command);
    }
  }
  return named;
}

const scriptsNamedDirectly = /^(?:test|start|stop|restart|t|tst)$/;

/** The names of all scripts that a command runs, through other scripts too, with what npm runs before and after each. */
function scriptsRun(command: string, scripts: Readonly<Record<string, string>>): string[] {
  const found = new Set<string>();
  const open = [command];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const name of askedOf(text, scripts)) {
      for (const one of [`pre${name}`, name, `post${name}`]) {
        if (found.has(one)) continue;
        found.add(one);
        if (Object.hasOwn(scripts, one)) open.push(scripts[one]!);
      }
    }
  }
  return [...found];
}

/** `npm test`, `npm run lint`, `npm --prefix web run lint`, `yarn lint`, `bun run lint`. */
function askedOf(text: string, scripts: Readonly<Record<string, string>>): string[] {
  const words = text.split(/[;&|]+/).flatMap(wordsOf);
  const manager = words.findIndex((word) => /^(?:npm|pnpm|yarn|bun|npm-run-all|run-s|run-p)$/.test(word));
  if (manager === -1) return [];
  return words.slice(manager + 1).flatMap((word) => {
    if (/^(?:t|tst)$/.test(word)) return ["test"];
    return Object.hasOwn(scripts, word) || scriptsNamedDirectly.test(word) ? [word] : [];
  });
}

function scriptsOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts = isRecord(parsed) ? parsed["scripts"] : undefined;
    if (!isRecord(scripts)) return {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

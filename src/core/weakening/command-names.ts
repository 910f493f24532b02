/** The files that a shell command runs: those that it names, the scripts of package.json behind it, and the files that these run. */
import { jsonOf } from "../error/attempt.ts";
import { isRecord } from "../text/record.ts";

/** A package.json that changed, or whose scripts commands run. */
export type PackageChange = { path: string; before: string | undefined; after: string | undefined };

/** The words of a shell command, without quotes, separators and `./`. */
function wordsOf(command: string): string[] {
  return command
    .split(/[\s'"`()<>{}]+|(?<=\s--[\w-]{1,40})=/)
    .map((word) => word.replace(/^(?:\.\/)+/, ""))
    .filter((word) => word !== "");
}

/** Programs that run the word after them. */
const runners =
  /^(?:sh|bash|dash|zsh|ksh|fish|pwsh|env|exec|time|nice|nohup|timeout|command|sudo|xvfb-run|then|do|else|if|!|node|tsx|ts-node|deno|bun|npx|bunx|pnpm|yarn|npm|dlx|run|python[\d.]*|pypy\d*|uv|poetry|pipenv|ruby|bundle|perl|php|lua|Rscript)$/;
/** Options whose value is a file that is run, or that configures the run. */
const runOptions =
  /^(?:--config|--import|--require|--loader|--rcfile|--init-file|--file|--setup|--makefile|--justfile)$/;

/** Shell options with a value: `bash -eo pipefail ci.sh`. */
const shellOptions = /^(?:[-+]\w*[oO]|--(?:rcfile|init-file))$/;

/** The programs and scripts of a command, but not the files that it reads, which may be the work itself. */
function filesRunBy(command: string): string[] {
  return command.split(/[;&|\n]+/).flatMap((simple) => {
    const all = wordsOf(simple);
    const loaded = all.filter((_, at) => at > 0 && runOptions.test(all[at - 1]!));
    const shell = all.findIndex((word) => /^(?:ba|da|z|k)?sh$/.test(word));
    const argv = all.filter((_, at) => shell === -1 || at <= shell || !shellOptions.test(all[at - 1]!));
    const first = argv.findIndex((word) => !isBefore(word));
    return first === -1 ? loaded : [argv[first]!, ...loaded];
  });
}

/** Whether a word precedes the program: a runner, an option, a variable assignment, the 60 of `timeout 60 sh test.sh`. */
function isBefore(word: string): boolean {
  return runners.test(word) || /^[-+]|^\w+=|^\d+[smh]?$/.test(word);
}

/** Files that build tools read by default. */
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
 * By path, the command that refers to it: words that are files, files that its build tool reads, files in the package
 * scripts that it runs, and package.json itself if one of those scripts changed.
 */
export function namesIn(
  commands: readonly string[],
  packages: readonly PackageChange[],
): ReadonlyMap<string, string> {
  const commandOf = new Map<string, string>();
  const manifests = packages.map((one) => ({ ...one, was: scriptsOf(one.before), is: scriptsOf(one.after) }));
  const root = manifests.find(({ path }) => path === "package.json");
  const scripts = { ...root?.is, ...root?.was };
  for (const command of commands) {
    const run = scriptsRun(command, scripts);
    const files = [command, ...run.map((name) => scripts[name] ?? "")].flatMap(filesRunBy);
    const changed = manifests.filter(({ was, is }) => {
      const names = [...run, ...scriptsRun(command, was), ...scriptsRun(command, is)];
      return names.some((name) => was[name] !== is[name]);
    });
    const paths = files.flatMap((word) => [word, ...(Object.hasOwn(readBy, word) ? readBy[word]! : [])]);
    for (const path of [...paths, ...changed.map((one) => one.path)])
      if (!commandOf.has(path)) commandOf.set(path, command);
  }
  return commandOf;
}

const shellName = /\.(?:ba|da|z|k)?sh$/;
const shellFile = /\.(?:ba|da|z|k)?sh$|\.mk$|(?:^|\/)[^/]*(?:[mM]ake|[jJ]ust)file$|\/[^./]+$/;
/** Folders of tools: a program in a command is a tool only by its folder, since commands run the work's own programs, too. */
const tool =
  /(?:^|\/)(?:tools?|scripts?|ci|\.ci|build|hack|dev|devtools|tasks|support)\/[^/]+\.(?:[cm]?[jt]s|py|rb)$/;

/** Whether a file in a command is searched for further files that it runs. */
export function isFollowed(path: string): boolean {
  return shellFile.test(path) || tool.test(path);
}

/**
 * The scripts that a file runs or loads, as paths from the root, whether named from there or from its own folder: scripts and tools in a
 * shell script or a Makefile, imports in a tool. Programs of the work itself do not count.
 */
export function scriptsIn(path: string, text: string, packages: readonly PackageChange[] = []): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const names = shellFile.test(path) ? runBy(text, packages) : [...modulesIn(text, path), ...quotedIn(text)];
  const bare = names.map((name) => name.replace(/^(?:\$\w+)?\/+/, ""));
  return [...new Set(bare.flatMap((name) => [name, folder + name]))];
}

function runBy(text: string, packages: readonly PackageChange[]): string[] {
  // `@`, `-` and `+` belong to make.
  const lines = text.split("\n").map((line) => line.replace(/^\s*#.*|(?<=^\t)[-@+]+/, ""));
  const sourced = lines.flatMap((line) => {
    const [, names] = /(?:^|[;&|]|\bthen\b|\bdo\b)\s*(?:source|\.|-?include)\s+(\S[^;&|#]*)/.exec(line) ?? [];
    return names === undefined ? [] : wordsOf(names).slice(-1);
  });
  const readFiles = Object.values(readBy).flat();
  const run = [...namesIn(lines, packages).keys()].filter(
    (name) => shellName.test(name) || tool.test(name) || [...readFiles, "package.json"].includes(name),
  );
  return [...sourced, ...run];
}

/** The files that a tool imports from its folder or below: `./list.mjs`, `from . import cases`, `require_relative "list"`. */
function modulesIn(text: string, path: string): string[] {
  const isPython = path.endsWith(".py");
  const ends = isPython ? [".py"] : path.endsWith(".rb") ? [".rb"] : ["", ".js", ".mjs", ".cjs", ".ts"];
  const imports = isPython
    ? /^[^\S\r\n]*(?:from\s+\.?(?<name>\w[\w.]*)\s+import\b|(?:from\s+\.\s+)?import\s+(?<other>\w[\w.]*))/gm
    : /\b(?:from|import|require|require_relative)\b\s*(?:\(\s*)?(["'`])(?:\.\/)?(?<name>(?:\w[\w.-]*\/)*[\w.-]+)\1/g;
  return [...text.matchAll(imports)].flatMap(({ groups = {} }) => {
    const name = groups["name"] ?? groups["other"] ?? "";
    return ends.map((end) => (isPython ? name.replaceAll(".", "/") : name) + end);
  });
}

/** The quoted words of calls such as `execFileSync("sh", ["ci/run.sh"])`. */
function quotedIn(text: string): string[] {
  return [...text.matchAll(/["'`](?:\.\/)?([\w./-]+\.(?:ba|da|z|k)?sh)["'`]/g)].map(([, name]) => name!);
}

const scriptsNamedDirectly = /^(?:test|start|stop|restart|t|tst)$/;

/** The names of all scripts that a command runs, also through other scripts, with those that npm runs before and after each. */
function scriptsRun(command: string, scripts: Readonly<Record<string, string>>): string[] {
  const names = new Set<string>();
  const open = [command];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const asked = askedOf(text, scripts).flatMap((name) => [`pre${name}`, name, `post${name}`]);
    for (const name of asked.filter((one) => !names.has(one))) {
      names.add(name);
      if (Object.hasOwn(scripts, name)) open.push(scripts[name]!);
    }
  }
  return [...names];
}

/** The script names in `npm test`, `npm run lint`, `npm --prefix web run lint`, `yarn lint`, `bun run lint`. */
function askedOf(text: string, scripts: Readonly<Record<string, string>>): string[] {
  if (!/npm|yarn|bun|run-[sp]/.test(text)) return [];
  const tokens = text.split(/[;&|]+/).flatMap(wordsOf);
  const manager = tokens.findIndex((word) => /^(?:npm|pnpm|yarn|bun|npm-run-all|run-s|run-p)$/.test(word));
  if (manager === -1) return [];
  return tokens.slice(manager + 1).flatMap((word) => {
    if (/^(?:t|tst)$/.test(word)) return ["test"];
    return Object.hasOwn(scripts, word) || scriptsNamedDirectly.test(word) ? [word] : [];
  });
}

/** The scripts of a package.json; none if the text is not one. */
export function scriptsOf(text = ""): Record<string, string> {
  const parsed = jsonOf(text);
  const scripts = isRecord(parsed) ? parsed["scripts"] : undefined;
  const entries = isRecord(scripts) ? Object.entries(scripts) : [];
  return Object.fromEntries(entries.filter((one): one is [string, string] => typeof one[1] === "string"));
}

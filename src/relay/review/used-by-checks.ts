/** Finds changed files that only checks use, although their names do not mark them as tests: a reporter, test cases, a module that shadows a library. */
import { gitOr, zeroed } from "../../git/git.ts";
import type { Git } from "../../git/git.ts";
import { fileAt } from "../../git/repository.ts";
import { takenBackFilesMax } from "../../core/limits.ts";
import { importsFile } from "../../core/review/after-merge.ts";
import type { RoledFile } from "../../core/trial/overlays.ts";
import type { FileRole } from "../../core/trial/roles.ts";
import type { Aid } from "../../core/trial/try-out.ts";
import { languageOf } from "../../core/weakening/code-line.ts";

type Looking = {
  git: Git;
  start: string;
  head: string;
  files: readonly RoledFile[];
  roleOf: (path: string) => FileRole;
  /** The files that monoco's commands run. */
  runs: ReadonlySet<string>;
};

/** Who names a file on the base: a script of the checks, as a program; other code of the checks; or tests. */
type User = "script" | "checks" | "tests";

/** A line of text, and the path of the file that contains it. */
type Line = { from: string; text: string };

/** The number of trees with such files of the base, each for a run of every check. */
const aidsMax = 4;
/** The number of lines that may name a file. If more do, it is not a helper of the checks. */
const namersMax = 20;
/** How far a file may be from the script of a check, and the number of files that are searched for on the way. */
const depthMax = 3;
const searchedMax = 200;

/**
 * The programs of the checks' scripts together, and every other file that only checks use with these. A file that imports a
 * changed source, or is imported by one, may belong to it: these are unsure, and come last.
 */
export async function checkAids(look: Looking): Promise<Aid[]> {
  const { files } = look;
  const old = files.filter(({ before, role }) => before && (role === "source" || role === "other"));
  const some = old.slice(0, takenBackFilesMax);
  const namers = await namersOf(
    look,
    some.map(({ path }) => path),
  );
  const [programs, others]: [RoledFile[], RoledFile[]] = [[], []];
  for (const file of some) {
    const user = userOf(look, namers, [file.path]);
    if (file.role === "source" && user === "script") programs.push(file);
    else if (file.role === "source" ? user === "checks" : user && (await isOnlyData(look, file.path)))
      others.push(file);
  }
  const shadows: RoledFile[] = [];
  for (const file of files.filter(isShadow)) if (await isImported(look, file.path)) shadows.push(file);
  const aid = async (extra: readonly RoledFile[]): Promise<Aid> => {
    const all = [...programs, ...extra];
    const unsure = await meetsSource(look, extra.length > 0 ? extra : programs, programs);
    return { edits: all.map(({ path, before }) => ({ path, to: before })), ...(unsure && { unsure }) };
  };
  const first = programs.length > 0 ? [await aid([])] : [];
  const alone: Aid[] = [];
  for (const file of [...shadows, ...others]) alone.push(await aid([file]));
  const sureFirst = alone.toSorted((a, b) => Number(a.unsure ?? false) - Number(b.unsure ?? false));
  return [...first, ...sureFirst].slice(0, aidsMax);
}

/** The name by which others know a file: without its ending, or that of its folder for a package. */
function nameOf(path: string): string {
  const [own = "", folder] = path.split("/").toReversed();
  const stem = own.replace(/(?<=.)\.[^.]*$/, "");
  return /^(?:index|__init__|__main__|mod)$/.test(stem) ? (folder ?? stem) : stem;
}

/** Lines of a commit with the name of one of the files. */
export async function linesNaming(git: Git, commit: string, paths: readonly string[]): Promise<Line[]> {
  if (paths.length === 0) return [];
  const names = paths.flatMap((path) => ["-e", nameOf(path)]);
  const form = ["-z", "-w", "-F", "-I", "--full-name", "--no-line-number", "--no-column"];
  const hits = await gitOr(git(["grep", ...form, ...names, commit]), "");
  // Each line of grep's output is `COMMIT:PATH NUL LINE`.
  return hits.split("\n").flatMap((line) => {
    const [from, text = ""] = line.slice(commit.length + 1).split("\0");
    return from ? [{ from, text }] : [];
  });
}

/** By file, the lines of other files that name it; also for the sources that name those. */
async function namersOf(
  { git, start, roleOf, runs }: Looking,
  paths: readonly string[],
): Promise<Map<string, Line[]>> {
  const namers = new Map<string, Line[]>();
  let open = paths;
  for (let depth = 0; depth <= depthMax && open.length > 0; depth += 1) {
    const lines = await linesNaming(git, start, open);
    for (const path of open) {
      const name = nameOf(path);
      const ofIt = lines.filter(
        (line) => line.from !== path && line.text.includes(name) && names(path, line),
      );
      namers.set(path, ofIt);
    }
    const few = open.flatMap((path) => (namers.get(path)!.length > namersMax ? [] : namers.get(path)!));
    const next = new Set(few.map(({ from }) => from));
    open = [...next]
      .filter((path) => !namers.has(path) && !runs.has(path) && roleOf(path) === "source")
      .slice(0, searchedMax - namers.size);
  }
  return namers;
}

/** The users of the last file of a chain, each of which names the one before it; undefined if other code is among them. */
function userOf(
  look: Looking,
  namers: ReadonlyMap<string, Line[]>,
  chain: readonly string[],
): User | undefined {
  const path = chain.at(-1)!;
  const lines = namers.get(path);
  if (lines === undefined || lines.length > namersMax || chain.length > depthMax + 1) return undefined;
  const users = new Set<User>();
  for (const { from, text } of lines) {
    const role = look.roleOf(from);
    if (chain.includes(from) || languageOf(from) === "prose") continue;
    if (look.runs.has(from) || from === "monoco.yaml")
      users.add(importsFile(text, { path, from }) ? "checks" : "script");
    else if (role === "test" || role === "beside") users.add("tests");
    else if (role === "source") {
      const user = userOf(look, namers, [...chain, from]);
      if (user === undefined) return undefined;
      users.add(user === "tests" ? "tests" : "checks");
    } else if (role !== "config") return undefined;
  }
  return (["script", "checks", "tests"] as const).find((user) => users.has(user));
}

/** Whether a line imports the file, has its name, or runs its Python package. */
function names(path: string, { from, text }: Line): boolean {
  const [name = "", folder = ""] = path.split("/").toReversed();
  const module = name === "__main__.py" ? folder : name.replace(/\.py$/, "");
  const words = text.split(/[\s"'`,]+/);
  const runsModule =
    path.endsWith(".py") && words.some((word, at) => word === "-m" && words[at + 1] === module);
  return runsModule || text.includes(name) || importsFile(text, { path, from });
}

/** Whether no code names the folder of a data file, as a program does that reads every file in it. */
async function isOnlyData({ git, start, roleOf }: Looking, path: string): Promise<boolean> {
  const folder = path.split("/").at(-2);
  if (folder === undefined) return false;
  const word = folder.replaceAll(/\W/g, String.raw`\$&`);
  const [quote, other] = ["[\"'`/]", "[^[:alnum:]_]"];
  const pattern = `${quote}${word}(${other}|$)|(^|${other})${word}${quote}`;
  const hits = await gitOr(git(["grep", "-l", "-z", "-I", "-E", "--full-name", "-e", pattern, start]), "");
  return zeroed(hits).every((one) => roleOf(one.slice(start.length + 1)) !== "source");
}

/** Whether one of the files and a changed source, apart from `programs`, import one another, before or after the change. */
async function meetsSource(
  { git, start, head, files }: Looking,
  of: readonly RoledFile[],
  programs: readonly RoledFile[],
): Promise<boolean> {
  const own = of.map(({ path }) => path);
  const sources = files.filter(
    (one) => one.role === "source" && !of.includes(one) && !programs.includes(one),
  );
  const imports = async (from: string, paths: readonly string[]): Promise<boolean> => {
    const texts = await Promise.all([start, head].map((commit) => fileAt(git, commit, from)));
    const lines = texts.flatMap((text) => text?.split("\n") ?? []);
    return lines.some((line) => paths.some((path) => importsFile(line, { path, from })));
  };
  const paths = sources.map(({ path }) => path);
  for (const path of own) if (await imports(path, paths)) return true;
  for (const path of paths) if (await imports(path, own)) return true;
  return false;
}

/** Whether a new file may shadow a Python library: Python searches the root first. */
const isShadow = ({ path, before, after, role }: RoledFile): boolean =>
  !before && after !== undefined && role === "source" && /^(?:src\/)?[^/]+(?:\/__init__)?\.py$/.test(path);

/** Whether the base imports a module of that name, and no part of another. */
async function isImported({ git, start }: Looking, path: string): Promise<boolean> {
  const lines = await linesNaming(git, start, [path]);
  return lines.some(({ text }) => {
    const [, from, all = ""] = /^\s*(?:from\s+(\w+)[\w.]*\s+import\b|import\s+(.+))/.exec(text) ?? [];
    return (
      from === nameOf(path) || all.split(",").some((one) => one.trim().split(/[\s.]/)[0] === nameOf(path))
    );
  });
}

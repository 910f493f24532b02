/** Finds changed files that only checks use, though they are no tests by name: a reporter, a list of cases, a shadowed library. */
import { gitOr } from "../../git/git.ts";
import type { Git } from "../../git/git.ts";
import { fileAt } from "../../git/repository.ts";
import { takenBackFilesMax } from "../../core/limits.ts";
import { importsFile } from "../../core/review/after-merge.ts";
import type { Edit, RoledFile } from "../../core/trial/overlays.ts";
import type { FileRole } from "../../core/trial/roles.ts";
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

/** The number of trees with such files of the base, each for a run of every check. */
const aidsMax = 4;
/** A file that more files name is no helper of the checks. */
const namersMax = 20;
const depthMax = 3;

/**
 * The edits that lay these files over the submission as they are on the base: the programs of the checks' scripts together, and
 * every other file with these. A file that imports a changed source, or is imported by one, may belong to it and is left out.
 */
export async function checkAids(look: Looking): Promise<Edit[][]> {
  const old = look.files.filter(({ before, role }) => before && (role === "source" || role === "other"));
  const programs: RoledFile[] = [];
  const others = look.files.filter((file) => isShadow(file));
  for (const file of old.slice(0, takenBackFilesMax)) {
    const user = await userOf(look, file.path, [file.path]);
    if (file.role === "source" && user === "script") programs.push(file);
    else if (file.role === "source" ? user === "checks" : user && (await isOnlyData(look, file.path)))
      others.push(file);
  }
  const groups = programs.length > 0 ? [programs] : [];
  for (const file of others) {
    const isOwn = file.before
      ? !(await meetsSource(look, file, programs))
      : await isImported(look, file.path);
    if (isOwn) groups.push([...programs, file]);
  }
  return groups.slice(0, aidsMax).map((group) => group.map(({ path, before }) => ({ path, to: before })));
}

/** Lines of a commit that name a file, its package or its stem, each with the path of its own file. */
export async function linesNaming(
  git: Git,
  commit: string,
  path: string,
): Promise<{ from: string; text: string }[]> {
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/(?<=.)\.[^.]*$/, "");
  const isIndex = /^(?:index|__init__|__main__|mod)$/.test(stem);
  const name = isIndex ? (path.split("/").at(-2) ?? stem) : stem;
  const hits = await gitOr(git(["grep", "-z", "-w", "-F", "-e", name, commit]), "");
  // Each line of grep's output is `COMMIT:PATH NUL LINE`.
  return hits.split("\n").flatMap((line) => {
    const [from = "", text = ""] = line.slice(commit.length + 1).split("\0");
    return from === "" || from === path ? [] : [{ from, text }];
  });
}

/** The users of a file, if code of the work is not among them. */
async function userOf(look: Looking, path: string, seen: readonly string[]): Promise<User | undefined> {
  const users = new Set<User>();
  const lines = (await linesNaming(look.git, look.start, path)).filter((line) => names(path, line));
  if (lines.length > namersMax) return undefined;
  for (const { from, text } of lines) {
    const role = look.roleOf(from);
    if (seen.includes(from) || languageOf(from) === "prose") continue;
    if (look.runs.has(from) || role === "config")
      users.add(importsFile(text, { path, from }) ? "checks" : "script");
    else if (role === "test" || role === "beside") users.add("tests");
    else {
      if (role !== "source" || seen.length > depthMax) return undefined;
      const user = await userOf(look, from, [...seen, from]);
      if (user === undefined) return undefined;
      users.add(user === "tests" ? "tests" : "checks");
    }
  }
  return (["script", "checks", "tests"] as const).find((user) => users.has(user));
}

/** Whether a line imports the file, has its name, or runs its Python package. */
function names(path: string, { from, text }: { from: string; text: string }): boolean {
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
  if (folder === undefined) return true;
  const hits = await gitOr(git(["grep", "-l", "-w", "-F", "-e", folder, start]), "");
  return hits.split("\n").every((line) => roleOf(line.slice(start.length + 1)) !== "source");
}

/** Whether the file and a changed source, apart from `programs`, import one another, before or after the change. */
async function meetsSource(
  { git, start, head, files }: Looking,
  file: RoledFile,
  programs: readonly RoledFile[],
): Promise<boolean> {
  const sources = files.filter((one) => one.role === "source" && one !== file && !programs.includes(one));
  const imports = async (from: string, paths: readonly string[]): Promise<boolean> => {
    const texts = await Promise.all([start, head].map((commit) => fileAt(git, commit, from)));
    const lines = texts.flatMap((text) => text?.split("\n") ?? []);
    return lines.some((line) => paths.some((path) => importsFile(line, { path, from })));
  };
  const paths = sources.map(({ path }) => path);
  if (await imports(file.path, paths)) return true;
  for (const { path } of sources) if (await imports(path, [file.path])) return true;
  return false;
}

/** Whether a new file may stand in for a library of Python, which looks in the root first. */
const isShadow = ({ path, before, after, role }: RoledFile): boolean =>
  !before && after !== undefined && role === "source" && /^(?:src\/)?[^/]+\.py$/.test(path);

async function isImported({ git, start }: Looking, path: string): Promise<boolean> {
  const lines = await linesNaming(git, start, path);
  return lines.some(({ from, text }) => importsFile(text, { path, from }));
}

/** Finds the filters that git would run on a commit's files, and refuses them: in a clone there are none. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { Settings } from "../core/settings/settings.ts";
import { io } from "../io/io.ts";
import { removeTree } from "./folders.ts";
import { GitError, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { t } from "../core/language/translate.ts";

/** The first .gitattributes of the commit that asks for Git LFS; comments do not count. */
export async function lfsIn(git: Git, commit: string): Promise<string | undefined> {
  const pattern = "^[^#].*[[:blank:]]filter=lfs([[:blank:]]|$)";
  const where = ["--", ".gitattributes", "**/.gitattributes"];
  const output = await git(["grep", "-l", "-z", "-E", pattern, commit, ...where]).catch((error: unknown) => {
    // Exit status 1 means no match; any other failure is an error.
    if (error instanceof GitError && error.exitCode === 1) return "";
    throw error;
  });
  return zeroed(output)[0]?.replace(/^[^:]*:/, "");
}

/** Tracked files that git gives to a filter with a driver that is configured here, such as git-crypt. */
export type Filtered = { filter: string; paths: string[] };

/** The first filter in force on files of the commit: by .gitattributes, and by the person's own attributes. */
export async function filteredIn(git: Git, commit: string): Promise<Filtered | undefined> {
  const listed = await gitOr(git(["config", "--null", "--get-regexp", driver]), "");
  const names = zeroed(listed).flatMap((entry) => /^filter\.(.+)\.\w+\n./s.exec(entry)?.[1] ?? []);
  const drivers = new Set(names.filter((name) => name !== "lfs"));
  if (drivers.size === 0) return undefined;
  const scratch = mkdtempSync(join(tmpdir(), "monoco-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    await git(["read-tree", commit], { env });
    const input = await git(["ls-files", "-z", "--full-name", ":/"], { env });
    const ask = [
      "-c",
      `core.attributesFile=${await ownAttributes(git)}`,
      "check-attr",
      "--cached",
      "-z",
      "--stdin",
    ];
    const fields = (await git([...ask, "filter"], { env, input })).split("\0");
    const found = new Map<string, string[]>();
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const filter = fields[at + 2]!;
      if (drivers.has(filter)) found.set(filter, [...(found.get(filter) ?? []), fields[at]!]);
    }
    const [first] = found;
    return first && { filter: first[0], paths: first[1] };
  } finally {
    removeTree(scratch);
  }
}

const driver = "^filter\\..*\\.(clean|smudge|process)$";

/** The person's attributes for all repositories: monoco's own git reads none. */
async function ownAttributes(git: Git): Promise<string> {
  const values = zeroed(
    await gitOr(git(["config", "--null", "--type=path", "--get-all", "core.attributesFile"]), ""),
  );
  const { HOME = "", XDG_CONFIG_HOME } = io().env;
  // The last value is monoco's.
  return values.at(-2) ?? join(XDG_CONFIG_HOME || join(HOME, ".config"), "git", "attributes");
}

/** Why files behind a filter are refused. */
export function filteredWords({ filter, paths }: Filtered): string {
  const some = `${paths.slice(0, filteredShown).join(", ")}${paths.length > filteredShown ? `, … (${paths.length})` : ""}`;
  return t`git's filter ${filter} is in force on ${some}: clones are without it, and new files would be committed in plain text`;
}

const filteredShown = 5;

/** Throws `input` for a repository with files behind LFS, or behind another filter unless `filters` is `ignore`. */
export async function refuseFilters(git: Git, commit: string, filters: Settings["filters"]): Promise<void> {
  await refuseLfs(git, commit);
  const filtered = filters === "ignore" ? undefined : await filteredIn(git, commit);
  if (filtered === undefined) return;
  throw new MonocoError("input", filteredWords(filtered), {
    hint: t`set filters: ignore in monoco.yaml if the work touches nothing secret: clones then show these files as git stores them`,
  });
}

/** Throws `input` for a repository with LFS filters. */
async function refuseLfs(git: Git, commit: string): Promise<void> {
  const path = await lfsIn(git, commit);
  if (path === undefined) return;
  throw new MonocoError("input", t`${path} uses Git LFS, which monoco does not handle yet`, {
    hint: t`run monoco on a repository, or a base branch, without LFS filters`,
  });
}

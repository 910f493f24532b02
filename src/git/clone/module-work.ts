/** Work that a session left in the submodules of its clone: what the clone's commit does not record, and commits to keep. */
import { join, relative } from "node:path";
import { foreignPart, gitDirsBelow, isOwnFolder } from "../folders.ts";
import { gitAt, zeroed } from "../git.ts";
import type { Git } from "../git.ts";
import { refPath, refs } from "../refs.ts";
import { keepReflog } from "./fetch-session.ts";
import type { FetchFrom } from "./fetch-session.ts";
import { modulesAt } from "./modules.ts";

/**
 * The submodules with new commits or changed files that `commit` does not record; files that git does not track in a submodule
 * do not count. `git` runs in the clone, whose configuration was restored: it looks into each submodule.
 */
export async function modulesLeft(git: Git, commit: string): Promise<string[]> {
  const paths = (await modulesAt(git, commit)).map(({ path }) => path);
  if (paths.length === 0) return [];
  const look = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no"];
  const literal = paths.map((path) => `:(top,literal)${path}`);
  const entries = zeroed(await git([...look, "--ignore-submodules=untracked", "--", ...literal]));
  return entries.flatMap((entry) => /^1 .. S... (?:\S+ ){5}(.+)$/s.exec(entry)?.[1] ?? []);
}

/**
 * Keeps commits that sessions made in submodules of the clone under refs of the person's own submodule, or of the repository
 * where there is none. `lender` is the person's git directory.
 */
export async function keepModules(lender: string, from: FetchFrom): Promise<void> {
  const own = join(from.workspace, ".git");
  for (const gitDir of gitDirsBelow(own, "modules")) {
    const place = relative(own, gitDir);
    const to = keeperOf(lender, place);
    if (foreignPart(gitDir, join(to, "objects")) !== undefined) continue;
    const ref = `${refs.session(from.issue, from.session)}/${refPath(place)}`;
    await keepReflog(gitAt(to, from.workspace), { ...from, gitDir }, ref);
  }
}

/** The person's git directory that keeps what comes of the submodule at this place below `.git`. */
export function keeperOf(lender: string, place: string): string {
  const theirs = join(lender, place);
  return isOwnFolder(theirs) ? theirs : lender;
}

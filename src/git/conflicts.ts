/** Finds conflict markers that were committed: a conflict that nobody solved. */
import type { Git } from "./git.ts";
import { grep } from "./repository.ts";

/** The number of paths that fit on one command line. */
const pathsAtOnce = 1_000;

/** Returns those of `paths` that contain both ends of a conflict at `commit` and not at `start`. */
export async function conflictMarkers(
  git: Git,
  { start, commit, paths }: { start: string; commit: string; paths: readonly string[] },
): Promise<string[]> {
  const conflicted: string[] = [];
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const marks = (of: string) => grep(git, { commit: of, pattern: "^(<{7}|>{7}) ", paths: some });
    const now = await marks(commit);
    if (now.length === 0) continue;
    // A file that was moved takes its markers along.
    const left = (await marks(start)).map(({ line }) => line);
    const added = now.filter(({ line }) => {
      const at = left.indexOf(line);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
    const has = (path: string, end: string): boolean =>
      added.some(({ file, line }) => file === path && line.startsWith(end));
    conflicted.push(...some.filter((path) => has(path, "<") && has(path, ">")));
  }
  return conflicted;
}

/** The command line before a git: it takes the git out of the terminal's process group, whose Ctrl-C is for monoco alone. */
import { spawnSync } from "node:child_process";
import { attempt } from "../../core/error/attempt.ts";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { gitKillSeconds } from "../../core/limits.ts";

/** `path`: where programs are looked for. `within`: the words of a sandbox. */
type Launch = { lasting: boolean; msMax: number; path: string; within: readonly string[] };

/**
 * The words that end in `git`. What is over in milliseconds gets a session of its own. What is `lasting` ends as a whole: a
 * signal to its first process goes to all that it has started, which is killed a second later, and so does the end of
 * monoco. Programs of util-linux and coreutils do that; where they are missing it is git alone.
 */
export function launcher({ lasting, msMax, path, within }: Launch): [string, ...string[]] {
  if (lasting && guardWorks()) {
    // Its own limit is for a monoco that cannot count any more.
    const seconds = String(Math.ceil(msMax / 1_000) + 2 * gitKillSeconds);
    return [...guard, seconds, ...within, "git"];
  }
  const words = [...within, "git"];
  return [...(hasSetsid(path) ? ["setsid"] : []), ...words] as [string, ...string[]];
}

const guard: [string, ...string[]] = [
  "setpriv",
  ..."--pdeathsig TERM timeout --kill-after".split(" "),
  String(gitKillSeconds),
];

let guarded: boolean | undefined;

/** Tried once as a whole: a small system may have programs of these names that take other words. */
function guardWorks(): boolean {
  const [program, ...words] = [...guard, "9", "true"] as const;
  guarded ??= process.platform === "linux" && spawnSync(program, words, { stdio: "ignore" }).status === 0;
  return guarded;
}

const setsid = new Map<string, boolean>();

function hasSetsid(path: string): boolean {
  const known = setsid.get(path);
  if (known !== undefined) return known;
  const found = path.split(delimiter).some((folder) => {
    return attempt(() => {
      accessSync(join(folder, "setsid"), constants.X_OK);
      return true;
    }, false);
  });
  setsid.set(path, found);
  return found;
}

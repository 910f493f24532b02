/** Makes the command line that starts git outside of the terminal's process group: Ctrl-C is for monoco alone. */
import { spawnSync } from "node:child_process";
import { attempt } from "../../core/error/attempt.ts";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { gitKillSeconds } from "../../core/limits.ts";

/** `path` is the PATH for programs. `within` is a sandbox command. */
type Launch = { lasting: boolean; msMax: number; path: string; within: readonly string[] };

/**
 * The command line, which ends in `git`. A command that takes milliseconds gets a session of its own. A `lasting` command ends
 * as a whole: a signal to its first process, or the end of monoco, reaches all processes that it started, and those left are
 * killed a second later. This uses programs of util-linux and coreutils; without them only git itself ends.
 */
export function launcher({ lasting, msMax, path, within }: Launch): [string, ...string[]] {
  if (lasting && guardWorks()) {
    // This limit applies only if monoco itself hangs.
    const seconds = String(Math.ceil(msMax / 1_000) + 2 * gitKillSeconds);
    return [...guard, seconds, ...within, "git"];
  }
  const argv = [...within, "git"];
  return [...(hasSetsid(path) ? ["setsid"] : []), ...argv] as [string, ...string[]];
}

const guard: [string, ...string[]] = [
  "setpriv",
  ..."--pdeathsig TERM timeout --kill-after".split(" "),
  String(gitKillSeconds),
];

let guarded: boolean | undefined;

/** Whether the guard works; run once, since a small system's programs of these names may take other options. */
function guardWorks(): boolean {
  const [program, ...args] = [...guard, "9", "true"] as const;
  guarded ??= process.platform === "linux" && spawnSync(program, args, { stdio: "ignore" }).status === 0;
  return guarded;
}

const setsid = new Map<string, boolean>();

function hasSetsid(path: string): boolean {
  const before = setsid.get(path);
  if (before !== undefined) return before;
  const isThere = path.split(delimiter).some((folder) => {
    return attempt(() => {
      accessSync(join(folder, "setsid"), constants.X_OK);
      return true;
    }, false);
  });
  setsid.set(path, isThere);
  return isThere;
}

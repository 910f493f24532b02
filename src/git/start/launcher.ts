/** The command line before a git: it takes the git out of the terminal's process group, whose Ctrl-C is for monoco alone. */
import { spawn, spawnSync } from "node:child_process";
import { attempt } from "../../core/error/attempt.ts";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { gitKillSeconds } from "../../core/limits.ts";

/** `path`: where programs are looked for. `isAlone`: it starts no other process. */
type Launch = { lasting: boolean; isAlone: boolean; msMax: number; path: string };

/**
 * The words that end in `git`. What is over in milliseconds gets a session of its own. What is `lasting` ends as a whole: a
 * signal to its first process goes to all that it has started, which is killed a second later, and so does the end of
 * monoco. Programs of util-linux and coreutils do that; where they are missing it is git alone.
 */
export function launcher({ lasting, msMax, path }: Omit<Launch, "isAlone">): [string, ...string[]] {
  if (lasting && guardWorks()) {
    // Its own limit is for a monoco that cannot count any more.
    const seconds = String(Math.ceil(msMax / 1_000) + 2 * gitKillSeconds);
    return [...guard, seconds, "git"];
  }
  return hasSetsid(path) ? ["setsid", "git"] : ["git"];
}

/**
 * The same below a shell that is kept (see shells.ts), which has a session of its own; undefined where its end would not be
 * theirs. The shell's process group ends a git that is late: one that is alone needs only to end with the shell.
 */
export function launcherInShell(launch: Launch): [string, ...string[]] | undefined {
  if (!launch.lasting) return ["git"];
  if (!guardWorks()) return undefined;
  return launch.isAlone ? ["setpriv", "--pdeathsig", "TERM", "git"] : launcher(launch);
}

/** The words of a shell that ends with monoco, whatever it waits for. */
export function shellWords(): [string, ...string[]] {
  return guardWorks() ? ["setpriv", "--pdeathsig", "KILL", "/bin/sh"] : ["/bin/sh"];
}

const guard: [string, ...string[]] = [
  "setpriv",
  ..."--pdeathsig TERM timeout --kill-after".split(" "),
  String(gitKillSeconds),
];

let guarded: boolean | undefined;

/** Tried once as a whole: a small system may have programs of these names that take other words. */
function guardWorks(): boolean {
  const [program, ...words] = guardTrial;
  guarded ??= process.platform === "linux" && spawnSync(program, words, { stdio: "ignore" }).status === 0;
  return guarded;
}

/** Whether the trial is over: nobody would have to wait for it. */
export const isGuardTried = (): boolean => guarded !== undefined || process.platform !== "linux";

const guardTrial: [string, ...string[]] = [...guard, "9", "true"];

/** The same beforehand: whoever needs it before its end tries it anew. */
export function tryGuard(): void {
  if (guarded !== undefined || process.platform !== "linux") return;
  const [program, ...words] = guardTrial;
  const child = spawn(program, words, { stdio: "ignore" });
  child.once("error", () => (guarded ??= false));
  child.once("exit", (exitCode) => (guarded ??= exitCode === 0));
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

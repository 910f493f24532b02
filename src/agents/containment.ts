/** What holds all that a program starts, and whether it works on this machine. */
import { spawn, spawnSync } from "node:child_process";
import { asking } from "./go-ahead.ts";
import type { Lent } from "./go-ahead.ts";

export type Containment = "bubblewrap" | "pid-namespace" | "process-group";

/** The words before a program's own that give it a PID namespace: see child.ts. */
export const pidNamespace = (lent: Lent): [string, ...string[]] => [
  "setpriv",
  ..."--pdeathsig KILL -- unshare --user --map-current-user --pid --mount --mount-proc".split(" "),
  ..."--fork --kill-child=KILL -- /bin/sh -c".split(" "),
  // An INT to the program's group is not the shell's own.
  `${asking(lent)}trap : INT; "$@"; exit $?`,
  "monoco-session",
];

const [program, ...words] = [...pidNamespace("nothing"), "true"];
const trialMsMax = 5_000;
const trial = { stdio: "ignore", timeout: trialMsMax } as const;

let works: boolean | undefined;

/** The strongest containment without a sandbox that works on this machine: the whole command line is tried once. */
export function probeContainment(): Exclude<Containment, "bubblewrap"> {
  works ??= process.platform === "linux" && spawnSync(program, words, trial).status === 0;
  return works ? "pid-namespace" : "process-group";
}

/** Tries it beforehand, beside other work: whoever needs it before its end tries it anew. */
export function beginProbe(): void {
  if (works !== undefined || process.platform !== "linux") return;
  const child = spawn(program, words, { stdio: "ignore" });
  // Nothing waits for it: neither for the trial nor for its time limit.
  child.unref();
  const timer = setTimeout(() => child.kill("SIGKILL"), trialMsMax).unref();
  child.once("error", () => (works ??= false));
  child.once("exit", () => clearTimeout(timer));
  child.once("exit", (exitCode) => (works ??= exitCode === 0));
}

/** Contains everything that a program starts, and tests which containment works on this machine. */
import { spawn, spawnSync } from "node:child_process";
import { asking } from "./go-ahead.ts";
import type { Lent } from "./go-ahead.ts";

export type Containment = "bubblewrap" | "pid-namespace" | "process-group";

/** The wrapper's command line that gives a program a PID namespace: see child.ts. */
export const pidNamespace = (lent: Lent): [string, ...string[]] => [
  "setpriv",
  ..."--pdeathsig KILL -- unshare --user --map-current-user --pid --mount --mount-proc".split(" "),
  ..."--fork --kill-child=KILL -- /bin/sh -c".split(" "),
  // The shell ignores an INT to the program's group.
  `${asking(lent)}trap : INT; "$@"; exit $?`,
  "monoco-session",
];

const [program, ...args] = [...pidNamespace("nothing"), "true"];
const tryMsMax = 5_000;
const options = { stdio: "ignore", timeout: tryMsMax } as const;

let works: boolean | undefined;

/** The strongest containment without a sandbox that works on this machine: its whole command line is tried once. */
export function probeContainment(): Exclude<Containment, "bubblewrap"> {
  works ??= process.platform === "linux" && spawnSync(program, args, options).status === 0;
  return works ? "pid-namespace" : "process-group";
}

/** Starts the test run ahead of time. A caller that needs the result sooner makes its own test run. */
export function beginProbe(): void {
  if (works !== undefined || process.platform !== "linux") return;
  const child = spawn(program, args, { stdio: "ignore" });
  // Neither the test run nor its time limit keeps the process alive.
  child.unref();
  const timer = setTimeout(() => child.kill("SIGKILL"), tryMsMax).unref();
  child.once("error", () => (works ??= false));
  child.once("exit", () => clearTimeout(timer));
  child.once("exit", (exitCode) => (works ??= exitCode === 0));
}

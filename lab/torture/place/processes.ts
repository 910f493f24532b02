/** The processes of a relay in a folder, by what they are: read from /proc, as a blow may fall at any time. */
import { readFileSync, readdirSync } from "node:fs";

export const roles = ["runner", "session", "grandchild", "git"] as const;
export type Role = (typeof roles)[number];

/** `state` is a letter of ps(1): T is stopped. `words`: its command line. */
export type Found = { pid: number; group: number; role: Role; state: string; words: string };

export function processesIn(folder: string): Found[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "utf8");
        const environment = read("environ");
        if (!environment.includes(folder)) return [];
        const argv = read("cmdline").split("\0");
        const [state = ""] = statusOf(read("stat"));
        const role = roleOf(argv, environment, folder);
        return [
          { pid: Number(name), group: groupOf(read("stat")), role, state, words: argv.join(" ").trim() },
        ];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

export function roleOf(argv: readonly string[], environment: string, folder: string): Role {
  if (argv.includes(`${folder}/agent.sh`)) return "session";
  if (environment.includes("MONOCO_SESSION=")) return "grandchild";
  return argv.some((word) => word.endsWith("dist/cli.js")) ? "runner" : "git";
}

/** The fifth field. */
export function groupOf(stat: string): number {
  return Number(statusOf(stat)[2]);
}

/** From the third field on; the second is a name in brackets, which may have blanks in it. */
function statusOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The processes of a relay in a folder, by what they are: read from /proc, as a blow may fall at any time. */
import { readFileSync, readdirSync } from "node:fs";

export const roles = ["runner", "session", "grandchild", "git"] as const;
export type Role = (typeof roles)[number];

export type Found = { pid: number; group: number; role: Role };

export function processesIn(folder: string): Found[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "utf8");
        const environment = read("environ");
        if (!environment.includes(folder)) return [];
        const role = roleOf(read("cmdline").split("\0"), environment, folder);
        return [{ pid: Number(name), group: groupOf(read("stat")), role }];
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

/** The fifth field; the second is a name in brackets, which may have blanks in it. */
export function groupOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
}

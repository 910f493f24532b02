/** A `gh` on the PATH that answers from a file: the real one needs a login and GitHub. See test/fixtures/gh.mjs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixture } from "./cli.ts";
import type { Sandbox } from "./cli.ts";

export type GithubIssue = {
  number: number;
  title: string;
  body: string;
  labels: { id: string; name: string; description: string; color: string }[];
  state: "OPEN" | "CLOSED";
  stateReason: string;
  url: string;
  comments?: { body: string }[];
};

export function githubIssue(number: number, title: string, more: Partial<GithubIssue> = {}): GithubIssue {
  const url = `https://github.com/owner/name/issues/${number}`;
  return { number, title, body: "", labels: [], state: "OPEN", stateReason: "", url, ...more };
}

export const label = (name: string): GithubIssue["labels"][number] => ({
  id: `LA_${name}`,
  name,
  description: "",
  color: "d73a4a",
});

export type StandInGh = {
  /** For the environment of a command. */
  env: Record<string, string>;
  issues(): GithubIssue[];
  /** What it was asked, call by call. */
  calls(): string[][];
  /** `down`, `logged-out`, or well again. */
  be(how: "down" | "logged-out" | "well"): void;
};

export function standInGh(sandbox: Sandbox, issues: readonly GithubIssue[]): StandInGh {
  const folder = join(sandbox.folder, "gh");
  mkdirSync(join(folder, "bin"), { recursive: true });
  const program = join(folder, "bin", "gh");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${fixture("gh.mjs")}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "issues.json"), JSON.stringify(issues));
  const log = join(folder, "calls.log");
  return {
    env: { PATH: `${join(folder, "bin")}:${sandbox.env["PATH"]}`, GH_FOLDER: folder },
    issues: () => JSON.parse(readFileSync(join(folder, "issues.json"), "utf8")) as GithubIssue[],
    calls: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as string[])
        : [],
    be: (how) => {
      for (const name of ["down", "logged-out"]) rmSync(join(folder, name), { force: true });
      if (how !== "well") writeFileSync(join(folder, how), "");
    },
  };
}

/** What every live test gives to an agent's CLI: an environment built from nothing, with a home and a temp folder of its own. */
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A PATH with the agent's program, node and git; a locale, a shell, and an identity for git. */
export function cleanEnvironment(home: string, programDir: string): Record<string, string> {
  const temp = join(home, "tmp");
  mkdirSync(temp, { recursive: true });
  return {
    PATH: [programDir, dirname(process.execPath), ...gitFolders(), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Live Test",
    GIT_AUTHOR_EMAIL: "live@example.invalid",
    GIT_COMMITTER_NAME: "Live Test",
    GIT_COMMITTER_EMAIL: "live@example.invalid",
  };
}

function gitFolders(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => existsSync(join(folder, "git")));
}

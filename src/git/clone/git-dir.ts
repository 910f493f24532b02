/** The `.git` of a clone, written by hand: one is made for each session, and `git init` and `git update-ref` cost a process each. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTree } from "../folders.ts";
import type { Git } from "../git.ts";

export type GitDir = {
  /** HEAD stands on this branch. */
  branch: string;
  /** The commit of each branch. */
  branches: Readonly<Record<string, string>>;
  identity: { name: string; email: string };
  /** As of `configFor`. */
  config: string;
};

/** Makes `folder` with a `.git` in it that has no objects and no index; returns the path of the `.git`. */
export function makeGitDir(folder: string, of: GitDir): string {
  const own = join(folder, ".git");
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, "HEAD"), `ref: refs/heads/${of.branch}\n`);
  const { name, email } = of.identity;
  const user = `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`;
  writeFileSync(join(own, "config"), `${of.config}${user}[commit]\n\tgpgSign = false\n`);
  for (const [branch, commit] of Object.entries(of.branches)) {
    const path = looseRef(own, branch);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${commit}\n`);
  }
  appendFileSync(join(own, "info", "exclude"), "/RALPH.md\n");
  return own;
}

/** What git finds out about a file system (links, letter case, the executable bit), by the folder that clones are made in. */
const configs = new Map<string, Promise<string>>();

/** The configuration of a `.git` without a person's name. Git is asked once, by an `init` in `folder` itself, which is to be removed then. */
export function configFor(git: Git, folder: string, format: "sha1" | "sha256"): Promise<string> {
  const place = `${format} ${dirname(folder)}`;
  const known = configs.get(place);
  if (known) return known;
  // Relays that begin at once wait for the one answer; a failure is nobody's but its own.
  const asked = askConfig(git, folder, format);
  configs.set(place, asked);
  asked.catch(() => configs.delete(place));
  return asked;
}

async function askConfig(git: Git, folder: string, format: "sha1" | "sha256"): Promise<string> {
  removeTree(folder);
  const env = { GIT_DEFAULT_REF_FORMAT: "files" };
  await git(["init", "--quiet", "--template=", `--object-format=${format}`, "--", folder], { env });
  return readFileSync(join(folder, ".git", "config"), "utf8");
}

/** A value of git's configuration. */
function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** Where a `.git` that was made here has the commit of a branch. */
export function looseRef(own: string, branch: string): string {
  return join(own, "refs", "heads", branch);
}

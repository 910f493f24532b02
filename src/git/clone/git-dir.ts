/** Creates the `.git` of a clone: empty, with the branches, the identity and no remote. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { gitIn } from "../git.ts";
import type { Git } from "../git.ts";
import type { Identity } from "../identity.ts";

export type GitDir = {
  /** The branch that HEAD names. */
  branch: string;
  /** The commit of each ref. */
  refs: Readonly<Record<string, string>>;
  identity: Identity;
  /** Adds objects to the object folder `objects`. */
  fill(objects: string): void | Promise<void>;
};

/** Makes `folder` with a `.git` that has no index. `git` runs in the repository that is cloned. */
export async function makeGitDir(git: Git, folder: string, of: GitDir): Promise<void> {
  const hashes = Object.values(of.refs);
  const format = hashes[0]?.length === 64 ? "sha256" : "sha1";
  const init = ["init", "--quiet", "--template=", `--object-format=${format}`];
  const env = { GIT_DEFAULT_REF_FORMAT: "files" };
  await git([...init, `--initial-branch=${of.branch}`, "--", folder], { env });
  const own = gitIn(folder);
  const { name, email } = of.identity;
  const settings = { "user.name": name, "user.email": email, "commit.gpgSign": "false" };
  for (const [key, value] of Object.entries(settings)) await own(["config", key, value]);
  await of.fill(join(folder, ".git", "objects"));
  const input = Object.entries(of.refs).map(([ref, commit]) => `create ${ref} ${commit}\n`);
  await own(["update-ref", "--stdin"], { input: input.join("") });
  mkdirSync(join(folder, ".git", "info"), { recursive: true });
  appendFileSync(join(folder, ".git", "info", "exclude"), "/RALPH.md\n");
}

/** Creates the `.git` of a clone: empty, with the refs, the identity and the configuration that it is given. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitIn } from "../git.ts";
import type { Git } from "../git.ts";
import type { Identity } from "../identity.ts";
import type { Names } from "./names.ts";

export type GitDir = {
  /** Where the git directory is, if not in its folder. */
  gitDir?: string;
  /** The branch that HEAD names. */
  branch: string;
  /** The commit of each ref. */
  refs: Readonly<Record<string, string>>;
  names: Names;
  identity: Identity;
  /** Further configuration; a key may have several values. */
  entries: readonly (readonly [key: string, value: string])[];
  /** Git runs no filter there, whatever .gitattributes says. */
  unfiltered: boolean;
  /** Adds objects to the object folder `objects`. */
  fill(objects: string): void | Promise<void>;
};

/** Makes `folder` with a git directory that has no index. */
export async function makeGitDir(git: Git, folder: string, of: GitDir): Promise<void> {
  const hashes = Object.values(of.refs);
  const format = hashes[0]?.length === 64 ? "sha256" : "sha1";
  const init = ["init", "--quiet", "--template=", `--object-format=${format}`];
  const env = { GIT_DEFAULT_REF_FORMAT: "files" };
  const elsewhere = of.gitDir === undefined ? [] : [`--separate-git-dir=${of.gitDir}`];
  await git([...init, ...elsewhere, `--initial-branch=${of.branch}`, "--", folder], { env });
  const gitDir = of.gitDir ?? join(folder, ".git");
  const own = gitIn(folder);
  const { name, email } = of.identity;
  const settings = { "user.name": name, "user.email": email, "commit.gpgSign": "false" };
  for (const [key, value] of [...Object.entries(settings), ...of.entries])
    await own(["config", "--add", key, value]);
  await of.fill(join(gitDir, "objects"));
  const input = Object.entries(of.refs).map(([ref, commit]) => `create ${ref} ${commit}\n`);
  // There may be thousands of names: git reads them from one file.
  const packed = [...of.names.refs].map(([ref, hash]) => `${hash} ${ref}\n`).join("");
  if (packed !== "") writeFileSync(join(gitDir, "packed-refs"), packed);
  await own(["update-ref", "--no-deref", "--stdin"], { input: input.join("") });
  for (const [name, to] of of.names.symbolic) await own(["symbolic-ref", name, to]);
  mkdirSync(join(gitDir, "info"), { recursive: true });
  if (of.unfiltered) writeFileSync(join(gitDir, "info", "attributes"), "* -filter\n");
  appendFileSync(join(gitDir, "info", "exclude"), "/RALPH.md\n");
}

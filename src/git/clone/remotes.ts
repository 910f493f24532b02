/** The person's remotes as a clone in a sandbox shows them: addresses without a user or token, to which nothing is pushed. */
import { resolve } from "node:path";
import type { Git } from "../git.ts";

/** A remote's name and the address that git fetches from. */
export type Remote = { name: string; url: string };

/** The remotes of a repository whose worktree is `root`; those with an address that may hold a secret or run a program are left out. */
export async function remotesOf(git: Git, root: string): Promise<Remote[]> {
  const lines = (await git(["remote", "--verbose"])).split("\n");
  return lines.flatMap((line) => {
    const [, name = "", address = ""] = /^(\S+)\t(.+) \(fetch\)/.exec(line) ?? [];
    const url = publicAddress(address, root);
    return url === undefined ? [] : [{ name, url }];
  });
}

/** The address without user, password and query; undefined for one in a form that monoco does not know. */
function publicAddress(address: string, root: string): string | undefined {
  if (/^[\w+.-]+:\/\//.test(address)) {
    if (!/^(?:https?|ssh|git|ftps?|file):/.test(address) || !URL.canParse(address)) return undefined;
    const url = new URL(address);
    return Object.assign(url, { username: "", password: "", search: "", hash: "" }).href;
  }
  // `helper::address` runs a program.
  if (address === "" || /^\w+::/.test(address)) return undefined;
  return /^(?:[^/]*@)?([^/:@]+:.*)$/.exec(address)?.[1] ?? resolve(root, address);
}

/** Configuration entries for remotes. `base`: the branch whose `origin/<base>` is monoco's, and which no fetch moves. */
export function remoteEntries(remotes: readonly Remote[], base?: string): Entry[] {
  return remotes.flatMap(({ name, url }): Entry[] => [
    [`remote.${name}.url`, url],
    [`remote.${name}.pushurl`, noPush],
    [`remote.${name}.fetch`, `+refs/heads/*:refs/remotes/${name}/*`],
    ...(name === "origin" && base !== undefined
      ? [[`remote.${name}.fetch`, `^refs/heads/${base}`] satisfies Entry]
      : []),
  ]);
}

type Entry = [key: string, value: string];

/** Git prints the path when it cannot push. */
const noPush = "/dev/null/a session does not push: commit, and run `monoco issue submit`";

/** The address that a relative one in .gitmodules means, as git resolves it from the superproject's. */
export function resolvedFrom(superproject: string, relative: string): string {
  const [up] = /^(?:\.\.?\/)*/.exec(relative)!;
  const levels = up.split("../").length - 1;
  const start = superproject.replace(/\/+$/, "").replace(new RegExp(`(?:(?:^|[/:])[^/:]*){${levels}}$`), "");
  const rest = relative.slice(up.length);
  return superproject[start.length] === ":" ? `${start}:${rest}` : `${start}/${rest}`;
}

/** What remotes tell about branches: the default one, how far a branch is behind its upstream, and where it is pushed to. */
import type { Behind } from "../core/relay/behind.ts";
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { commitOf } from "./repository.ts";

/** `sure`: a remote names the branch as its default, or it is the only one. */
export type DefaultBranch = { branch: string; sure: boolean };

/** The branch that work starts from: the remote's default, else the only branch, else one with a usual name, else the current one. */
export async function defaultBranch(git: Git): Promise<DefaultBranch> {
  const byRemote = await remoteDefault(git);
  if (byRemote !== undefined) return { branch: byRemote, sure: true };
  const current = (await gitOr(git(["symbolic-ref", "--quiet", "--short", "HEAD"]), "")).trim();
  const listed = await git(["for-each-ref", "--format=%(refname)", "refs/heads"]);
  const heads = listed.split("\n").flatMap((ref) => ref.match(/^refs\/heads\/(?!monoco\/)(.+)$/)?.[1] ?? []);
  const usual = ["main", "master", "trunk"].find((name) => heads.includes(name));
  const branch = (heads.length === 1 ? heads[0] : usual) ?? (current || heads[0] || "main");
  return { branch, sure: heads.length <= 1 };
}

/** The default branch of `origin`, else of the only remote that names one. */
async function remoteDefault(git: Git): Promise<string | undefined> {
  const format = "--format=%(refname) %(symref)";
  const named = (await git(["for-each-ref", format, "refs/remotes/*/HEAD"])).split("\n").flatMap((line) => {
    const [, remote = "", branch] = /^refs\/remotes\/(.+)\/HEAD refs\/remotes\/\1\/(.+)$/.exec(line) ?? [];
    return branch === undefined ? [] : [{ remote, branch }];
  });
  const origin = named.find(({ remote }) => remote === "origin");
  return (origin ?? (named.length === 1 ? named[0] : undefined))?.branch;
}

/** How far the branch is behind its upstream as last fetched; undefined if it is not. */
export async function behindUpstream(git: Git, branch: string): Promise<Behind | undefined> {
  const beside = await besideUpstream(git, branch);
  return beside && beside.behind > 0 ? beside : undefined;
}

/** The branch beside its upstream as last fetched; undefined without one. If none is set, the remote's branch of that name counts. */
export async function besideUpstream(git: Git, branch: string): Promise<Behind | undefined> {
  const own = `refs/heads/${branch}`;
  const format = "--format=%(refname) %(upstream)";
  const refs = (await git(["for-each-ref", format, own])).split("\n").map((line) => line.split(" "));
  const set = refs.find(([name]) => name === own)?.[1];
  const remote = set ? undefined : await remoteOf(git, [["branch", branch, "remote"]]);
  const ref = set || (remote && `refs/remotes/${remote}/${branch}`);
  const [here, commit] = [await commitOf(git, own), ref && (await commitOf(git, ref))];
  if (!here || !ref || !commit) return undefined;
  const counts = await git(["rev-list", "--left-right", "--count", `${here}...${commit}`]);
  const [ahead = 0, behind = 0] = counts.trim().split("\t").map(Number);
  return { branch, upstream: ref.replace(/^refs\/(?:heads|remotes)\//, ""), commit, behind, ahead };
}

/** The remote that `branch` is pushed to in git's own order, with the remote of its base as its own. */
export async function pushRemoteOf(
  git: Git,
  { branch, base }: { branch: string; base: string },
): Promise<string | undefined> {
  return remoteOf(git, [
    ["branch", branch, "pushremote"],
    ["branch", base, "pushremote"],
    ["remote", "pushdefault"],
    ["branch", branch, "remote"],
    ["branch", base, "remote"],
  ]);
}

/** The remote that the first configured key names, else `origin`, else the only remote. */
async function remoteOf(git: Git, keys: readonly (readonly string[])[]): Promise<string | undefined> {
  const remotes = (await git(["remote"])).split("\n").filter(Boolean);
  const pattern = "^(branch\\..*\\.(pushremote|remote)|remote\\.pushdefault)$";
  const entries = zeroed(await gitOr(git(["config", "--null", "--get-regexp", pattern]), ""));
  for (const key of keys) {
    const value = entries.findLast((entry) => entry.startsWith(`${key.join(".")}\n`))?.split("\n")[1];
    // Git takes an address for the name of a remote, too; "." is the repository itself.
    if (value && (remotes.includes(value) || /[:/]/.test(value))) return value;
  }
  if (remotes.includes("origin")) return "origin";
  return remotes.length === 1 ? remotes[0] : undefined;
}

/** A repository on a host, as a remote's address names it. */
export type Hosted = { host: string; owner: string; name: string };

/** The repository that pushes to `remote` go to, and the one that `base` comes from; undefined if they are the same or not on a host. */
export async function forkOf(
  git: Git,
  { remote, base }: { remote: string; base: string },
): Promise<{ fork: Hosted; of: Hosted } | undefined> {
  const from = await remoteOf(git, [["branch", base, "remote"]]);
  const fork = hostedAt(await gitOr(git(["remote", "get-url", "--push", remote]), remote));
  const of = from === undefined ? undefined : hostedAt(await gitOr(git(["remote", "get-url", from]), from));
  return fork && of && fork.owner !== of.owner ? { fork, of } : undefined;
}

/** The repository at a remote's address, as it is written or as git replaces it; undefined if that is on no host. */
export async function hostedRemote(git: Git, remote: string): Promise<Hosted | undefined> {
  const written = await gitOr(git(["config", "--get", `remote.${remote}.url`]), "");
  return hostedAt(written) ?? hostedAt(await gitOr(git(["remote", "get-url", remote]), remote));
}

/** The repository of a remote that is on GitLab. */
export async function gitlabRemote(
  git: Git,
  remote: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Hosted | undefined> {
  const hosted = await hostedRemote(git, remote);
  return hosted && isGitlab(hosted, env) ? hosted : undefined;
}

/** Whether the host is a GitLab: its name says so, or the variable of glab, or of the CI that runs this. */
export const isGitlab = ({ host }: Hosted, env: Readonly<Record<string, string | undefined>>): boolean =>
  /gitlab/i.test(host) || [env["GITLAB_HOST"], env["CI_SERVER_HOST"]].includes(host);

/** Reads `https://host/owner/name.git`, `git@host:owner/name` and the like. */
function hostedAt(address: string): Hosted | undefined {
  const [, host, owner, name] =
    /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]\/?(.+)\/([^/]+?)(?:\.git)?\/?$/.exec(
      address.trim(),
    ) ?? [];
  return host && owner && name ? { host, owner, name } : undefined;
}

/** What remotes tell about branches: the default one, how far a branch is behind its upstream, and where it is pushed to. */
import { gitOr } from "./git.ts";
import type { Git } from "./git.ts";

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

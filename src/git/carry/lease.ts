/** Writes and reads the commit of a lease: an empty tree, and the lease as its message. */
import type { Lease } from "../../core/lease/lease.ts";
import { parseLease } from "../../core/lease/lease.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { packerEnv } from "./packer.ts";

/** Returns the commit's id. Nothing refers to it here: git keeps it for the two weeks of its garbage collection. */
export async function writeLease(git: Git, lease: Lease): Promise<string> {
  const tree = (await git(["mktree"], { input: "" })).trim();
  return (await git(["commit-tree", tree, "-m", JSON.stringify(lease)], { env: packerEnv })).trim();
}

/** Undefined if the commit is not here, or holds no lease. */
export async function readLease(git: Git, commit: string): Promise<Lease | undefined> {
  const body = await gitOr(git(["log", "-1", "--no-show-signature", "--format=%B", commit, "--"]), "");
  return parseLease(body.trim());
}

/** A relay's merge request on GitLab: opened, read and described by `glab api`. */
import { z } from "zod";
import { wordsOf } from "../../core/error/error.ts";
import type { PullCheck, PullRequestLook } from "../../core/pulls/look.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { glab } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import type { Hosted } from "../remotes.ts";
import { gitlabHost } from "./gitlab.ts";
import { readAnswer } from "./host.ts";
import type { NewPull } from "./host.ts";

const schema = z.object({
  state: z.enum(["opened", "locked", "closed", "merged"]),
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  has_conflicts: z.boolean().default(false),
  head_pipeline: z.object({ status: z.string(), web_url: z.string() }).nullish(),
});

/** GitLab's address of a merge request, as an API path below its host; undefined for any other address. */
export function mergeRequestAt(url: string): { host: string; path: string } | undefined {
  const [, host, project, number] = /^https?:\/\/([^/]+)\/(.+)\/-\/merge_requests\/(\d+)/.exec(url) ?? [];
  if (!host || !project) return undefined;
  return { host, path: `projects/${encodeURIComponent(project)}/merge_requests/${number}` };
}

/** Like `openPullRequest` of GitHub. */
export async function openMergeRequest(
  at: GhRun,
  repository: Hosted,
  pull: NewPull,
): Promise<{ url: string } | { because: string }> {
  try {
    return { url: await gitlabHost(repository, at).openPull(pull) };
  } catch (error) {
    return { because: wordsOf(error) };
  }
}

const green = ["success", "skipped"];
const stopped = ["canceled", "canceling", "manual"];

/** Its state, its conflicts and its pipeline. What people write on it are commands (`monoco relay comments`), or are not read. */
export async function seeMergeRequest(
  at: GhRun,
  { host, path }: { host: string; path: string },
): Promise<PullRequestLook> {
  const answer = await glab(["api", path, "--hostname", host], at);
  const { state, sha, head_pipeline: pipeline, ...request } = readAnswer(schema, answer, path);
  const commit = request.merge_commit_sha ?? request.squash_commit_sha;
  const says = pipeline?.status ?? "";
  const is: PullCheck["is"] = green.includes(says)
    ? "green"
    : says === "failed"
      ? "red"
      : stopped.includes(says)
        ? "stopped"
        : "pending";
  const check = {
    name: "pipeline",
    is,
    says: plainLine(says, 40),
    url: plainLine(pipeline?.web_url ?? "", 500),
  };
  return {
    state: state === "merged" || state === "closed" ? state : "open",
    head: sha,
    ...(state === "merged" && commit ? { commit } : {}),
    conflicts: request.has_conflicts,
    checks: pipeline ? [check] : [],
    remarks: [],
  };
}

/** Replaces its description. */
export async function describeMergeRequest(
  at: GhRun,
  { host, path }: { host: string; path: string },
  body: string,
): Promise<void> {
  const words = ["api", path, "--hostname", host, "--method", "PUT", "--raw-field", `description=${body}`];
  readAnswer(z.unknown(), await glab(words, at), path);
}

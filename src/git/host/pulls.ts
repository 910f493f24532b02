/** A relay's pull request, on GitHub or as a merge request on GitLab: opened, read and described. */
import { z } from "zod";
import { wordsOf } from "../../core/error/error.ts";
import type { PullCheck, PullRequestLook } from "../../core/pulls/look.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { glab } from "../github/gh.ts";
import type { GhRun } from "../github/gh.ts";
import { newPull, openPullRequest } from "../github/publish.ts";
import type { PullRequest } from "../github/publish.ts";
import { seePullRequest, updateBody } from "../github/pull-request.ts";
import type { PersonRun } from "../person.ts";
import type { Hosted } from "../remotes.ts";
import { gitlabHost } from "./gitlab.ts";
import { readAnswer } from "./host.ts";

const schema = z.object({
  state: z.enum(["opened", "locked", "closed", "merged"]),
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  has_conflicts: z.boolean().default(false),
  head_pipeline: z.object({ status: z.string(), web_url: z.string() }).nullish(),
});

/** `gitlab`: the repository that has the branch, if it is there. */
type Wanted = PullRequest & { gitlab: Hosted | undefined };

/** The command that opens the pull request with the body in `file`. */
export function createCommand(pull: Omit<Wanted, "body">, file: string): string {
  const { base, branch, gitlab, title } = pull;
  if (!gitlab)
    return `gh pr create ${[...newPull(pull), "--title", title, "--body-file", file].map(shellWord).join(" ")}`;
  const words = ["--source-branch", branch, "--target-branch", base, "--title", title]
    .map(shellWord)
    .join(" ");
  return `glab mr create ${words} --description "$(cat ${shellWord(file)})"`;
}

/** The branch's open pull request, or a new one. */
export async function openPull(at: PersonRun, pull: Wanted): Promise<{ url: string } | { because: string }> {
  if (!pull.gitlab) return openPullRequest(at, pull);
  try {
    return { url: await gitlabHost(pull.gitlab, at).openPull(pull) };
  } catch (error) {
    return { because: wordsOf(error) };
  }
}

/** `taken`: the findings that are known; the logs of other failed checks are read. Throws like `gh`. */
export async function seePull(
  at: GhRun,
  of: { url: string; taken?: ReadonlySet<string> },
): Promise<PullRequestLook> {
  const request = mergeRequestAt(of.url);
  return request ? seeMergeRequest(at, request) : seePullRequest(at, of);
}

/** Replaces its body. Returns why it could not; undefined after a success. */
export async function describePull(
  at: GhRun,
  { url, body }: { url: string; body: string },
): Promise<string | undefined> {
  const request = mergeRequestAt(url);
  if (!request) return updateBody(at, { url, body });
  const { host, path } = request;
  const words = ["api", path, "--hostname", host, "--method", "PUT", "--raw-field", `description=${body}`];
  return glab(words, at).then(() => undefined, wordsOf);
}

/** GitLab's address of a merge request, as an API path below its host; undefined for any other address. */
function mergeRequestAt(url: string): { host: string; path: string } | undefined {
  const [, host, project, number] = /^https?:\/\/([^/]+)\/(.+)\/-\/merge_requests\/(\d+)/.exec(url) ?? [];
  if (!host || !project) return undefined;
  return { host, path: `projects/${encodeURIComponent(project)}/merge_requests/${number}` };
}

const green = ["success", "skipped"];
const stopped = ["canceled", "canceling", "manual"];

/** Its state, its conflicts and its pipeline. What people write on it are commands (`monoco relay comments`), or are not read. */
async function seeMergeRequest(
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

/** A relay's pull request, on GitHub or as a merge request on GitLab: opened, read and described. */
import { z } from "zod";
import { wordsOf } from "../../core/error/error.ts";
import type { PullCheck, PullRequestLook } from "../../core/pulls/look.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { shellWord } from "../../core/text/shell.ts";
import { t } from "../../core/language/translate.ts";
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
  head_pipeline: z
    .object({ status: z.string(), web_url: z.string(), sha: z.string(), ref: z.string().nullish() })
    .nullish(),
});

/** `gitlab`: the repository that the request is opened in, if it is there. */
type Wanted = PullRequest & { gitlab: Hosted | undefined };

/** The command that opens the pull request with the body in `file`. */
export function createCommand(pull: Omit<Wanted, "body">, file: string): string {
  const { across, base, branch, gitlab, title } = pull;
  if (!gitlab)
    return `gh pr create ${[...newPull(pull), "--title", title, "--body-file", file].map(shellWord).join(" ")}`;
  const at = across
    ? ["--repo", `${across.of.owner}/${across.of.name}`, "--head", `${across.fork.owner}/${across.fork.name}`]
    : [];
  const words = [...at, "--source-branch", branch, "--target-branch", base, "--title", title];
  return `glab mr create ${words.map(shellWord).join(" ")} --description "$(cat ${shellWord(file)})"`;
}

/** The command that replaces its body with that in `file`. */
export function editCommand(pull: Request, file: string): string {
  const { url, gitlab } = pull;
  const path = requestPath(pull);
  return gitlab && path !== undefined
    ? `glab api ${shellWord(path)} --hostname ${shellWord(gitlab.host)} --method PUT --raw-field description="$(cat ${shellWord(file)})"`
    : `gh pr edit ${shellWord(url)} --body-file ${shellWord(file)}`;
}

/** The branch's open pull request, or a new one. */
export async function openPull(at: PersonRun, pull: Wanted): Promise<{ url: string } | { because: string }> {
  if (!pull.gitlab) return openPullRequest(at, pull);
  if (pull.across) return { because: t`one of a fork on GitLab is opened by hand` };
  try {
    return { url: await gitlabHost(pull.gitlab, at).openPull({ ...pull, body: inert(pull.body) }) };
  } catch (error) {
    return { because: wordsOf(error) };
  }
}

/** A pull request by its address, and the repository of its remote, if that is on GitLab. */
export type Request = { url: string; gitlab: Hosted | undefined };

/** `taken`: the findings that are known; the logs of other failed checks are read. Throws like `gh`. */
export async function seePull(
  at: GhRun,
  of: Request & { taken?: ReadonlySet<string> },
): Promise<PullRequestLook> {
  const path = requestPath(of);
  return of.gitlab && path !== undefined
    ? seeMergeRequest(at, { host: of.gitlab.host, path })
    : seePullRequest(at, of);
}

/** Replaces its body. Returns why it could not; undefined after a success. */
export async function describePull(
  at: GhRun,
  { body, ...of }: Request & { body: string },
): Promise<string | undefined> {
  const path = requestPath(of);
  if (!of.gitlab || path === undefined) return updateBody(at, { url: of.url, body });
  const field = `description=${inert(body)}`;
  const words = ["api", path, "--hostname", of.gitlab.host, "--method", "PUT", "--raw-field", field];
  return glab(words, at).then(() => undefined, wordsOf);
}

/**
 * The API path of a merge request; undefined unless its address is on the remote's host and in its project. The address comes
 * from the journal, which another machine may have written, and glab sends its token to any host.
 */
function requestPath({ url, gitlab }: Request): string | undefined {
  const [, host, project, number] =
    /^https?:\/\/([^/:]+)(?::\d+)?\/(.+)\/-\/merge_requests\/(\d+)/.exec(url) ?? [];
  if (!gitlab || host !== gitlab.host || project !== `${gitlab.owner}/${gitlab.name}`) return undefined;
  return `projects/${encodeURIComponent(project)}/merge_requests/${number}`;
}

/** GitLab looks for quick actions and closing words in the text as it is written, code included. */
const inert = (body: string): string =>
  body.replaceAll(/#(?=\d)|:(?=\/\/)|G[HL](?=-\d)/g, "$& ").replaceAll(/^\//gm, " /");

const green = ["success", "skipped"];
const stopped = ["canceled", "canceling", "manual"];

/** Its state, its conflicts and its pipeline. What people write on it are commands (`monoco relay comments`), or are not read. */
async function seeMergeRequest(
  at: GhRun,
  { host, path }: { host: string; path: string },
): Promise<PullRequestLook> {
  const answer = await glab(["api", path, "--hostname", host], at);
  const { state, sha, head_pipeline, ...request } = readAnswer(schema, answer, path);
  // A fast-forward makes no commit.
  const commit = request.merge_commit_sha ?? request.squash_commit_sha ?? sha;
  // GitLab reports the last pipeline until the new head has one. A pipeline of a merged result has its own commit.
  const isOfHead = head_pipeline?.sha === sha || /\/(?:merge|train)$/.test(head_pipeline?.ref ?? "");
  const pipeline = isOfHead ? head_pipeline : undefined;
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
    ...(state === "merged" ? { commit } : {}),
    conflicts: request.has_conflicts,
    checks: pipeline ? [check] : [],
    remarks: [],
  };
}

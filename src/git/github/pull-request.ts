/** Reads a pull request, and updates its body, through GitHub's `gh` with the person's login. */
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { pullLogsMax, remarkCharsMax } from "../../core/limits.ts";
import { newlyRed } from "../../core/pulls/findings.ts";
import { readLook, threadsQuery, viewFields } from "../../core/pulls/look.ts";
import type { PullCheck, PullRequestLook } from "../../core/pulls/look.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { gh } from "./gh.ts";
import type { GhRun } from "./gh.ts";
import { t } from "../../core/language/translate.ts";

/**
 * Throws like `gh`, and `input` for an unreadable answer. With `taken`, adds available logs of failed checks that are not in
 * it.
 */
export async function seePullRequest(
  at: GhRun,
  { url, taken }: { url: string; taken?: ReadonlySet<string> },
): Promise<PullRequestLook> {
  const { host, owner, name, number } = partsOf(url);
  const view = await gh(["pr", "view", url, `--json=${viewFields.join(",")}`], at);
  const which = ["-f", `owner=${owner}`, "-f", `name=${name}`, "-F", `number=${number}`];
  const nodes = ".data.repository.pullRequest.reviewThreads.nodes[]";
  const threads = await gh(
    [
      "api",
      "graphql",
      "--hostname",
      host,
      "--paginate",
      ...which,
      "-f",
      `query=${threadsQuery}`,
      "--jq",
      nodes,
    ],
    at,
  );
  const look = readAnswer({ view, threads });
  const red = look.state === "open" && taken ? newlyRed(look, taken).slice(0, pullLogsMax) : [];
  const logs = new Map<PullCheck, string>();
  for (const check of red) logs.set(check, await logOf(at, check, `${host}/${owner}/${name}`));
  const checks = look.checks.map((check) => {
    const log = logs.get(check);
    return log ? { ...check, log } : check;
  });
  return { ...look, checks };
}

/** Replaces the pull request's body. Returns why it could not; undefined after a success. */
export async function updateBody(
  at: GhRun,
  { url, body }: { url: string; body: string },
): Promise<string | undefined> {
  try {
    const { host, owner, name, number } = partsOf(url);
    const path = `repos/${owner}/${name}/pulls/${number}`;
    await gh(["api", path, "--hostname", host, "--method", "PATCH", "-F", "body=@-", "--silent"], {
      ...at,
      input: body,
    });
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

function partsOf(url: string): { host: string; owner: string; name: string; number: string } {
  const [, host, owner, name, number] = /^https?:\/\/([^/]+)\/([^/]+)\/([^/]+)\/pull\/(\d+)/.exec(url) ?? [];
  if (!host || !owner || !name || !number) {
    throw new MonocoError("input", t`${plainLine(url)}: expected the address of a pull request on GitHub`, {
      hint: t`merge or close it there, and take it over by hand: git pull on the base`,
    });
  }
  return { host, owner, name, number };
}

function readAnswer(answer: { view: string; threads: string }): PullRequestLook {
  try {
    return readLook(answer);
  } catch (error) {
    const why = plainLine(wordsOf(error), 300);
    throw new MonocoError("input", t`gh told of the pull request what cannot be read: ${why}`, {
      hint: t`gh --version: version 2.20 or newer is needed`,
      cause: error,
    });
  }
}

/** The end of a failed GitHub Actions job's log; "" if there is none. */
async function logOf(at: GhRun, { url }: PullCheck, repository: string): Promise<string> {
  const job = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(url ?? "")?.[1];
  if (job === undefined) return "";
  try {
    const log = plain(await gh(["run", "view", "--repo", repository, "--job", job, "--log-failed"], at));
    return log.trimEnd().slice(-remarkCharsMax).toWellFormed();
  } catch {
    // An expired log does not change that the check failed.
    return "";
  }
}

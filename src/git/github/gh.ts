/** Calls `gh` or `glab`, the command lines of GitHub and GitLab, with the login of the person who runs monoco, never for an agent. */
import { MonocoError } from "../../core/error/error.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { io } from "../../io/io.ts";
import { runAsPerson } from "../person.ts";
import type { PersonRun } from "../person.ts";
import { t } from "../../core/language/translate.ts";

export type GhRun = Pick<PersonRun, "cwd" | "input"> & { env?: PersonRun["env"] };

/**
 * Returns gh's output. Throws a hint with `input` (gh is missing, not logged in or fails) or `later` (GitHub cannot be
 * reached).
 */
export async function gh(args: readonly string[], at: GhRun): Promise<string> {
  return ask({ program: "gh", host: "GitHub", home: "https://cli.github.com" }, args, at);
}

/** Like `gh`, for GitLab. */
export async function glab(args: readonly string[], at: GhRun): Promise<string> {
  return ask({ program: "glab", host: "GitLab", home: "https://gitlab.com/gitlab-org/cli" }, args, at);
}

type Line = { program: "gh" | "glab"; host: string; home: string };

async function ask({ program, host, home }: Line, args: readonly string[], at: GhRun): Promise<string> {
  const { exitCode, stdout, stderr, missing } = await runAsPerson(program, args, { env: io().env, ...at });
  const asked = `${program} ${args.slice(0, 2).join(" ")}`;
  if (missing) {
    throw new MonocoError("input", t`${asked}: ${program} is not installed`, {
      hint: t`install ${host}'s command line (${home}), then ${program} auth login`,
    });
  }
  if (exitCode === 0) return stdout;
  // Exit status 4 is gh's code for a missing login; older versions only print it.
  if (exitCode === 4 || /(?:gh|glab) auth login|authentication|not logged in|HTTP 401/i.test(stderr)) {
    throw new MonocoError("input", t`${asked}: ${program} is not logged in`, {
      hint: t`${program} auth login, then the same again`,
    });
  }
  const last = plainLine(stderr.trim().split("\n").at(-1) ?? "", 300);
  const says = last || (exitCode === null ? t`it took too long` : t`exit status ${exitCode}`);
  if (/rate limit|HTTP 429/i.test(stderr)) {
    throw new MonocoError("later", t`${asked}: ${host}'s rate limit is reached: ${says}`, {
      hint: t`wait until it ends (gh api rate_limit shows when); then the same again`,
    });
  }
  if (exitCode === null || outOfReach.test(stderr)) {
    throw new MonocoError("later", t`${asked}: ${host} cannot be reached: ${says}`, {
      hint: t`the same again once it can`,
    });
  }
  throw new MonocoError("input", t`${asked} failed: ${says}`, {
    hint: t`fix what ${program} says, then the same again`,
  });
}

const outOfReach =
  /error connecting to|no such host|dial tcp|network is unreachable|connection (?:refused|reset)|timeout|HTTP 5\d\d/i;

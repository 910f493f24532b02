/** Calls `gh`, GitHub's command line, with the login of the person who runs monoco, never for an agent. */
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
  const { exitCode, stdout, stderr, missing } = await runAsPerson("gh", args, { env: io().env, ...at });
  const asked = `gh ${args.slice(0, 2).join(" ")}`;
  if (missing) {
    throw new MonocoError("input", t`${asked}: gh is not installed`, {
      hint: t`install GitHub's command line (https://cli.github.com), then gh auth login`,
    });
  }
  if (exitCode === 0) return stdout;
  // Exit status 4 is gh's code for a missing login; older versions only print it.
  if (exitCode === 4 || /gh auth login|authentication|not logged in/i.test(stderr)) {
    throw new MonocoError("input", t`${asked}: gh is not logged in`, {
      hint: t`gh auth login, then the same again`,
    });
  }
  const last = plainLine(stderr.trim().split("\n").at(-1) ?? "", 300);
  const says = last || (exitCode === null ? t`it took too long` : t`exit status ${exitCode}`);
  if (/rate limit|HTTP 429/i.test(stderr)) {
    throw new MonocoError("later", t`${asked}: GitHub's rate limit is reached: ${says}`, {
      hint: t`gh api rate_limit shows when it ends; then the same again`,
    });
  }
  if (exitCode === null || outOfReach.test(stderr)) {
    throw new MonocoError("later", t`${asked}: GitHub cannot be reached: ${says}`, {
      hint: t`the same again once it can`,
    });
  }
  throw new MonocoError("input", t`${asked} failed: ${says}`, {
    hint: t`fix what gh says, then the same again`,
  });
}

const outOfReach =
  /error connecting to|no such host|dial tcp|network is unreachable|connection (?:refused|reset)|timeout|HTTP 5\d\d/i;

/** Calls `gh`, GitHub's own command line, as the person who runs monoco: with their login, never for an agent. */
import { MonocoError } from "../core/error/error.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { runAsPerson } from "../git/person.ts";
import { io } from "../io/io.ts";

/** What it prints. Throws `input`, with what to do, where it is missing, not logged in, or fails. */
export async function gh(args: readonly string[], at: { cwd: string; input?: string }): Promise<string> {
  const { exitCode, stdout, stderr, missing } = await runAsPerson("gh", args, { ...at, env: io().env });
  const asked = `gh ${args.slice(0, 2).join(" ")}`;
  if (missing) {
    throw new MonocoError("input", `${asked}: gh is not installed`, {
      hint: "install GitHub's command line (https://cli.github.com), then gh auth login",
    });
  }
  if (exitCode === 0) return stdout;
  // 4 is gh's own word for it; older ones say it only in words.
  if (exitCode === 4 || /gh auth login|authentication|not logged in/i.test(stderr)) {
    throw new MonocoError("input", `${asked}: gh is not logged in`, {
      hint: "gh auth login, then the same again",
    });
  }
  const says = plainLine(stderr.trim().split("\n").at(-1) ?? "", 300) || `exit status ${exitCode ?? "none"}`;
  throw new MonocoError("input", `${asked} failed: ${says}`, {
    hint: "fix what gh says, then the same again",
  });
}

/** The author of monoco's commits: the person's name and email address from git's configuration. */
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";

export type Identity = { name: string; email: string };

/** The name and email address for commits; monoco's own if the person has none. */
export async function identityOf(git: Git): Promise<Identity> {
  return identityIn(
    zeroed(await gitOr(git(["config", "--null", "--get-regexp", "^user\\.(name|email)$"]), "")),
  );
}

function identityIn(entries: readonly string[]): Identity {
  // Git lists the configuration nearest to the repository last, and the last value wins.
  const last = (key: string): string | undefined =>
    entries
      .findLast((entry) => entry.startsWith(`${key}\n`))
      ?.slice(key.length + 1)
      .trim();
  return { name: last("user.name") || "monoco", email: last("user.email") || "monoco@localhost" };
}

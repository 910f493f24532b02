/** Whose commits monoco makes: the person's name and mail, as git has them in the repository. */
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";

export type Identity = { name: string; email: string };

/** The name and mail that commits are made with; monoco's own where the person has none. */
export async function identityOf(git: Git): Promise<Identity> {
  return identityIn(
    zeroed(await gitOr(git(["config", "--null", "--get-regexp", "^user\\.(name|email)$"]), "")),
  );
}

function identityIn(entries: readonly string[]): Identity {
  // What is nearer to the repository comes later, and wins.
  const last = (key: string): string | undefined =>
    entries
      .findLast((entry) => entry.startsWith(`${key}\n`))
      ?.slice(key.length + 1)
      .trim();
  return { name: last("user.name") || "monoco", email: last("user.email") || "monoco@localhost" };
}

/** Whose commits monoco makes: the person's name and mail, as git has them in the repository. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";
import { environment } from "./start/trusted.ts";

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

type Known = { states: string; identity: Identity };
const identities = new Map<string, Known>();

/**
 * The same, asked of git again only where a file is another than it was: an identity that is changed in the middle of a run
 * counts from the next session on. Where git reads other files than the usual ones, it is asked each time.
 */
export async function identityNow({ root, commonDir, git }: Omit<Repository, "worktree">): Promise<Identity> {
  const files = usualFiles(commonDir);
  // Before git reads them.
  const states = JSON.stringify(files.map((path) => [path, stateOf(path)]));
  const known = identities.get(root);
  if (known?.states === states) return known.identity;
  identities.delete(root);
  const fields = (await gitOr(git(["config", "--null", "--show-origin", "--list"]), "")).split("\0");
  const origins = fields.filter((_, at) => at % 2 === 0).slice(0, -1);
  const entries = fields.filter((_, at) => at % 2 === 1);
  const identity = identityIn(entries);
  const areUsual = origins.every(
    (origin) =>
      origin === "command line:" ||
      (origin.startsWith("file:") && files.includes(resolve(root, origin.slice("file:".length)))),
  );
  const areAll = !entries.some((entry) => /^include(?:if)?\./i.test(entry));
  if (areUsual && areAll && entries.length > 0) identities.set(root, { states, identity });
  return identity;
}

/** Where git looks for configuration: there is none in most of them. */
function usualFiles(commonDir: string): string[] {
  const { HOME: home, XDG_CONFIG_HOME: configs } = environment();
  const xdg = configs || (home && join(home, ".config"));
  return [
    "/etc/gitconfig",
    ...(xdg ? [join(xdg, "git", "config")] : []),
    ...(home ? [join(home, ".gitconfig")] : []),
    join(commonDir, "config"),
    join(commonDir, "config.worktree"),
  ];
}

/** Undefined where nothing can be read. */
function stateOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
}

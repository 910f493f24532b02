/** Pushes a branch to the remote and opens its pull request with GitHub's `gh`, with the person's credentials. */
import { runAsPerson } from "../person.ts";
import type { Hosted } from "../remotes.ts";
import type { PersonRan, PersonRun } from "../person.ts";
import { t } from "../../core/language/translate.ts";

export type Push = {
  remote: string;
  branch: string;
  commit: string;
  /** The commit that was last pushed: the push may replace this commit and no other. */
  before: string | undefined;
};

/** Pushes the branch. Returns why the push failed; undefined after a success. */
export async function push(
  run: PersonRun,
  { remote, branch, commit, before }: Push,
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const to = [remote, `${commit}:${ref}`];
  const options = ["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no"];
  const plain = await runAsPerson("git", [...options, ...to], run);
  if (plain.exitCode === 0) return undefined;
  if (before === undefined || plain.missing) return whyNot(plain);
  const lease = `--force-with-lease=${ref}:${before}`;
  const replaced = await runAsPerson("git", [...options, lease, ...to], run);
  return replaced.exitCode === 0 ? undefined : whyNot(replaced);
}

/** `across`: the branch is in a fork of the repository that the base is in. */
export type PullRequest = {
  base: string;
  branch: string;
  across?: { fork: Hosted; of: Hosted } | undefined;
  title: string;
  body: string;
};

/** The arguments of `gh` for a pull request of this branch. */
export function newPull({ base, branch, across }: Pick<PullRequest, "base" | "branch" | "across">): string[] {
  const head = across ? `${across.fork.owner}:${branch}` : branch;
  return [...repositoryOf(across), "--head", head, "--base", base];
}

function repositoryOf(across: PullRequest["across"]): string[] {
  return across ? ["--repo", `${across.of.host}/${across.of.owner}/${across.of.name}`] : [];
}

/** The branch's open pull request, or a new one. */
export async function openPullRequest(
  run: PersonRun,
  pull: PullRequest,
): Promise<{ url: string } | { because: string }> {
  const { base, branch, across, title, body } = pull;
  // Branches of that name may be in several forks, and `gh pr list` takes no owner.
  const [field, isOurs] = across
    ? ["headRepositoryOwner", `.headRepositoryOwner.login == ${JSON.stringify(across.fork.owner)}`]
    : ["isCrossRepository", ".isCrossRepository | not"];
  const which = ["--limit", "100", "--json", `url,${field}`];
  const urls = `.[] | select(${isOurs}) | .url`;
  const head = [...repositoryOf(across), "--head", branch, "--base", base, "--state", "open"];
  const list = ["pr", "list", ...head, ...which, "--jq", urls];
  const listed = await runAsPerson("gh", list, run);
  if (listed.missing) return { because: t`gh (GitHub CLI) is not on the PATH` };
  if (listed.exitCode !== 0) return { because: `gh: ${whyNot(listed)}` };
  const there = urlIn(listed.stdout);
  if (there !== undefined) return { url: there };
  const create = ["pr", "create", ...newPull(pull), "--title", title, "--body-file", "-"];
  const created = await runAsPerson("gh", create, { ...run, input: body });
  const url = urlIn(created.stdout);
  return created.exitCode === 0 && url !== undefined ? { url } : { because: `gh: ${whyNot(created)}` };
}

function urlIn(output: string): string | undefined {
  return output
    .split("\n")
    .findLast((line) => /^https?:\/\/\S+$/.test(line.trim()))
    ?.trim();
}

/** The lines that explain a failure, without the hints and progress lines around them. A remote that refuses says why itself. */
export function whyNot({ exitCode, stderr, stdout }: PersonRan): string {
  if (exitCode === null && stderr.trim() === "") return t`it took too long`;
  const lines = `${stderr}\n${stdout}`.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^((hint|remote):|To \S+$|Everything)/.test(line));
  const why = said.filter((line) => /^(fatal|error| *!)|rejected/i.test(line));
  const byRemote = lines.flatMap((line) => /^remote: *(.*\w.*)$/.exec(line)?.[1] ?? []);
  const rule = /remote rejected/.test(`${stderr}${stdout}`) ? byRemote.slice(0, 3) : [];
  return [...rule, ...(why.length > 0 ? why : said).slice(0, 3)].join("; ") || t`exit status ${exitCode}`;
}

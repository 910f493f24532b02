/** monoco init --ci: writes the workflow files of a CI service; what somebody has changed stays, unless --force is given. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ciHosts, workflowsOf } from "../../app/ci/workflows.ts";
import type { CiHost } from "../../app/ci/workflows.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { runAsPerson } from "../../git/person.ts";
import { io } from "../../io/io.ts";
import { writeDurably } from "../../store/durable.ts";
import { printJson } from "../../views/json.ts";

export async function initCi(asked: string, flags: { force: boolean; json: boolean }): Promise<number> {
  const host = ciHosts.find((one) => one === asked);
  if (host === undefined)
    throw new MonocoError("input", t`unknown CI service "${asked}"`, { hint: t`--ci github, or gitlab` });
  const here = await openHere();
  const { worktree } = here.repository;
  const all = workflowsOf(here, loadSettings(here), host);
  const changed = flags.force ? [] : all.filter(({ is }) => is === "changed");
  for (const { path, text } of changed) {
    const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "--", path, "-"];
    const { stdout } = await runAsPerson("git", args, { cwd: worktree, env: io().env, input: text });
    io().stderr.write(stdout);
  }
  if (changed.length > 0)
    throw new MonocoError(
      "input",
      t`${changed.map(({ path }) => path).join(", ")}: somebody has changed it, so nothing was written`,
      { hint: t`take over by hand what the lines above show, or replace it with --force` },
    );
  const wrote = all.filter(({ is }) => is !== "current");
  for (const { path, text } of wrote) writeDurably(join(worktree, path), text);
  const done = wrote.map(({ path }) => t`wrote ${path}`);
  if (flags.json) printJson({ root: worktree, done });
  else {
    const lines = [...(done.length > 0 ? done : [t`nothing to do: all is there`]), nextWords(host, worktree)];
    io().stdout.write(lines.map((line) => `${line}\n`).join(""));
  }
  return 0;
}

function nextWords(host: CiHost, worktree: string): string {
  if (host === "github")
    return t`next: commit it, give the repository the secrets that it names, and allow GitHub Actions to create pull requests (docs/fleet.md)`;
  const include = "include: [{ local: .gitlab/monoco.yml }]";
  return existsSync(join(worktree, ".gitlab-ci.yml"))
    ? t`next: include .gitlab/monoco.yml in .gitlab-ci.yml, commit both, and make the variables and the schedule (docs/fleet.md)`
    : t`next: write "${include}" into .gitlab-ci.yml, commit all, and make the variables and the schedule (docs/fleet.md)`;
}

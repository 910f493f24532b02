/** Gathers what a CI runner needs of this checkout and machine, and mends by git what loses nothing. Reads no secret. */
import { hasBubblewrap } from "../../agents/sandbox.ts";
import type { Finding } from "../../core/doctor/finding.ts";
import { mends } from "../../core/doctor/runner.ts";
import type { RunnerFacts } from "../../core/doctor/facts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { gitOr } from "../../git/git.ts";
import { runAsPerson } from "../../git/person.ts";
import { gitlabRemote } from "../../git/remotes.ts";
import { commitOf } from "../../git/repository.ts";
import { branchIn } from "../../git/worktrees.ts";
import { io } from "../../io/io.ts";
import { carrierHere, tryPush } from "../carry/carrier.ts";
import { workflowsOf } from "../ci/workflows.ts";
import type { Here } from "../here.ts";

export async function runnerFacts(here: Here, settings: Settings): Promise<RunnerFacts> {
  const { repository } = here;
  const { git, worktree } = repository;
  const { base } = settings;
  const { name } = carrierHere(here, settings).remote;
  const asked = async (...args: string[]): Promise<string> => (await gitOr(git(args), "")).trim();
  const url = await asked("remote", "get-url", "--", name);
  const gitlab = await gitlabRemote(git, name, io().env);
  const service = gitlab || io().env["GITLAB_CI"] ? "gitlab" : "github";
  const program = service === "gitlab" ? "glab" : "gh";
  const run = { cwd: worktree, env: io().env };
  // `glab auth status` asks the hosts of its file alone, and a job has a token in its environment.
  const words = gitlab ? ["api", "user", "--hostname", gitlab.host] : ["auth", "status"];
  const login = await runAsPerson(program, words, run);
  const there = await commitOf(git, `refs/heads/${base}`);
  const upstream = await asked("for-each-ref", "--format=%(upstream)", `refs/heads/${base}`);
  const files = workflowsOf(here, settings, service);
  return {
    base,
    remote: {
      name,
      none: url === "",
      refuses: url === "" ? undefined : await tryPush(here, settings),
    },
    detached: (await branchIn(worktree)) === undefined,
    branch: there === undefined ? "missing" : upstream === "" ? "untracked" : "tracks",
    identity: (await runAsPerson("git", ["config", "user.email"], run)).exitCode === 0,
    sandbox: {
      asked: roles.map((role) => sandboxOf(settings, role)),
      works: attempt(hasBubblewrap, false),
    },
    host: {
      program,
      refused: login.missing ? "missing" : login.exitCode === 0 ? undefined : "logged_out",
    },
    workflows: {
      service,
      paths: files.flatMap(({ is, path }) => (is === "stale" ? [path] : [])),
      none: files.every(({ is }) => is === "missing"),
    },
  };
}

/** Whether git has mended it. */
export async function mend({ repository }: Here, finding: Finding): Promise<boolean> {
  const commands =
    finding.rule === "ci_base"
      ? mends.ci_base(finding)
      : finding.rule === "ci_untracked"
        ? mends.ci_untracked(finding)
        : [];
  for (const args of commands)
    if ((await runAsPerson("git", args, { cwd: repository.worktree, env: io().env })).exitCode !== 0)
      return false;
  return commands.length > 0;
}

/** Each rule of a diagnosis has one row: its sentence, its fix, and whether `--fix` does it. */
import type { Advice, Hint } from "../error/hint-schema.ts";
import { hiddenWords, refusedWords, showsWords } from "../home/home-files.ts";
import { counted } from "../language/counted.ts";
import { t, translatable, translated } from "../language/translate.ts";
import { behindRemedy, behindWords } from "../relay/behind.ts";
import { unsetWords } from "../report/given.ts";
import { diskSpace, short } from "../text/figures.ts";
import { shellWord } from "../text/shell.ts";
import type { Finding, Rule, Values } from "./finding.ts";
import { mends, sandboxCommands } from "./runner.ts";

/** All good findings of one area share a line. */
export type Area = "machine" | "folders" | "agents" | "repository" | "relays";

/** A good row has an area, every other row a fix. `safe`: `--fix` applies it, since nothing is lost. */
type Row = { words: string; area?: Area; fix?: Advice; safe?: boolean };

/** Without an alias in the way: a shell expands those for what a person types, and for nothing else. */
export function offPathWords(): string {
  return t`monoco is not on the PATH: hooks, cron and xargs do not find it, and the Stop hook does nothing`;
}

export function onPathRemedy(): string {
  return t`npm run link, in your clone of monoco, puts it there`;
}

export function rowOf(finding: Finding): Row {
  return rowFor(finding.rule, finding);
}

/** The row of a rule. `rule` is a separate argument so that the compiler can tie the values to it. */
function rowFor<R extends Rule>(rule: R, values: Values[R]): Row {
  return rows[rule](values);
}

const folders = translatable({
  temporary: {
    name: "temporary folder",
    fix: "set TMPDIR to a folder on a local disk that you may write",
  },
  state: {
    name: "folder of the clones",
    fix: "set XDG_STATE_HOME to a folder on a local disk that you may write",
  },
  runtime: {
    name: "folder of the journals",
    fix: "give yourself the right to write there, or work in a clone on a local disk",
  },
});
const nameOf = (folder: keyof typeof folders): string => translated(folders[folder].name);

const heal = [{ do: "heal" }] as const;
const byHand = (what: string): Hint => [[{ do: "by_hand", what }]];

/** Git's commands on one line. */
const mendWords = (commands: readonly (readonly string[])[]): string =>
  commands.map((args) => ["git", ...args].map(shellWord).join(" ")).join(" && ");

const rows: { [R in Rule]: (values: Values[R]) => Row } = {
  node: ({ version }) => ({ area: "machine", words: `Node ${version}` }),
  off_path: () => ({ words: offPathWords(), fix: onPathRemedy() }),
  git: ({ version }) => ({ area: "machine", words: `git ${version}` }),
  git_old: ({ version, least }) => ({
    words: t`git ${version} is older than ${least}`,
    fix: t`install git ${least} or newer`,
  }),
  git_missing: ({ least }) => ({
    words: t`git is not on the PATH`,
    fix: t`install git ${least} or newer`,
  }),
  processes: ({ containment }) => ({
    area: "machine",
    words: t`a session's processes are held by ${containment}`,
  }),
  processes_loose: () => ({
    words: t`a session's processes are held by process-group only: one that hides can outlive its session`,
    fix: t`install util-linux, and allow user namespaces to unshare(1)`,
  }),
  sandbox: () => ({ area: "machine", words: t`sessions and checks run in bubblewrap` }),
  sandbox_none: ({ asked }) =>
    asked === "auto"
      ? {
          words: t`sandbox: none, since bubblewrap does not work here; an agent runs with your rights`,
          fix: t`install bubblewrap and allow user namespaces, or work in a container`,
        }
      : {
          words: t`sandbox: none; an agent runs with your rights`,
          fix: t`set sandbox: auto in monoco.yaml, or work in a container`,
        },
  sandbox_broken: () => ({
    words: t`sandbox: bwrap does not work on this machine`,
    fix: t`install bubblewrap and allow user namespaces, or work in a container`,
  }),
  folder: ({ folder, freeBytes }) => ({
    area: "folders",
    words: freeBytes === null ? nameOf(folder) : t`${nameOf(folder)} (${diskSpace(freeBytes)} free)`,
  }),
  folder_refused: ({ folder, path, said }) => ({
    words: t`${nameOf(folder)} ${path} cannot be used: ${said}`,
    fix: translated(folders[folder].fix),
  }),
  room: ({ folder, path, freeBytes, least }) => ({
    words: t`${nameOf(folder)} ${path} has ${diskSpace(freeBytes)} of room left, less than ${diskSpace(least)}`,
    fix: t`make room on that disk`,
  }),
  agent: ({ agent, version, login }) => ({
    area: "agents",
    words: [agent, version, login === null ? null : t`login: ${login}`].filter(Boolean).join(" "),
  }),
  agent_old: ({ agent, version, least, install }) => ({
    words: t`${agent} ${version} is older than ${least}, which monoco needs`,
    fix: install,
  }),
  agent_missing: ({ agent, install }) => ({ words: t`${agent} is not found`, fix: install }),
  agent_unused: ({ agent, why }) => ({ words: t`${agent} is not used: ${why}` }),
  login_unseen: ({ agent, loginBy }) => ({
    words: t`no login of ${agent} is seen`,
    fix: t`if it is not logged in: ${loginBy}`,
  }),
  role_unplayed: ({ role, agents, install }) => ({
    words: t`nobody can play the ${role}: ${agents.join(", ")} not found`,
    fix: t`${install[0] ?? t`install one`}, or name another agent under roles.${role}.agents in monoco.yaml`,
  }),
  no_repository: ({ said, hint }) => ({ words: t`${said}: only the machine was looked at`, fix: hint }),
  repository_refused: ({ said, hint }) => ({ words: said, fix: hint }),
  settings: ({ base }) => ({ area: "repository", words: t`the settings can be read, base ${base}` }),
  settings_refused: ({ said, hint }) => ({ words: said, fix: hint }),
  given: ({ words }) => ({ area: "repository", words }),
  given_unset: ({ names }) => ({
    words: unsetWords(names),
    fix: t`export them, or take them out of env: in monoco.yaml`,
  }),
  base_missing: ({ base }) => ({
    words: t`branch ${base} does not exist or has no commit`,
    fix: t`make a first commit, or name your branch in monoco.yaml: base: NAME`,
  }),
  base_behind: (behind) => ({ words: behindWords(behind), fix: behindRemedy(behind) }),
  remote: ({ remote }) => ({ area: "repository", words: t`${remote} would take a push` }),
  remote_refuses: ({ remote, said }) => ({
    words: t`${remote} would take no push: ${said}`,
    fix: t`git push --dry-run ${remote} says more; remote: in monoco.yaml names the remote`,
  }),
  baseline: ({ base, commit }) => ({
    area: "repository",
    words: t`the checks are green on ${base} (${short(commit)})`,
  }),
  baseline_red: ({ base, commit, failed, runs }) => ({
    words: runs
      ? t`red on ${base} (${short(commit)}): ${failed.join("; ")}; the same failures count against nobody`
      : t`set-up or checks cannot run in a clone of ${base} (${short(commit)}): ${failed.join("; ")}`,
    fix: t`fix it on ${base}, and commit that`,
  }),
  ci_ready: () => ({ area: "repository", words: t`a CI runner can work on relays here` }),
  ci_remote: ({ remote }) => ({
    words: t`there is no remote ${remote}: a CI runner has nothing to claim and to push to`,
    fix: `git remote add ${shellWord(remote)} URL`,
  }),
  ci_base: (one) => ({
    words: t`this checkout has no branch ${one.base}`,
    fix: mendWords(mends.ci_base(one)),
    safe: true,
  }),
  ci_untracked: (one) => ({
    words: t`branch ${one.base} tracks no branch of ${one.remote}`,
    fix: mendWords(mends.ci_untracked(one)),
    safe: true,
  }),
  ci_detached: ({ base }) => ({
    words: t`a commit is checked out, and no branch: the settings in force are those of that commit`,
    fix: `git checkout ${shellWord(base)}`,
  }),
  ci_identity: () => ({
    words: t`git does not know who commits: monoco's commits are by monoco@localhost`,
    fix: `git config --global user.name monoco && git config --global user.email monoco@example.com`,
  }),
  ci_sandbox: () => ({
    words: t`bubblewrap does not work here: a run with --remote is refused in a CI runner`,
    fix: sandboxCommands,
  }),
  ci_sandbox_none: () => ({
    words: t`sandbox: none: a run with --remote is refused in a CI runner`,
    fix: t`set sandbox: bwrap in monoco.yaml, and commit that`,
  }),
  ci_host_missing: ({ program }) => ({
    words: t`${program} is not on the PATH: no pull request can be opened`,
    fix: `sudo apt-get install -qq -y ${program}`,
  }),
  ci_host_logged_out: ({ program }) => ({
    words: t`${program} is not logged in: no pull request can be opened`,
    fix:
      program === "gh" ? t`set GH_TOKEN in the step's env` : t`set GITLAB_TOKEN in the project's variables`,
  }),
  ci_push: ({ remote, program, said }) => ({
    words: t`${remote} takes no push of a relay: ${said}`,
    fix: program === "gh" ? "gh auth setup-git" : t`set GITLAB_TOKEN in the project's variables`,
  }),
  ci_workflow: ({ service, paths }) => ({
    words:
      paths.length > 0
        ? t`this monoco would write it otherwise: ${paths.join(", ")}`
        : t`there is no workflow file for CI runners`,
    fix: [[{ do: "init_ci", service }]],
  }),
  hidden: (hidden) => ({ words: hiddenWords(hidden), fix: showsWords([hidden.path]) }),
  fallback_refused: (one) => ({ words: refusedWords(one), fix: one.hint }),
  hidden_refused: ({ said, hint }) => ({ words: said, fix: hint }),
  git_lock: ({ paths, remedy }) => ({ words: t`git is locked: ${paths.join(", ")}`, fix: remedy }),
  relays: ({ relays }) => ({ area: "relays", words: counted(relays, "relay") }),
  refs: ({ refs }) => ({
    area: "relays",
    words: t`${counted(refs, "ref")} of finished ones (relay clear --refs drops them)`,
  }),
  journal_damaged: ({ said, hint }) => ({ words: said, fix: hint }),
  orphan: ({ issue, pids }) => ({
    words:
      pids.length > 0
        ? t`${issue}: its runner is gone, and processes of its session are alive: ${pids.slice(0, 5).join(", ")}`
        : t`${issue}: its runner is gone, and processes of its session are alive`,
    // A process that cleared its environment cannot be traced to its owner.
    fix: [heal, ...(pids.length > 0 ? byHand(`kill -KILL ${pids.join(" ")}`) : [])],
    safe: true,
  }),
  clone_left: ({ issue, part, relay, path, bytes }) => {
    const look = t`look whether you need what is in it, then rm -rf ${shellWord(path)}`;
    const room = diskSpace(bytes);
    if (part === "kept") return { words: t`work that was not merged is kept: ${path} (${room})`, fix: look };
    return part === "spare"
      ? {
          words: t`a clone that monoco made for a review is left: ${path} (${room})`,
          fix: [heal],
          safe: true,
        }
      : {
          words: t`a clone of no open relay is left: ${path} (${room})`,
          fix: relay === "over" ? [[{ do: "clear", issue }]] : look,
        };
  },
};

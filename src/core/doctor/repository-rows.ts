/** What is found of the repository, its relays and their clones, in words. */
import type { Hint } from "../error/hint-schema.ts";
import { diskSpace, short } from "../text/figures.ts";
import { shellWord } from "../text/shell.ts";
import type { RepositoryValues } from "./finding.ts";
import { heal } from "./machine-rows.ts";
import type { Rows } from "./row.ts";
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";

const resume = ({ issue }: { issue: string }): Hint => [[{ do: "resume", issue }]];
const commitOn = (base: string) => ({ do: "by_hand", what: t`commit that on ${base}` }) as const;
const command = (...words: string[]): string => words.map(shellWord).join(" ");
const byHand = (what: string): Hint => [[{ do: "by_hand", what }]];

export const repositoryRows: Rows<RepositoryValues> = {
  no_repository: {
    area: "repository",
    words: ({ said }) => t`${said}: only the machine was looked at`,
    fix: ({ hint }) => hint,
  },
  repository_refused: { area: "repository", words: ({ said }) => said, fix: ({ hint }) => hint },
  settings: { area: "repository", words: () => t`the settings can be read` },
  settings_refused: { area: "repository", words: ({ said }) => said, fix: ({ hint }) => hint },
  base: { area: "repository", words: ({ base }) => t`base ${base}` },
  base_missing: {
    area: "repository",
    words: ({ base }) => t`branch ${base} does not exist or has no commit`,
    fix: () => t`make a first commit, or name your branch in monoco.yaml: base: NAME`,
  },
  runtime_ignored: { area: "repository", words: () => t`git leaves .monoco alone` },
  runtime_seen: {
    area: "repository",
    words: () => t`git does not leave .monoco alone: it would be committed with your work`,
    fix: ({ exclude }) => byHand(`echo /.monoco/ >> ${shellWord(exclude)}`),
  },
  runtime_tracked: {
    area: "repository",
    words: () => t`files of .monoco are tracked by git`,
    fix: () => byHand(t`git rm -r --cached --quiet .monoco, and commit that`),
  },
  git_lock: {
    area: "repository",
    words: ({ path }) => t`${path} is left of a git that was killed: no git is at work here`,
    fix: ({ path }) => byHand(command("rm", path)),
  },
  git_lock_unsure: {
    area: "repository",
    words: ({ path }) => t`${path} is there: a git is at work here, or was killed`,
    fix: ({ path }) => byHand(t`if no git is at work there: ${command("rm", path)}`),
  },
  git_lock_used: {
    area: "repository",
    words: ({ path, pids }) => t`${path} is there, and git is at work here: process ${pids.join(", ")}`,
    fix: () => byHand(t`wait until that git is done`),
  },
  issues: { area: "repository", words: ({ files }) => counted(files, "issue") },
  issues_faulty: {
    area: "repository",
    words: ({ faulty, twins }) =>
      [
        ...(faulty > 0 ? [t`${counted(faulty, "issue file")} cannot be read`] : []),
        ...(twins > 0 ? [t`${counted(twins, "id")} given twice`] : []),
      ].join(", "),
    fix: () => [[{ do: "lint" }]],
  },
  relays: { area: "relays", words: ({ relays }) => counted(relays, "relay") },
  journal_damaged: { area: "relays", words: ({ said }) => said, fix: ({ hint }) => hint },
  journal_torn: {
    area: "relays",
    words: ({ issue, bytes }) =>
      t`${issue}: the last line of its journal was not written whole; its next run cuts off ${bytes} bytes`,
    fix: resume,
  },
  orphan: {
    area: "relays",
    words: ({ issue, pids }) =>
      pids.length > 0
        ? t`${issue}: its runner is gone, and processes of its session are alive: ${pids.slice(0, 5).join(", ")}`
        : t`${issue}: its runner is gone, and processes of its session are alive`,
    fix: ({ issue, pids }) => [
      heal,
      ...resume({ issue }),
      // What has wiped its environment is nobody's that monoco knows.
      ...(pids.length > 0 ? byHand(command("kill", "-KILL", ...pids.map(String))) : []),
    ],
    safe: true,
  },
  cut_off: {
    area: "relays",
    words: ({ issue, session }) => t`${issue}: session ${session} was cut off, its runner is gone`,
    fix: resume,
  },
  runner_stopped: {
    area: "relays",
    words: ({ issue, pid }) => t`${issue}: its runner, process ${pid}, is stopped by a signal`,
    fix: ({ pid }) => byHand(command("kill", "-CONT", `${pid}`)),
  },
  session_stopped: {
    area: "relays",
    words: ({ issue, pid, session }) =>
      t`${issue}: session ${session}, process ${pid}, is stopped by a signal`,
    fix: ({ group }) => byHand(command("kill", "-CONT", `-${group}`)),
  },
  messages: {
    area: "relays",
    words: ({ issue, messages }) => t`${issue}: nobody has taken ${counted(messages, "message")} to it`,
    fix: resume,
  },
  head_missing: {
    area: "relays",
    words: ({ issue, ref, commit }) => t`${issue}: ${ref} is gone: its work is at ${short(commit)}`,
    fix: ({ ref, commit }) => byHand(command("git", "update-ref", ref, commit)),
  },
  head_moved: {
    area: "relays",
    words: ({ issue, ref, commit, found }) =>
      t`${issue}: ${ref} is at ${short(found)}, and its journal says ${short(commit)}`,
    fix: ({ ref, commit }) => byHand(command("git", "update-ref", ref, commit)),
  },
  branch_missing: {
    area: "relays",
    words: ({ issue, branch, commit }) =>
      t`${issue}: branch ${branch} with its work (${short(commit)}) is gone`,
    fix: ({ branch, commit }) => byHand(command("git", "branch", branch, commit)),
  },
  branch_ahead: {
    area: "relays",
    words: ({ issue, branch, commits }) =>
      t`${issue}: branch ${branch} has ${counted(commits, "commit")} that its relay does not know`,
    fix: ({ issue, branch }) => [
      [
        { do: "by_hand", what: command("git", "switch", branch) },
        { do: "submit", issue },
      ],
      [{ do: "by_hand", what: command("git", "branch", "-m", branch, "OTHER") }],
    ],
  },
  merge_gone: {
    area: "relays",
    words: ({ issue, base, commit }) => t`${issue}: its merge ${short(commit)} is not on ${base} any more`,
    fix: ({ base, commit }) => byHand(t`if it should be: git merge ${commit}, on ${base}`),
  },
  issue_open: {
    area: "relays",
    words: ({ issue, base }) => t`${issue} is merged, and its issue is open on ${base}`,
    fix: ({ issue, base }) => [
      [{ do: "open", issue }],
      [{ do: "move", by: "cancel", issue }, commitOn(base)],
    ],
  },
  issue_closed: {
    area: "relays",
    words: ({ issue, base }) => t`${issue} is closed on ${base}, and its relay is open`,
    fix: ({ issue, base }) => [
      [{ do: "clear", issue }],
      [{ do: "move", by: "reopen", issue }, commitOn(base)],
    ],
  },
  issue_gone: {
    area: "relays",
    words: ({ issue, base, path }) => t`${issue}: ${path} is not on ${base}, and its relay is open`,
    fix: ({ issue, base, path, commit }) => [
      [
        {
          do: "by_hand",
          what: command("git", "restore", `--source=${commit}`, "--staged", "--worktree", path),
        },
        commitOn(base),
      ],
      [{ do: "clear", issue }],
    ],
  },
  clone_left: {
    area: "relays",
    words: ({ path, bytes }) => t`a clone of no open relay is left: ${path} (${diskSpace(bytes)})`,
    fix: ({ issue, path, relay }) =>
      relay === "over"
        ? [[{ do: "clear", issue }]]
        : byHand(t`look whether you need what is in it, then rm -rf ${shellWord(path)}`),
  },
  spare_left: {
    area: "relays",
    words: ({ path, bytes }) =>
      t`a clone that monoco made for a review is left: ${path} (${diskSpace(bytes)})`,
    fix: () => [heal],
    safe: true,
  },
  clone_kept: {
    area: "relays",
    words: ({ path, bytes }) => t`work that was not merged is kept: ${path} (${diskSpace(bytes)})`,
    fix: ({ path }) => byHand(t`look whether you need what is in it, then rm -rf ${shellWord(path)}`),
  },
  caches_large: {
    area: "repository",
    words: ({ path, bytes }) => t`package caches of sessions and set-ups take ${diskSpace(bytes)}: ${path}`,
    fix: () => [heal],
    safe: true,
  },
};

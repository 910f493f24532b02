/** A finding of a diagnosis: a rule with its values. The rows hold its sentence and its fix. */
import type { Hidden, RefusedAgent } from "../home/home-files.ts";
import type { Behind } from "../relay/behind.ts";
import type { FolderFacts, LeftClone, Refusal } from "./facts.ts";

/** A note is worth knowing, but breaks nothing. */
type State = "good" | "note" | "bad";

type Folder = Pick<FolderFacts, "folder" | "path">;

export type Values = {
  node: { version: string };
  off_path: object;
  git: { version: string };
  git_old: { version: string; least: string };
  git_missing: { least: string };
  processes: { containment: string };
  processes_loose: object;
  sandbox: object;
  sandbox_none: { asked: "none" | "auto" };
  sandbox_broken: object;
  folder: Folder & { freeBytes: number | null };
  folder_refused: Folder & { said: string };
  room: Folder & { freeBytes: number; least: number };
  agent: { agent: string; version: string | null; login: string | null };
  agent_old: { agent: string; version: string | null; least: string; install: string };
  agent_missing: { agent: string; install: string };
  agent_unused: { agent: string; why: string };
  login_unseen: { agent: string; loginBy: string };
  role_unplayed: { role: string; agents: readonly string[]; install: readonly string[] };
  no_repository: Refusal;
  repository_refused: Refusal;
  settings: { base: string };
  settings_refused: Refusal;
  given: { words: string };
  given_unset: { names: readonly string[] };
  base_missing: { base: string };
  base_behind: Behind;
  remote: { remote: string };
  remote_refuses: { remote: string; said: string };
  baseline: { base: string; commit: string };
  baseline_red: { base: string; commit: string; failed: readonly string[]; runs: boolean };
  hidden: Hidden;
  hidden_refused: Refusal;
  fallback_refused: RefusedAgent;
  git_lock: { paths: readonly string[]; remedy: string };
  relays: { relays: number };
  refs: { refs: number };
  journal_damaged: Refusal & { issue: string };
  ci_ready: object;
  ci_remote: { remote: string };
  ci_base: { base: string; remote: string };
  ci_untracked: { base: string; remote: string };
  ci_detached: { base: string };
  ci_identity: object;
  ci_sandbox: object;
  ci_sandbox_none: object;
  ci_host_missing: { program: string };
  ci_host_logged_out: { program: string };
  ci_push: { remote: string; program: string; said: string };
  ci_workflow: { service: "github" | "gitlab"; paths: readonly string[] };
  orphan: { issue: string; pids: readonly number[] };
  clone_left: LeftClone;
};

export type Rule = keyof Values;
export type Finding<R extends Rule = Rule> = { [K in R]: { rule: K; state: State } & Values[K] }[R];

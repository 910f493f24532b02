/** What a diagnosis finds: a rule with its values. The rows say it in words, with its fix. */
import type { Advice } from "../error/hint-schema.ts";

/** A note is worth knowing, and keeps nothing from working. */
export type State = "good" | "note" | "bad";

type Refused = { said: string; hint: Advice };
type OfRelay<V = object> = { issue: string } & V;
type Folder = { folder: string; path: string };

/** By rule. */
export type MachineValues = {
  node: { version: string };
  node_old: { version: string; least: string };
  git: { version: string };
  git_old: { version: string; least: string };
  git_missing: { least: string };
  processes: { containment: string };
  processes_loose: { missing: readonly string[] };
  sandbox: { asked: "auto" | "bwrap" };
  sandbox_none: { asked: "none" | "auto" };
  sandbox_broken: { asked: "bwrap" };
  folder: Folder & { freeBytes: number | null };
  folder_refused: Folder & { said: string };
  locks_missing: Folder;
  shared_disk: Folder & { kind: string };
  room: Folder & { freeBytes: number; least: number };
  inodes: Folder & { freeInodes: number; least: number };
  temporary_left: { path: string; bytes: number };
  agent: { agent: string; version: string | null; login: string | null };
  agent_missing: { agent: string; install: string };
  agent_old: { agent: string; version: string; measuredOn: string };
  agent_mute: { agent: string };
  login_unseen: { agent: string; loginBy: string };
  role_unplayed: { role: string; agents: readonly string[]; install: readonly string[] };
};

export type RepositoryValues = {
  no_repository: Refused;
  repository_refused: Refused;
  settings: object;
  settings_refused: Refused;
  base: { base: string };
  base_missing: { base: string };
  runtime_ignored: object;
  runtime_seen: { exclude: string };
  runtime_tracked: object;
  git_lock: { path: string };
  git_lock_unsure: { path: string };
  git_lock_used: { path: string; pids: readonly number[] };
  issues: { files: number };
  issues_faulty: { faulty: number; twins: number };
  relays: { relays: number };
  journal_damaged: OfRelay<Refused>;
  journal_torn: OfRelay<{ bytes: number }>;
  orphan: OfRelay<{ pids: readonly number[] }>;
  cut_off: OfRelay<{ session: number }>;
  runner_stopped: OfRelay<{ pid: number }>;
  session_stopped: OfRelay<{ pid: number; group: number; session: number }>;
  messages: OfRelay<{ messages: number }>;
  head_missing: OfRelay<{ ref: string; commit: string }>;
  head_moved: OfRelay<{ ref: string; commit: string; found: string }>;
  branch_missing: OfRelay<{ branch: string; commit: string }>;
  branch_ahead: OfRelay<{ branch: string; commits: number }>;
  merge_gone: OfRelay<{ base: string; commit: string }>;
  issue_open: OfRelay<{ base: string }>;
  issue_closed: OfRelay<{ base: string }>;
  issue_gone: OfRelay<{ base: string; path: string; commit: string }>;
  clone_left: OfRelay<{ path: string; bytes: number; relay: "over" | "cleared" | "none" }>;
  spare_left: OfRelay<{ path: string; bytes: number }>;
  clone_kept: OfRelay<{ path: string; bytes: number }>;
  caches_large: { path: string; bytes: number };
};

type Values = MachineValues & RepositoryValues;
export type Rule = keyof Values;
export type Finding<R extends Rule = Rule> = { [K in R]: { rule: K; state: State } & Values[K] }[R];

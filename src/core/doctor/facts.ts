/** What a diagnosis rests on, as it was gathered: of the machine, the repository and each relay. Nothing is judged yet. */
import type { Sandbox } from "../settings/settings.ts";
import type { Advice } from "../error/hint-schema.ts";
import type { RelayState } from "../journal/relay-state.ts";

/** Words of an error, and what to do about it. */
export type Refusal = { said: string; hint: Advice };

/** `refused`: what went wrong when a file was written and renamed there. Free room is undefined where the system does not tell. */
export type FolderFacts = {
  folder: "temporary" | "state" | "runtime";
  path: string;
  refused?: string;
  locks: boolean;
  shared?: string | undefined;
  freeBytes?: number | undefined;
  freeInodes?: number | undefined;
};

/** `measuredOn`: the version that its adapter was tried on. `loginBy`: how a person logs in, where a login is needed. */
export type AgentFacts = {
  name: string;
  roles: readonly string[];
  found: boolean;
  install: string | null;
  version: string | null;
  measuredOn?: string | undefined;
  login: string | null;
  loginBy?: string | undefined;
};

/** Something that a killed process has left on the disk. */
export type Left = { path: string; bytes: number };

export type MachineFacts = {
  node: string;
  /** Undefined where there is none on the PATH. */
  git: string | undefined;
  containment: "pid-namespace" | "process-group";
  /** What the settings ask for, and whether it works here. */
  sandbox: { asked: Sandbox; works: boolean };
  /** Programs that hold a process tree together and are not here. */
  missing: readonly string[];
  folders: readonly FolderFacts[];
  /** Undefined where the settings cannot be read: nobody knows who plays. */
  agents?: readonly AgentFacts[] | undefined;
  temporaries: readonly Left[];
};

export type RelayFacts = {
  issue: string;
  state: RelayState;
  /** The process that is stopped, where one holds the lock and is. */
  runner: "none" | "alive" | { stopped: number };
  /** `held`: a process of a session has its lock, by these numbers as far as the system tells. */
  session: { held: boolean; pids: readonly number[]; stopped: { pid: number; group: number } | null };
  /** Bytes of a last line that was not written whole. */
  tornBytes: number;
  /** Messages that nobody has taken. */
  letters: number;
  /** Commits by the refs of the repository; undefined where the ref is missing. */
  head: string | undefined;
  branch: string | undefined;
  /** How many commits its branch has that neither the relay nor the base knows. */
  ahead: number;
  /** Its issue on the base, where that is the base of the settings in force. */
  issueThere?: "open" | "closed" | "gone";
  /** Its work is merged or left on its branch, and the base does not have it. */
  offBase: boolean;
};

/** A clone or a part of one; `relay`: whether one of its issue is open, over, or was never begun. */
export type CloneFacts = Left & {
  issue: string;
  part: "work" | "spare" | "kept";
  relay: "open" | "over" | "cleared" | "none";
};

export type RepositoryFacts = {
  settings: { refused: Refusal } | { base: string; baseThere: boolean };
  /** Whether git leaves `.monoco` alone; undefined where there is none yet. */
  ignored: boolean | undefined;
  tracked: boolean;
  /** The file that says what git leaves alone here, and in no other clone. */
  exclude: string;
  /** Locks of git; `atWork`: the processes that may hold them, undefined where the system does not tell. */
  locks: { paths: readonly string[]; atWork: readonly number[] | undefined };
  issues: { files: number; faulty: number; twins: number };
  relays: readonly RelayFacts[];
  damaged: readonly (Refusal & { issue: string })[];
  clones: readonly CloneFacts[];
  /** What the package managers of sessions and set-ups keep; undefined where there is none. */
  caches?: Left | undefined;
};

export type Facts = {
  machine: MachineFacts;
  /** `outside`: there is none here, and none is needed. Undefined where git is missing. */
  repository?: RepositoryFacts | { refused: Refusal; outside: boolean };
};

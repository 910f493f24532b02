/** What a diagnosis rests on, as it was gathered: of the machine, the repository and its relays. Nothing is judged yet. */
import type { Advice } from "../error/hint-schema.ts";
import type { Sandbox } from "../settings/settings.ts";

/** Words of an error, and what to do about it. */
export type Refusal = { said: string; hint: Advice };

/** `refused`: why a file could not be written and locked there. Free room is undefined where the system does not report it. */
export type FolderFacts = {
  folder: "temporary" | "state" | "runtime";
  path: string;
  refused?: string | undefined;
  freeBytes?: number | undefined;
};

/** `loginBy`: how a person logs in, where a login is needed. */
export type AgentFacts = {
  name: string;
  roles: readonly string[];
  found: boolean;
  install: string | null;
  version: string | null;
  login: string | null;
  loginBy?: string | undefined;
};

export type MachineFacts = {
  node: string;
  /** Undefined where there is none on the PATH. */
  git: string | undefined;
  containment: "pid-namespace" | "process-group";
  /** What the settings of both roles ask for, and whether bubblewrap works here. */
  sandbox: { asked: readonly Sandbox[]; works: boolean };
  folders: readonly FolderFacts[];
  /** Undefined where the settings cannot be read. */
  agents?: readonly AgentFacts[] | undefined;
};

/** A clone or a part of one; `relay`: whether one of its issue is open, over, or was never begun. */
export type LeftClone = {
  path: string;
  bytes: number;
  issue: string;
  part: "work" | "spare" | "kept";
  relay: "open" | "over" | "none";
};

export type RepositoryFacts = {
  settings: { refused: Refusal } | { base: string; baseThere: boolean };
  /** Locks of git; `left`: no git is at work. */
  locks: { paths: readonly string[]; left: boolean; remedy: string };
  /** How many have a sound journal. */
  relays: number;
  damaged: readonly (Refusal & { issue: string })[];
  /** Relays without a runner whose session is alive, with its processes as far as the system reports them. */
  orphans: readonly { issue: string; pids: readonly number[] }[];
  clones: readonly LeftClone[];
};

export type Facts = {
  machine: MachineFacts;
  /** `outside`: the folder is in no repository. Undefined where git is missing. */
  repository?: RepositoryFacts | { refused: Refusal; outside: boolean };
};

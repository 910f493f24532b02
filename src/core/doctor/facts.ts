/** The facts of a diagnosis as they were gathered, before any judgement: of the machine, the repository and its relays. */
import type { Advice } from "../error/hint-schema.ts";
import type { HomeAhead } from "../home/home-files.ts";
import type { BaselineSeen } from "../relay/baseline.ts";
import type { Behind } from "../relay/behind.ts";
import type { Sandbox } from "../settings/settings.ts";

/** The message of an error, and its remedy. */
export type Refusal = { said: string; hint: Advice };

/** `refused`: why a file could not be written and locked in the folder. `free` is undefined where the system does not report it. */
export type FolderFacts = {
  folder: "temporary" | "state" | "runtime";
  path: string;
  refused?: string | undefined;
  freeBytes?: number | undefined;
};

/** `loginBy`: how to log in, if a login is needed. */
export type AgentFacts = {
  name: string;
  roles: readonly string[];
  found: boolean;
  install: string | null;
  version: string | null;
  /** The version that its adapter needs, if this one is older. */
  least?: string | null;
  login: string | null;
  /** Why no run uses it. */
  unused?: string | null;
  loginBy?: string | undefined;
};

export type MachineFacts = {
  node: string;
  /** Whether other programs find monoco. */
  onPath: boolean;
  /** The version of git; undefined if none is on the PATH. */
  git: string | undefined;
  containment: "pid-namespace" | "process-group";
  /** The sandboxes that the roles' settings ask for, and whether bubblewrap works on this machine. */
  sandbox: { asked: readonly Sandbox[]; works: boolean };
  folders: readonly FolderFacts[];
  /** Undefined if the settings cannot be read. */
  agents?: readonly AgentFacts[] | undefined;
};

/** A clone or a part of one; `relay`: whether its issue's relay is open, over, or was never begun. */
export type LeftClone = {
  path: string;
  bytes: number;
  issue: string;
  part: "work" | "spare" | "kept";
  relay: "open" | "over" | "none";
};

export type RepositoryFacts = {
  /** How set-up and checks ended on the base, if that is known. */
  baseline?: BaselineSeen | undefined;
  /** What of the home sandboxes hide although something names it, or why a session cannot begin. */
  home?: HomeAhead | { refused: Refusal } | undefined;
  /** The remote of `remote:`, and why it would take no relay, if it would not. */
  remote?: { name: string; said: string | undefined } | undefined;
  /** The commits of its upstream that the base lacks. */
  behind?: Behind | undefined;
  settings:
    | { refused: Refusal }
    | { base: string; baseThere: boolean; given: string; unset: readonly string[] };
  /** Git's lock files; `left`: no git is running. */
  locks: { paths: readonly string[]; left: boolean; remedy: string };
  /** The number of relays with a sound journal. */
  relays: number;
  /** The number of refs of relays that are over. */
  refs: number;
  damaged: readonly (Refusal & { issue: string })[];
  /** Relays that have no runner but a live session, with the process ids that the system reports. */
  orphans: readonly { issue: string; pids: readonly number[] }[];
  clones: readonly LeftClone[];
};

/** What a CI runner finds in its checkout and on its machine. */
export type RunnerFacts = {
  base: string;
  /** `none`: there is no such remote. `refuses`: git's words, where it takes no push of a relay. */
  remote: { name: string; none: boolean; refuses: string | undefined };
  detached: boolean;
  branch: "missing" | "untracked" | "tracks";
  identity: boolean;
  /** The sandboxes that the roles' settings ask for, and whether bubblewrap works here. */
  sandbox: { asked: readonly Sandbox[]; works: boolean };
  /** The command line of the host, and why it cannot be used. */
  host: { program: "gh" | "glab"; refused: "missing" | "logged_out" | undefined };
  /** Workflow files that this monoco would write otherwise, and that nobody has changed. */
  workflows: { service: "github" | "gitlab"; paths: readonly string[]; none: boolean };
};

/** `runner`: what a CI runner needs, if that was asked. */
export type Facts = {
  machine: MachineFacts;
  runner?: RunnerFacts | undefined;
  /** The repository, or why there is none: `outside` means that the folder is in no repository. Undefined without git. */
  repository?: RepositoryFacts | { refused: Refusal; outside: boolean };
};

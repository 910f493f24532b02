/** Where everything lies: runtime files beside the main worktree, clones outside the repository. */
import { hash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/** Folders of one repository. */
export type RepositoryPlaces = {
  monoco: string;
  relays: string;
  locks: string;
  accounts: string;
  /** Sessions that propose issues, which belong to no relay. */
  proposals: string;
  /** What people's own sessions handed over. */
  handovers: string;
  /** What was read before; everything in it may be deleted. */
  cache: string;
  clones: string;
  /** Caches of package managers for what runs in a sandbox; everything in it may be deleted. */
  packages: string;
};

/** Folders and files of one issue's relay. */
export type Places = {
  issue: string;
  relay: string;
  journal: string;
  inbox: string;
  runnerLock: string;
  /** Held by the session's process tree. */
  sessionLock: string;
  /** The Executor's clone. */
  workspace: string;
  /** There when the Executor's clone is complete and set up. */
  workspaceReady: string;
  /** There while the clone's .git is an agent's: from a session's start until it is replaced. */
  workspaceUsed: string;
  /** The Reviewer's clone, and the one that checks on submissions and merged trees run in. */
  review: string;
  /** A clone of the base, where the Reviewer's evidence is run again. */
  base: string;
  /** A clone of the submission, in which its tests are put to the test. */
  trial: string;
  /** The runner's own, while it merges. */
  scratch: string;
  session(n: number, role: string): SessionPlaces;
  /** A submission's folder: logs, dossier. */
  submission(n: number): string;
};

export type SessionPlaces = {
  folder: string;
  outbox: string;
  prompt: string;
  live: string;
  identity: string;
  stream: string;
  stderr: string;
  /** RALPH.md as archived at the session's end. */
  handoff: string;
};

/** `root` is the main worktree; clones go below $XDG_STATE_HOME, where no test runner or linter of the repository finds them. */
export function repositoryPlaces(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): RepositoryPlaces {
  const monoco = join(root, ".monoco");
  let clones: string | undefined;
  return {
    monoco,
    relays: join(monoco, "relays"),
    locks: join(monoco, "locks"),
    accounts: join(monoco, "accounts"),
    proposals: join(monoco, "proposals"),
    handovers: join(monoco, "handovers"),
    cache: join(monoco, "cache"),
    // Node takes long to load what hashes, and a command that only looks has no need of it.
    get clones() {
      return (clones ??= join(stateFolder(env), hash("sha256", root).slice(0, 16)));
    },
    get packages() {
      return join(this.clones, "packages");
    },
  };
}

/** Where the cards of a worktree's issues are kept. */
export function cardsOfFiles({ cache }: RepositoryPlaces, worktree: string): string {
  return join(cache, `issues-${hash("sha256", worktree).slice(0, 16)}.json`);
}

/** Where those of issues in git are kept. */
export function cardsOfBlobs({ cache }: RepositoryPlaces): string {
  return join(cache, "issues-in-git.json");
}

/** What monoco keeps of this machine, of all repositories. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state"), "monoco");
}

/** `issue` must be a validated id: it becomes part of paths. */
export function placesOf(repository: RepositoryPlaces, issue: string): Places {
  const relay = join(repository.relays, issue);
  return {
    issue,
    relay,
    journal: join(relay, "journal.jsonl"),
    inbox: join(relay, "inbox"),
    runnerLock: join(repository.locks, `${issue}.runner`),
    sessionLock: join(repository.locks, `${issue}.session`),
    get workspace() {
      return join(repository.clones, issue);
    },
    get workspaceReady() {
      return join(repository.clones, `${issue}.ready`);
    },
    get workspaceUsed() {
      return join(repository.clones, `${issue}.used`);
    },
    get review() {
      return join(repository.clones, `${issue}.review`);
    },
    get base() {
      return join(repository.clones, `${issue}.base`);
    },
    get trial() {
      return join(repository.clones, `${issue}.trial`);
    },
    get scratch() {
      return join(repository.clones, `${issue}.scratch`);
    },
    session: (n, role) => sessionPlaces(join(relay, "sessions", `${String(n).padStart(4, "0")}-${role}`)),
    submission: (n) => join(relay, "submissions", String(n)),
  };
}

/** Of a session that proposes an issue; `name` is its folder's. */
export function proposalPlaces(repository: RepositoryPlaces, name: string): SessionPlaces {
  return sessionPlaces(join(repository.proposals, name));
}

function sessionPlaces(folder: string): SessionPlaces {
  return {
    folder,
    outbox: join(folder, "outbox"),
    prompt: join(folder, "prompt.md"),
    live: join(folder, "live.json"),
    identity: join(folder, "session.json"),
    stream: join(folder, "stream.jsonl"),
    stderr: join(folder, "stderr.log"),
    handoff: join(folder, "RALPH.md"),
  };
}

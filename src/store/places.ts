/** All paths: runtime files are next to the main worktree, clones outside of the repository. */
import { hash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folders of a repository. */
export type RepositoryPlaces = {
  monoco: string;
  relays: string;
  locks: string;
  /** The output of the last run in the background, and the lock that such a run holds. */
  runLog: string;
  runLock: string;
  /** The reports of runs of the whole backlog. */
  reports: string;
  accounts: string;
  /** Sessions that propose issues, which belong to no relay. */
  proposals: string;
  /** Hand-overs of people's own sessions. */
  handovers: string;
  /** Data that was read before; everything in it may be deleted. */
  cache: string;
  clones: string;
  /** Package managers' caches for sandboxes; everything in it may be deleted. */
  packages: string;
};

/** The folders and files of an issue's relay. */
export type Places = {
  issue: string;
  relay: string;
  journal: string;
  inbox: string;
  runnerLock: string;
  /** The lock that the session's processes hold. */
  sessionLock: string;
  /** The Executor's clone. */
  workspace: string;
  /** A file that exists while the Executor's clone is complete and set up. */
  workspaceReady: string;
  /** A file that exists from a session's start until the work in its clone's .git is kept. */
  workspaceUsed: string;
  /** The Reviewer's clone, also for checks of submissions and merged trees. */
  review: string;
  /** A clone of the base, where the Reviewer's evidence runs again. */
  base: string;
  /** A clone of the submission, for the trial of its tests. */
  trial: string;
  /** The runner's folder during a merge. */
  scratch: string;
  session(n: number, role: string): SessionPlaces;
  /** A submission's folder, with logs and dossier. */
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
  /** The session's RALPH.md, archived at its end. */
  handoff: string;
};

/** `root` is the main worktree. Clones are below $XDG_STATE_HOME, where no test runner or linter finds them. */
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
    runLog: join(monoco, "run.log"),
    runLock: join(monoco, "locks", "run"),
    reports: join(monoco, "reports"),
    accounts: join(monoco, "accounts"),
    proposals: join(monoco, "proposals"),
    handovers: join(monoco, "handovers"),
    cache: join(monoco, "cache"),
    // A getter, since Node's hash functions load slowly and many commands need no clone.
    get clones() {
      return (clones ??= join(stateFolder(env), hash("sha256", root).slice(0, 16)));
    },
    get packages() {
      return join(this.clones, "packages");
    },
  };
}

/** The cache for the cards of a worktree's issues. */
export function cardsOfFiles({ cache }: RepositoryPlaces, worktree: string): string {
  return join(cache, `issues-${hash("sha256", worktree).slice(0, 16)}.json`);
}

/** The cache for the cards of issues in git. */
export function cardsOfBlobs({ cache }: RepositoryPlaces): string {
  return join(cache, "issues-in-git.json");
}

/** The folder of monoco's state on this machine, for all repositories. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state"), "monoco");
}

/** The places of a relay. `issue` must be a validated id, since it becomes part of paths. */
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

/** The places of a session that proposes an issue; `name` is its folder's. */
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

/** Collects a session's work after its processes are gone: commits, files, handoff. */
import type { WhoRan } from "./who-ran.ts";
import type { Unreadable } from "../../core/reason/ending-schema.ts";
import { keepTree, namesBetween, takeSnapshot } from "../../git/snapshot.ts";
import type { Beside } from "../../git/snapshot.ts";
import { fetchSession } from "../../git/clone/fetch-session.ts";
import { isOwnFolder, takeBack, takeGitBack } from "../../git/folders.ts";
import { unfinishedIn } from "../../git/clone/operation.ts";
import { restoreSettings } from "../../git/clone/own-settings.ts";
import { removeLocks } from "../../git/clone/settle.ts";
import { keepGitDir } from "../../git/clone/workspace.ts";
import { keepUncommitted } from "../../git/clone/inner-work.ts";
import { keepModules, modulesLeft } from "../../git/clone/module-work.ts";
import { gitIn } from "../../git/git.ts";
import { removePipes } from "../../git/pipes.ts";
import { join } from "node:path";
import { gitAtPipeMs, innerRepositoriesMax } from "../../core/limits.ts";
import { refs } from "../../git/refs.ts";
import { writeDurably } from "../../store/durable.ts";
import { commitsBetween } from "../../git/repository.ts";
import { readMailbox } from "../../store/mailbox.ts";
import type { Exit } from "../../agents/child.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { workBefore } from "../../core/relay/work-before.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { openingOf } from "../relay.ts";
import { cloneSource, gitWithin } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import type { Seen } from "../../core/session/observations.ts";
import type { Unfinished } from "../../core/exit/unfinished.ts";
import { isValidHandoff, ownHandoff } from "./own-handoff.ts";

export type Left = {
  session: number;
  role: Role;
  folder: string;
  places: SessionPlaces;
  seen: Seen;
  exit: Exit;
  stderrTail: string;
  /** The agent has a stop hook that was not seen to be loaded. */
  hooksMissing: boolean;
  /** The agent always reports its end and did not. */
  cutShort: boolean;
  /** The agent reported its session id, so its adapter understood it. */
  begun: boolean;
  /** The program that ran, for a session that went wrong. */
  who(): Promise<WhoRan | undefined>;
};

export type Work = {
  head: string;
  commits: number;
  filesChanged: number;
  progress: boolean;
  wip?: string;
  trouble?: Unreadable;
  /** The place of a git directory that could not be fetched from. */
  kept?: string;
  /** Pipes that were removed because git would wait at them. */
  pipes?: readonly string[];
  foreignRef?: string;
  /** The clone's changed hooks and settings that were set aside, and their folder. */
  setAside?: { names: readonly string[]; to: string };
  /** The git operation that the session left in progress. */
  unfinished?: Unfinished;
  /** Submodules with commits or changes that the head does not record. */
  submodules?: string[];
  /** Folders of the clone that are repositories of their own, such as linked worktrees. */
  repositories?: string[];
  handedOver: boolean;
  submitted: boolean;
};

/** The work of a session that changed nothing. */
const nothing = { commits: 0, filesChanged: 0, progress: false, handedOver: false, submitted: false };

/** Keeps the Reviewer's changes in its clone (a failing test, say) for readers of its verdict; they are never merged. */
export async function reviewersWork(relay: Relay, { session, folder, seen }: Left): Promise<Work> {
  const { head } = relay.state.sessions.find((record) => record.session === session)!.started;
  const unchanged = { ...nothing, head, progress: true };
  if (!seen.verdict || !isOwnFolder(folder)) return unchanged;
  const pipes = await takeBack(folder);
  const { tree, uncommitted } = await takeSnapshot(relay.repository, folder, head);
  if (!tree) return { ...unchanged, pipes };
  const message = `What the Reviewer of ${relay.issue} session ${session} changed`;
  const ref = refs.wip(relay.issue, session);
  const wip = await keepTree(relay.repository.git, { parents: [head], ref, tree, message });
  return { ...unchanged, wip, pipes, filesChanged: uncommitted.length };
}

export async function executorsWork(relay: Relay, left: Left): Promise<Work> {
  const { repository, issue } = relay;
  const { session, folder } = left;
  const started = relay.state.sessions.find((record) => record.session === session)!.started;
  const there = isOwnFolder(folder);
  const ofGit = there ? await takeGitBack(folder) : [];
  const handoff = there ? archiveHandoff(relay, left) : undefined;
  const submitted = readMailbox(left.places.outbox, outboxMessageSchema).some(
    ({ message }) => message.type === "submit",
  );
  if (!there) return { ...nothing, head: started.head, trouble: { rule: "no_workspace" }, submitted };
  const before = leftBefore(relay, session, started.head);
  const pipes = pipesOf(folder);
  const within = gitWithin(relay, folder);
  const from = { workspace: folder, issue, session, previousHead: started.head, within };
  const { head, trouble, foreignRef } = await fetchSession(cloneSource(relay), from);
  // Runs before the end is journaled, which names the place.
  const aside = { head, to: `${folder}.git-of-session-${session}` };
  const kept = trouble && (await keepGitDir(repository, folder, aside));
  const { tree, repositories } = await readBeside(pipes, (beside) =>
    takeSnapshot(repository, folder, head, beside),
  );
  const to = join(left.places.folder, "git");
  if (!trouble) removeLocks(folder);
  const names = trouble ? [] : await restoreSettings(repository.git, folder, to);
  const unfinished = trouble ? undefined : await unfinishedIn(repository.git, folder);
  // After the restored settings: git looks into each submodule.
  const submodules = trouble ? [] : await modulesLeft(gitIn(folder, within), head);
  if (!trouble) await keepModules(repository.commonDir, from);
  if (!trouble) await readBeside(pipes, (beside) => keepUncommitted(repository, from, beside));
  const keep = { parents: [head], ref: refs.wip(issue, session) };
  const message = `Uncommitted work of ${issue} session ${session}`;
  const wip = tree && (await keepTree(repository.git, { ...keep, tree, message }));
  const [changed, commits] = await Promise.all([
    namesBetween(repository.root, before, wip ?? head),
    commitsBetween(repository.git, started.head, head),
  ]);
  return {
    head,
    commits,
    filesChanged: changed.length,
    progress: changed.length > 0 || head !== started.head,
    ...(wip ? { wip } : {}),
    ...(trouble ? { trouble } : {}),
    ...(kept ? { kept } : {}),
    pipes: [...ofGit, ...(await pipes.removed())].toSorted(),
    ...(foreignRef ? { foreignRef } : {}),
    ...(names.length > 0 ? { setAside: { names, to } } : {}),
    ...(unfinished ? { unfinished } : {}),
    ...(submodules.length > 0 ? { submodules } : {}),
    ...(repositories.length > 0 ? { repositories: repositories.slice(0, innerRepositoriesMax) } : {}),
    handedOver: handoff !== undefined && isValidHandoff(handoff, { issue, session }),
    submitted,
  };
}

/** Searches the worktree for pipes, once, and lists those removed. Other pipes are removed while the next agent works. */
type Pipes = { look(): Promise<string[]>; removed(): Promise<string[]> };

function pipesOf(folder: string): Pipes {
  let looking: Promise<string[]> | undefined;
  return {
    look: () => (looking ??= removePipes(folder, "files")),
    removed: async () => (await looking) ?? [],
  };
}

/** Reads the worktree. If that is slow or fails, git may wait at a pipe: pipes are removed, and the worktree is read again. */
async function readBeside<T>(pipes: Pipes, read: (beside?: Beside) => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const end = (): void => waiting.abort();
  const lookNow = (): void => void pipes.look().then((removed) => removed.length > 0 && end(), end);
  let late: NodeJS.Timeout | undefined;
  const meanwhile = (): void => void (late = setTimeout(lookNow, gitAtPipeMs));
  const [first] = await Promise.allSettled([read({ stop: waiting.signal, meanwhile })]);
  clearTimeout(late);
  const hasFailed = first.status === "rejected";
  if ((await (hasFailed ? pipes.look() : pipes.removed())).length > 0) return read();
  if (hasFailed) throw first.reason;
  return first.value;
}

/** The commit that a session began with: the last Executor's uncommitted work or head, otherwise `head`. */
export function leftBefore(relay: Relay, session: number, head: string): string {
  const before = workBefore(openingOf(relay), session);
  return before?.wip ?? before?.head ?? head;
}

/** Archives the RALPH.md that this session wrote, if any, and returns it. */
function archiveHandoff(relay: Relay, { session, folder, places }: Left): string | undefined {
  const given = relay.state.sessions.find((record) => record.session === session)!.started.handoff;
  const text = ownHandoff({ workspace: folder, handoffGiven: given?.sha256 });
  if (text !== undefined) writeDurably(places.handoff, text);
  return text;
}

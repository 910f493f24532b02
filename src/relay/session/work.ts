/** What a session has left of work, once its process tree is gone: its commits, its files, its handoff. */
import type { Unreadable } from "../../core/reason/ending-schema.ts";
import { keepTree, namesBetween, takeSnapshot } from "../../git/snapshot.ts";
import type { Beside } from "../../git/snapshot.ts";
import { fetchSession } from "../../git/clone/fetch-session.ts";
import { isOwnFolder, takeBack, takeGitBack } from "../../git/folders.ts";
import { unfinishedIn } from "../../git/clone/operation.ts";
import { restoreSettings } from "../../git/clone/own-settings.ts";
import { keepGitDir } from "../../git/clone/workspace.ts";
import { removePipes } from "../../git/pipes.ts";
import { join } from "node:path";
import { gitAtPipeMs } from "../../core/limits.ts";
import { refs } from "../../git/refs.ts";
import { writeDurably } from "../../store/durable.ts";
import { commitsBetween } from "../../git/repository.ts";
import { readMailbox } from "../../store/mailbox.ts";
import type { Exit } from "../../agents/child.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { outboxMessageSchema } from "../../core/session/message.ts";
import { workBefore } from "../../core/relay/work-before.ts";
import type { SessionPlaces } from "../../store/places.ts";
import { cloneSource, openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import type { Seen } from "../../core/session/observations.ts";
import type { Unfinished } from "../../core/exit/unfinished.ts";
import { gitWithin } from "../sandbox.ts";
import { isValidHandoff, ownHandoff } from "./own-handoff.ts";

export type Left = {
  session: number;
  role: Role;
  folder: string;
  places: SessionPlaces;
  seen: Seen;
  exit: Exit;
  stderrTail: string;
  /** The agent has a stop hook, and nothing proved that it was loaded. */
  hooksMissing: boolean;
  /** It always tells how it ended, and did not. */
  cutShort: boolean;
  /** It told which session it is: what its adapter understood. */
  begun: boolean;
  /** The program that ran, for a session that went wrong. */
  who(): Promise<WhoRan | undefined>;
};

/** `program`: its version, and how a person logs in. */
export type WhoRan = { who: string; hint: string; measuredOn?: string; program?: string };

export type Work = {
  head: string;
  commits: number;
  filesChanged: number;
  progress: boolean;
  wip?: string;
  trouble?: Unreadable;
  /** Where its git directory is, which could not be fetched from. */
  kept?: string;
  /** Pipes that were removed, at which git would wait. */
  pipes?: readonly string[];
  found?: string;
  /** What of its clone's hooks and configuration was set aside, and where. */
  setAside?: { names: readonly string[]; to: string };
  /** What of git's it left in the middle. */
  unfinished?: Unfinished;
  handedOver: boolean;
  submitted: boolean;
};

/** Of a session that changed nothing. */
const nothing = { commits: 0, filesChanged: 0, progress: false, handedOver: false, submitted: false };

/** What it changed in its clone is kept for whoever reads its verdict (a test that fails, say), and never merged. */
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
  const { head, trouble, found } = await fetchSession(cloneSource(relay), from);
  // Before its end is journaled, which names the place.
  const kept = trouble && keepGitDir(folder, `${folder}.git-of-session-${session}`);
  const { tree } = await readBeside(pipes, (beside) => takeSnapshot(repository, folder, head, beside));
  const to = join(left.places.folder, "git");
  const names = trouble ? [] : await restoreSettings(repository.git, folder, to);
  const unfinished = trouble ? undefined : await unfinishedIn(repository.git, folder);
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
    ...(found ? { found } : {}),
    ...(names.length > 0 ? { setAside: { names, to } } : {}),
    ...(unfinished ? { unfinished } : {}),
    handedOver: handoff !== undefined && isValidHandoff(handoff, { issue, session }),
    submitted,
  };
}

/** Looks for pipes in the worktree, once, and tells which it has removed so far. Those that no git has met go beside the next agent. */
type Pipes = { look(): Promise<string[]>; removed(): Promise<string[]> };

function pipesOf(folder: string): Pipes {
  let looking: Promise<string[]> | undefined;
  return {
    look: () => (looking ??= removePipes(folder, "files")),
    removed: async () => (await looking) ?? [],
  };
}

/** Reads the worktree. Where that lasts, or fails, it may be at a pipe, at which git waits: pipes are removed then, and it is read anew. */
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

/** The commit that holds what the session began with: what the Executor before it left, uncommitted work too; else `head`. */
export function leftBefore(relay: Relay, session: number, head: string): string {
  const before = workBefore(openingOf(relay), session);
  return before?.wip ?? before?.head ?? head;
}

/** Archives the RALPH.md that this session wrote, if it wrote one, and returns it. */
function archiveHandoff(relay: Relay, { session, folder, places }: Left): string | undefined {
  const given = relay.state.sessions.find((record) => record.session === session)!.started.handoff;
  const text = ownHandoff({ workspace: folder, handoffGiven: given?.sha256 });
  if (text !== undefined) writeDurably(places.handoff, text);
  return text;
}

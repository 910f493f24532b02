/** What is so of each relay: its journal, and what locks, processes, refs and its issue say beside it. Reads only. */
import { readdirSync, readlinkSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { headOf, standingOf } from "../../core/doctor/repository.ts";
import type { RelayFacts, RepositoryFacts } from "../../core/doctor/facts.ts";
import { emptyState } from "../../core/journal/relay-state.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { gitOr } from "../../git/git.ts";
import { compareWithCopy } from "../../relay/journal-copy.ts";
import { lookForForeign } from "../../store/foreign-lines.ts";
import { readJournal, tornBytes } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import type { BaseIssues } from "../base-issues.ts";
import { placesFor, relayIds } from "../here.ts";
import type { Here } from "../here.ts";
import { lookAt } from "../overview/relay-look.ts";

type Read = Pick<RepositoryFacts, "relays" | "damaged">;
/** The issues as they are on the base of the settings in force. */
type OnBase = { base: string; issues: BaseIssues };

export async function relaysHere(here: Here, onBase: OnBase | undefined): Promise<Read> {
  const damaged: RepositoryFacts["damaged"][number][] = [];
  const states = new Map<string, RelayState>();
  for (const issue of relayIds(here)) {
    const read = await readOne(here, issue);
    states.set(issue, read.state);
    if (read.refused) damaged.push({ issue, said: read.refused.message, hint: read.refused.hint ?? "" });
  }
  const refs = await refsHere(here);
  const offBase = await offBaseOf(here, states);
  const relays: RelayFacts[] = [];
  for (const [issue, state] of states) {
    const { opening } = state;
    const head = refs.get(`refs/monoco/${issue}/head`);
    const branch = opening && refs.get(`refs/heads/${opening.branch}`);
    relays.push({
      issue,
      state,
      ...(await processesOf(here, issue, state)),
      tornBytes: attempt(() => tornBytes(placesFor(here, issue).journal), 0),
      letters: lettersOf(here, issue, state),
      head,
      branch,
      ahead: await aheadOf(here, state, { head, branch }),
      ...issueThere(issue, state, onBase),
      offBase: offBase.has(opening?.merged?.commit ?? opening?.finished?.commit ?? ""),
    });
  }
  return { relays, damaged };
}

/** A damaged journal says nothing of its relay; one that only its copy speaks against does. */
async function readOne(here: Here, issue: string): Promise<{ state: RelayState; refused?: MonocoError }> {
  const places = placesFor(here, issue);
  let state = emptyState();
  try {
    lookForForeign(places.journal);
    state = replay(readJournal(places.journal));
    if (standingOf(state) === "open") await compareWithCopy({ repository: here.repository, issue, places });
    return { state };
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    return { state: emptyState(), refused: error };
  }
}

async function processesOf(
  here: Here,
  issue: string,
  state: RelayState,
): Promise<Pick<RelayFacts, "runner" | "session">> {
  const { runnerLock, sessionLock } = placesFor(here, issue);
  const held = isLocked(sessionLock);
  const pids = held && !isLocked(runnerLock) ? holdersOf(sessionLock) : [];
  if (state.seq === 0)
    return { runner: isLocked(runnerLock) ? "alive" : "none", session: { held, pids, stopped: null } };
  const { now, current, stoppedRunner } = await lookAt(here, issue, { state, elsewhere: () => [] });
  const alive = stoppedRunner === undefined ? "alive" : { stopped: stoppedRunner };
  return {
    runner: now.runnerAlive ? alive : "none",
    session: { held, pids, stopped: current?.stoppedProcess ?? null },
  };
}

/** Processes that have the file open; none where the system does not tell. */
function holdersOf(path: string): number[] {
  const has = (pid: string): boolean =>
    attempt(() => readdirSync(`/proc/${pid}/fd`), []).some(
      (fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "") === path,
    );
  const all = attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  return all.filter((pid) => Number(pid) !== process.pid && has(pid)).map(Number);
}

/** One that is in the journal was only not removed yet. A name ends in the message's id. */
function lettersOf(here: Here, issue: string, { messageIds }: RelayState): number {
  const names = attempt(() => readdirSync(placesFor(here, issue).inbox), []);
  const known = (name: string): boolean => [...messageIds].some((id) => name.includes(id));
  return names.filter((name) => name.endsWith(".json") && !known(name)).length;
}

async function refsHere({ repository }: Here): Promise<Map<string, string>> {
  const asked = ["--format=%(refname) %(objectname)", "refs/monoco", "refs/heads"];
  const lines = (await repository.git(["for-each-ref", ...asked])).split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

/** What was merged or left on a branch, as far as its base does not have it: one question for each base. */
async function offBaseOf(
  { repository }: Here,
  states: ReadonlyMap<string, RelayState>,
): Promise<Set<string>> {
  const byBase = new Map<string, string[]>();
  for (const { opening } of states.values()) {
    const commit = opening?.merged?.commit ?? opening?.finished?.commit;
    if (commit) byBase.set(opening!.base, [...(byBase.get(opening!.base) ?? []), commit]);
  }
  const off = new Set<string>();
  for (const [base, commits] of byBase) {
    const asked = ["rev-list", "--ignore-missing", ...commits, `^refs/heads/${base}`];
    for (const commit of (await gitOr(repository.git(asked), "")).split("\n")) off.add(commit);
  }
  return off;
}

async function aheadOf(
  { repository }: Here,
  state: RelayState,
  { head, branch }: Pick<RelayFacts, "head" | "branch">,
): Promise<number> {
  const { opening } = state;
  if (!opening || branch === undefined || standingOf(state) !== "open") return 0;
  const { commit, others } = headOf(opening);
  const left = [opening.finished?.commit, opening.pullRequest?.commit, head];
  const known = [commit, ...others, ...opening.submissions.map((one) => one.head), ...left];
  if (known.includes(branch)) return 0;
  const without = [...new Set(known)].flatMap((one) => (one === undefined ? [] : [`^${one}`]));
  const asked = [
    "rev-list",
    "--count",
    "--ignore-missing",
    branch,
    ...without,
    `^refs/heads/${opening.base}`,
  ];
  return Number(await gitOr(repository.git(asked), "0")) || 0;
}

function issueThere(
  issue: string,
  { opening }: RelayState,
  onBase: OnBase | undefined,
): Pick<RelayFacts, "issueThere"> {
  if (!opening || onBase?.base !== opening.base || onBase.issues.broken.has(issue)) return {};
  const there = onBase.issues.sound.get(issue)?.card.status ?? "gone";
  return there === "backlog" ? {} : { issueThere: there };
}

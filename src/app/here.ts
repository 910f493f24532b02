/** The repository around the current folder, its places, and the issue that a command is about. */
import { randomUUID } from "node:crypto";
import { attempt } from "../core/error/attempt.ts";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { idsInBranch, issueIdPattern } from "../core/issue/name.ts";
import { replay } from "../core/journal/state.ts";
import { isOpen } from "../core/relay/phase.ts";
import { branchIn } from "../git/worktrees.ts";
import { openRepository } from "../git/repository.ts";
import type { Repository } from "../git/repository.ts";
import { io } from "../io/io.ts";
import { systemClock } from "../relay/clock.ts";
import type { Run } from "../relay/relay.ts";
import { idOf, listIssueFiles } from "../store/issue-folder.ts";
import { viewJournal } from "../store/journal-view.ts";
import { placesOf, repositoryPlaces } from "../store/places.ts";
import type { Places } from "../store/places.ts";
import { proposalSpendings } from "../store/proposal-spendings.ts";
import type { Others } from "../store/spendings.ts";
import { validId } from "./valid-id.ts";
import { t } from "../core/language/translate.ts";

/** The repository, the current folder, and the command, whose relays share one budget. */
export type Here = {
  repository: Repository;
  cwd: string;
  run: Run;
  /** What sessions on the other machines of a fleet have used. */
  elsewhere?: Others;
};

export async function openHere(cwd = io().cwd): Promise<Here> {
  const run = new OneRun();
  return { repository: await openRepository(cwd), cwd, run };
}

/** Makes its name on demand: the module for it takes Node long to load. */
class OneRun implements Run {
  readonly startedAtMs = systemClock.nowMs();
  #id: string | undefined;

  get id(): string {
    return (this.#id ??= randomUUID());
  }
}

/** Whether the folder is in no worktree and is no bare repository. */
export function isOutside(folder: string): boolean {
  if (["HEAD", ".git"].some((name) => existsSync(join(folder, name)))) return false;
  return folder === dirname(folder) || isOutside(dirname(folder));
}

export function placesFor(here: Here, issue: string): Places {
  return placesOf(repositoryPlaces(here.repository.root, io().env), validId(issue));
}

/** The usage of sessions that belong to no relay here. */
export function othersHere(here: Here): Others {
  const { proposals } = repositoryPlaces(here.repository.root, io().env);
  return () => [...proposalSpendings(proposals, systemClock.nowMs()), ...(here.elsewhere?.() ?? [])];
}

/** The issues whose relay has begun, in order. */
export function relayIds(here: Here): string[] {
  const { relays } = repositoryPlaces(here.repository.root, io().env);
  if (!existsSync(relays)) return [];
  return readdirSync(relays)
    .filter((name) => issueIdPattern.test(name) && hasBegun(join(relays, name, "journal.jsonl")))
    .sort();
}

/** Whether an issue may have a relay, after one look at the folder of all relays. If that folder cannot be listed, each issue may. */
export function mayHaveRelay(here: Here): (issue: string) => boolean {
  const { relays } = repositoryPlaces(here.repository.root, io().env);
  if (!existsSync(relays)) return () => false;
  const names = attempt(() => new Set(readdirSync(relays)), undefined);
  return (issue) => names?.has(issue) ?? true;
}

/** Whether the journal has an event: an empty journal is left if its first event could not be written. */
export function hasBegun(journal: string): boolean {
  const stat = statSync(journal, { throwIfNoEntry: false });
  return stat !== undefined && stat.size > 0;
}

/** The issues whose relay is open: running, waiting, or resting for a person. A damaged journal does not count. */
export function openRelayIds(here: Here): string[] {
  return relayIds(here).filter((issue) => {
    return attempt(() => isOpen(replay(viewJournal(placesFor(here, issue).journal))), false);
  });
}

/** Like `idOrHere`, for commands that cannot harm another relay: falls back to the only open relay. */
export async function relayOrHere(
  here: Here,
  id: string | undefined,
  handedOver: readonly string[] = [],
): Promise<string> {
  const ownId = id === undefined ? await idHere(here) : validId(id);
  if (ownId !== undefined) return ownId;
  const branchId = handedOver.length > 0 ? await idInBranch(here) : undefined;
  if (branchId !== undefined && handedOver.includes(branchId)) return branchId;
  const open = [...new Set([...openRelayIds(here), ...handedOver])];
  if (open.length === 1) return open[0]!;
  throw whichIssue(open);
}

/** The given id, else the session's, else that of the current branch (`monoco/ID`, or as `finish.branch` says). */
export async function idOrHere(here: Here, id: string | undefined): Promise<string> {
  const ownId = id === undefined ? await idHere(here) : validId(id);
  if (ownId === undefined) throw whichIssue([]);
  return ownId;
}

async function idHere(here: Here): Promise<string | undefined> {
  const session = io().env["MONOCO_ISSUE"];
  if (session) return validId(session);
  const branch = (await branchIn(here.repository.worktree)) ?? "";
  if (branch.startsWith("monoco/")) return validId(branch.slice("monoco/".length));
  return idsInBranch(branch).find((id) => workBranchOf(here, id) === branch);
}

/** The work branch of the issue's relay; undefined without one, or if its journal is damaged. */
function workBranchOf(here: Here, issue: string): string | undefined {
  return attempt(() => replay(viewJournal(placesFor(here, issue).journal)).opening?.branch, undefined);
}

/** The one issue of this worktree whose id is in the branch's name; undefined for none or several. */
export async function idInBranch(here: Here): Promise<string | undefined> {
  const ids = idsInBranch((await branchIn(here.repository.worktree)) ?? "");
  if (ids.length === 0) return undefined;
  const there = new Set(listIssueFiles(here.repository.worktree).files.map(idOf));
  const idsHere = ids.filter((id) => there.has(id));
  return idsHere.length === 1 ? idsHere[0] : undefined;
}

function whichIssue(open: readonly string[]): MonocoError {
  const message = t`which issue? No id was given, and this is neither a session nor an issue's branch`;
  return new MonocoError("input", message, {
    hint:
      open.length === 0
        ? t`name one: monoco … FEAT-0001`
        : t`name one of the ${open.length} relays that are open: ${open.slice(0, 10).join(", ")}`,
  });
}

/** What killed commands, sessions and relays have left on the disk: temporary folders, clones and package caches, with their sizes. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { CloneFacts, Left } from "../../core/doctor/facts.ts";
import { attempt } from "../../core/error/attempt.ts";
import { isOwnFolder } from "../../git/folders.ts";
import { temporariesOf } from "../../relay/session/temporary.ts";
import { isLocked } from "../../store/lock.ts";
import { placesOf } from "../../store/places.ts";
import type { RepositoryPlaces } from "../../store/places.ts";
import { abandonedTemporaries } from "../temporary.ts";

export type LeftTemporary = Left & { issue?: string };

/** Of commands, and of the sessions of these relays whose runner is gone, and with it the session. */
export function temporariesLeft(places?: RepositoryPlaces, issues: readonly string[] = []): LeftTemporary[] {
  const ofCommands = attempt(abandonedTemporaries, []).map((path) => ({ path, bytes: sizeOf(path) }));
  if (!places) return ofCommands;
  const aside = cachesAside(places);
  if (isOwnFolder(aside)) ofCommands.push({ path: aside, bytes: sizeOf(aside) });
  const ofSessions = issues.flatMap((issue) => {
    const { runnerLock, sessionLock } = placesOf(places, issue);
    const left = attempt(() => temporariesOf({ repositoryPlaces: places, issue }), []);
    if (left.length === 0 || isLocked(runnerLock) || isLocked(sessionLock)) return [];
    return left.map((path) => ({ path, bytes: sizeOf(path), issue }));
  });
  return [...ofCommands, ...ofSessions];
}

const clonePattern = /^([A-Z]{1,24}-\d{4,12})(?:\.(.+))?$/;

/** `standing`: of the relay of an issue. */
export function clonesLeft(clones: string, standing: (issue: string) => CloneFacts["relay"]): CloneFacts[] {
  return attempt(() => readdirSync(clones), []).flatMap((name) => {
    const path = join(clones, name);
    const [, issue = "", end] = clonePattern.exec(name) ?? [];
    const part = partOf(end);
    if (issue === "" || part === undefined || !isOwnFolder(path)) return [];
    const relay = standing(issue);
    // Those of an open relay are in use.
    if (relay === "open" && part !== "kept") return [];
    return [{ issue, part, relay, path, bytes: sizeOf(path) }];
  });
}

/** Of the package managers of sessions and set-ups. */
export function cachesLeft({ packages }: RepositoryPlaces): Left | undefined {
  return isOwnFolder(packages) ? { path: packages, bytes: sizeOf(packages) } : undefined;
}

/** Where they are put before they are removed: a removal that was cut off leaves it. */
export const cachesAside = ({ packages }: RepositoryPlaces): string => `${packages}.old`;

function partOf(end: string | undefined): CloneFacts["part"] | undefined {
  if (end === undefined || /^(?:fresh|old-git|trees|snapshot|index)$/.test(end)) return "work";
  if (end.startsWith("kept-")) return "kept";
  return /^(?:review|base|trial|scratch)(?:\.|$)/.test(end) ? "spare" : undefined;
}

/** Of all files below; links are not followed. What goes meanwhile has none. */
function sizeOf(path: string): number {
  const stat = attempt(() => lstatSync(path), undefined);
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return attempt(() => readdirSync(path), []).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** The temporary folder of a relay's sessions: a short path, since agents put sockets there. */
import { removeTree } from "../git/folders.ts";
import { mkdtempSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryRoot } from "../io/io.ts";
import type { Relay } from "./relay.ts";

type Of = Pick<Relay, "repositoryPlaces" | "issue">;

/** What earlier sessions of this relay left, killed ones too, goes. */
export function makeTemporary(relay: Relay): string {
  removeTemporaries(relay);
  return mkdtempSync(join(temporaryRoot(), prefixOf(relay)));
}

/** For the socket of a proxy: beside that of a session that runs, and gone with what it has left. */
export function networkFolder(of: Of): string {
  return mkdtempSync(join(temporaryRoot(), prefixOf(of)));
}

/** Only the holder of the runner's lock may, between sessions. */
export function removeTemporaries(of: Of): void {
  for (const path of temporariesOf(of)) removeTree(path);
}

/** Those of all sessions that are there. */
export function temporariesOf(of: Of): string[] {
  const [root, prefix] = [temporaryRoot(), prefixOf(of)];
  const names = readdirSync(root).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(root, name));
}

function prefixOf({ repositoryPlaces, issue }: Of): string {
  return `monoco-${basename(repositoryPlaces.clones)}-${issue}-`;
}

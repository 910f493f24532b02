/** The temporary folder of a relay's sessions; its path is short, since agents put sockets there. */
import { removeTree } from "../git/folders.ts";
import { mkdtempSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryRoot } from "../io/io.ts";
import type { Relay } from "./relay.ts";

type Of = Pick<Relay, "repositoryPlaces" | "issue">;

/** Makes a temporary folder, and removes those of earlier sessions of this relay. */
export function makeTemporary(relay: Relay): string {
  removeTemporaries(relay);
  return mkdtempSync(join(temporaryRoot(), prefixOf(relay)));
}

/** Makes a folder for a proxy's socket; it is removed with the sessions' temporary folders. */
export function networkFolder(of: Of): string {
  return mkdtempSync(join(temporaryRoot(), prefixOf(of)));
}

/** Removes the temporary folders; only for the holder of the runner's lock, between sessions. */
export function removeTemporaries(of: Of): void {
  for (const path of temporariesOf(of)) removeTree(path);
}

/** The temporary folders of all sessions of the relay. */
export function temporariesOf(of: Of): string[] {
  const [root, prefix] = [temporaryRoot(), prefixOf(of)];
  const names = readdirSync(root).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(root, name));
}

function prefixOf({ repositoryPlaces, issue }: Of): string {
  return `monoco-${basename(repositoryPlaces.clones)}-${issue}-`;
}

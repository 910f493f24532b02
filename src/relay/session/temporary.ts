/** The temporary folder of a relay's sessions: a short path, since agents put sockets there. */
import { removeTree } from "../../git/folders.ts";
import { mkdtempSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryRoot } from "../../io/io.ts";
import type { Relay } from "../relay.ts";

/** What earlier sessions of this relay left, killed ones too, goes. */
export function makeTemporary(relay: Relay): string {
  removeTemporaries(relay);
  return mkdtempSync(join(temporaryRoot(), prefixOf(relay)));
}

/** Only the holder of the runner's lock may, between sessions. */
export function removeTemporaries(relay: Relay): void {
  for (const name of readdirSync(temporaryRoot())) {
    if (name.startsWith(prefixOf(relay))) removeTree(join(temporaryRoot(), name));
  }
}

function prefixOf(relay: Relay): string {
  return `monoco-${basename(relay.repositoryPlaces.clones)}-${relay.issue}-`;
}

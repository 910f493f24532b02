/** Reads a session's kept output again: after a crash, for its last words, and for what it said at its end. */
import { existsSync, readFileSync } from "node:fs";
import { findAgent } from "../core/agent-entry.ts";
import { settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { nothingSeen, see } from "./watch.ts";
import type { Seen } from "./watch.ts";

/** What the stream of an agent's session says; nothing where it is gone, or its agent is gone from the settings. */
export function readStream(relay: Relay, agent: string, path: string): Seen {
  const seen = nothingSeen();
  const kind = findAgent(settingsOf(relay), agent)?.kind;
  if (!kind || !existsSync(path)) return seen;
  const { read } = relay.edges.agents[kind].dialogue("");
  for (const line of readFileSync(path, "utf8").split("\n")) {
    for (const update of read(line)) see(seen, update);
  }
  return seen;
}

/** Reads a session's kept output again, after a crash or for the last words of its end. */
import { lineReader } from "../../agents/output.ts";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { findAgent } from "../../core/settings/agent-entry.ts";
import { costBefore } from "../../core/relay/continuity.ts";
import { priceOf } from "../../core/settings/price.ts";
import { settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { nothingSeen, see } from "../../core/session/observations.ts";
import type { Seen } from "../../core/session/observations.ts";

/** What a session's output says; nothing if the output, or the agent's settings, are gone. */
export function readStream(
  relay: Relay,
  { agent, session }: { agent: string; session: number },
  path: string,
): Seen {
  const settings = settingsOf(relay);
  const { kind, model } = findAgent(settings, agent) ?? {};
  let seen = nothingSeen(costBefore(relay.state, session), priceOf(settings, model));
  if (!kind || !existsSync(path)) return seen;
  const { read } = relay.agents[kind].dialogue("");
  const lines = lineReader((line) => {
    for (const update of read(line)) seen = see(seen, update);
  });
  readPieces(path, lines.push);
  lines.end();
  return seen;
}

const pieceBytes = 64 * 1024;

/** Reads in pieces, since the file may have 64 MiB. */
function readPieces(path: string, onPiece: (piece: Buffer) => void): void {
  const fd = openSync(path, "r");
  try {
    const piece = Buffer.alloc(pieceBytes);
    for (let size = readSync(fd, piece); size > 0; size = readSync(fd, piece))
      onPiece(piece.subarray(0, size));
  } finally {
    closeSync(fd);
  }
}

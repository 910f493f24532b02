/** The end of what a session's agent prints, for people: a bounded number of plain lines, however much it prints. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Dialogue } from "../../agents/agent.ts";
import { agents } from "../../agents/registry.ts";
import { lineReader } from "../../agents/output.ts";
import { attempt } from "../../core/error/attempt.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { findAgent } from "../../core/settings/agent-entry.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";

export type TailLine = { is: "said" | "tool"; text: string };

/** Bytes that are read at a time; of more output, only the end. */
const readBytesMax = 64 * 1024;
/** Lines that are kept, and the characters of each: no screen shows more. */
const linesMax = 200;
const lineCharsMax = 400;

/** Follows the last session of a relay: each call returns the last lines, oldest first. None before the first session. */
export function openTail(here: Here, issue: string, { opening, sessions }: RelayState): () => TailLine[] {
  const last = sessions.at(-1);
  if (!opening || !last) return () => [];
  const { stream } = placesFor(here, issue).session(last.session, last.role);
  const dialogue = dialogueOf(opening.settings, last.agent);
  return followLines(stream, (line) => attempt(() => dialogue.read(line), []));
}

/** How the agent's output is read. */
export function dialogueOf(settings: Settings, agent: string): Dialogue {
  return agents[findAgent(settings, agent)?.kind ?? "command"].dialogue("");
}

function followLines(path: string, read: (line: string) => AgentUpdate[]): () => TailLine[] {
  const lines: TailLine[] = [];
  const openReader = (): ReturnType<typeof lineReader> =>
    lineReader((line) => void lines.push(...read(line).flatMap(tailLinesOf)));
  let reader = openReader();
  let file = "";
  let at = 0;
  /** Whether what is read next begins within a line. */
  let isCut = false;
  return () => {
    const fd = attempt(() => openSync(path, "r"), undefined);
    if (fd === undefined) return lines;
    try {
      const { ino, birthtimeMs, size } = fstatSync(fd);
      // Another session under the same number begins a file anew, often with the inode of the old one.
      const found = `${ino} ${birthtimeMs}`;
      if (found !== file || size < at)
        [file, at, isCut, reader, lines.length] = [found, 0, false, openReader(), 0];
      if (size === at) return lines;
      const piece = Buffer.alloc(Math.min(size - at, readBytesMax));
      if (size - at > piece.length) [isCut, reader] = [true, openReader()];
      const got = piece.subarray(0, readSync(fd, piece, 0, piece.length, size - piece.length));
      at = size;
      const begin = isCut ? got.indexOf(10) + 1 : 0;
      if (isCut && begin === 0) return lines;
      isCut = false;
      reader.push(got.subarray(begin));
      lines.splice(0, lines.length - linesMax);
      return lines;
    } finally {
      closeSync(fd);
    }
  };
}

/** An update as lines for people; many updates say nothing to them. */
export function tailLinesOf(update: AgentUpdate): TailLine[] {
  if (update.type === "tool")
    return [{ is: "tool", text: plainLine(`${update.name} ${update.summary}`, lineCharsMax) }];
  if (update.type !== "message") return [];
  const text = plain(update.text.slice(-linesMax * lineCharsMax)).replaceAll("\t", "  ");
  return text
    .split("\n")
    .slice(-linesMax)
    .map((line) => ({ is: "said", text: line.slice(0, lineCharsMax) }));
}

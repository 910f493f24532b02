/** The context of a session over time, as its agent printed it. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { lineReader } from "../../agents/output.ts";
import { attempt } from "../../core/error/attempt.ts";
import type { SessionRecord } from "../../core/journal/relay-state.ts";
import { parseLive } from "../../core/session/live.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { placesFor } from "../here.ts";
import type { Here } from "../here.ts";
import { dialogueOf } from "./tail.ts";

/** A longer output is not read for its curve: the journal's own figure is shown instead. */
const curveBytesMax = 16_000_000;
const curvePointsMax = 200;

type Context = { curve: number[]; marks: readonly number[] };

/** The contexts of ended sessions, which do not change, by the path of their output. */
const ended = new Map<string, Context>();

/** The context of a session as its agent reported it, and the marks in tokens that the session had. */
export function contextOf(here: Here, issue: string, record: SessionRecord, settings: Settings): Context {
  const { stream, live } = placesFor(here, issue).session(record.session, record.role);
  const known = ended.get(stream);
  if (known) return known;
  const tokens = tokensIn(stream, dialogueOf(settings, record.agent));
  const context = {
    curve: thinned(tokens.length > 0 ? tokens : [record.contextTokens ?? []].flat()),
    marks: attempt(() => parseLive(readFileSync(live, "utf8"))?.contextMarks, undefined) ?? [],
  };
  if (record.ended) {
    ended.set(stream, context);
    begun.delete(stream);
  }
  return context;
}

/** What was read of the outputs of sessions that run, by their paths: each look reads only what is new. */
const begun = new Map<string, { ino: number; at: number; tokens: number[]; push(chunk: Buffer): void }>();

function tokensIn(stream: string, dialogue: ReturnType<typeof dialogueOf>): number[] {
  const fd = attempt(() => openSync(stream, "r"), undefined);
  if (fd === undefined) return [];
  try {
    const { ino, size } = fstatSync(fd);
    if (size > curveBytesMax) return [];
    const before = begun.get(stream);
    // Another session under the same number begins a file anew.
    const one = before?.ino === ino && size >= before.at ? before : { ino, at: 0, ...tokenReader(dialogue) };
    const piece = Buffer.alloc(size - one.at);
    const got = readSync(fd, piece, 0, piece.length, one.at);
    one.push(piece.subarray(0, got));
    one.at += got;
    begun.set(stream, one);
    return one.tokens;
  } finally {
    closeSync(fd);
  }
}

function tokenReader(dialogue: ReturnType<typeof dialogueOf>): {
  tokens: number[];
  push(chunk: Buffer): void;
} {
  const tokens: number[] = [];
  const { push } = lineReader((line) => {
    for (const update of attempt(() => dialogue.read(line), []))
      if (update.type === "usage" && update.contextTokens !== undefined) tokens.push(update.contextTokens);
  });
  return { tokens, push };
}

/** Every nth point, and always the last. */
function thinned(points: readonly number[]): number[] {
  const step = Math.ceil(points.length / curvePointsMax);
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

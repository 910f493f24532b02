/** The context of a session over time, as its agent printed it. */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
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
  const { ino = 0, size = 0 } = statSync(stream, { throwIfNoEntry: false }) ?? {};
  if (size === 0 || size > curveBytesMax) return [];
  let one = begun.get(stream);
  // Another session under the same number begins a file anew.
  if (one?.ino !== ino || size < one.at) {
    const tokens: number[] = [];
    const { push } = lineReader((line) => {
      for (const update of attempt(() => dialogue.read(line), []))
        if (update.type === "usage" && update.contextTokens !== undefined) tokens.push(update.contextTokens);
    });
    one = { ino, at: 0, tokens, push };
    begun.set(stream, one);
  }
  const piece = Buffer.alloc(size - one.at);
  const file = openSync(stream, "r");
  const got = readSync(file, piece, 0, piece.length, one.at);
  closeSync(file);
  one.at += got;
  one.push(piece.subarray(0, got));
  return one.tokens;
}

/** Every nth point, and always the last. */
function thinned(points: readonly number[]): number[] {
  const step = Math.ceil(points.length / curvePointsMax);
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

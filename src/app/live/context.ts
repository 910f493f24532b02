/** The context of a session over time, as its agent printed it. */
import { readFileSync, statSync } from "node:fs";
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
  if (record.ended) ended.set(stream, context);
  return context;
}

function tokensIn(stream: string, dialogue: ReturnType<typeof dialogueOf>): number[] {
  const size = statSync(stream, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > curveBytesMax) return [];
  const tokens: number[] = [];
  const reader = lineReader((line) => {
    for (const update of attempt(() => dialogue.read(line), []))
      if (update.type === "usage" && update.contextTokens !== undefined) tokens.push(update.contextTokens);
  });
  reader.push(readFileSync(stream));
  return tokens;
}

/** Every nth point, and always the last. */
function thinned(points: readonly number[]): number[] {
  const step = Math.ceil(points.length / curvePointsMax);
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

/**
 * Measures how long Gemini CLI's model has been silent within one answer. The CLI gives up a stalled stream after five minutes
 * and asks again, three times; all it reports is that the answer begins again.
 */
import { z } from "zod";
import { saidIn } from "../lines.ts";

export type Silence = {
  /** Takes a piece of the CLI's standard output; returns how long this answer has been silent, if that is too long. */
  heard(chunk: string, nowMs: number): number | undefined;
};

/** A model may think for a while. Ignored: a silence below this share of the maximum, silence before the answer, and a single silence. */
const shareMin = 1 / 8;
const silencesMin = 2;
const lineLengthMax = 1_000_000;

export function listen(silenceMsMax: number, nowMs: number): Silence {
  let heardAtMs = nowMs;
  let silentMs = 0;
  let silences = 0;
  let rest = "";
  /** Whether the last line was a piece of an answer. */
  let answering = false;
  return {
    heard: (chunk, nowMs) => {
      const quietMs = nowMs - heardAtMs;
      heardAtMs = nowMs;
      if (answering && quietMs >= silenceMsMax * shareMin) {
        silentMs += quietMs;
        silences += 1;
      }
      const lines = chunk.split("\n");
      // A longer line is not an answer, and is not kept.
      if (rest.length < lineLengthMax) lines[0] = rest + lines[0]!;
      rest = lines.pop()!;
      // A tool, its result or the end follows a complete answer.
      if (lines.some((line) => !isAnswer(line))) silentMs = silences = 0;
      if (lines.length > 0) answering = isAnswer(lines.at(-1)!);
      return silences >= silencesMin && silentMs >= silenceMsMax ? silentMs : undefined;
    },
  };
}

const answerSchema = z.object({ type: z.literal("message"), role: z.literal("assistant") });

const isAnswer = (line: string): boolean => saidIn(line, answerSchema) !== undefined;

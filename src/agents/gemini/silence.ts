/**
 * How long Gemini CLI's model has been silent within one answer. A stream that stalls is given up after five minutes and asked for
 * anew, three times, and nobody is told: only that the answer begins again.
 */
import { z } from "zod";
import { saidIn } from "../lines.ts";

export type Silence = {
  /** A piece of the CLI's standard output has come; how long this answer was silent by now, if that is too long. */
  heard(chunk: string, nowMs: number): number | undefined;
};

/** A model may think for a while: what is shorter than this share of the whole does not count, nor what is before its answer, nor one silence alone. */
const shareMin = 1 / 8;
const silencesMin = 2;
const lineLengthMax = 1_000_000;

export function listen(silenceMsMax: number, nowMs: number): Silence {
  let heardAtMs = nowMs;
  let silentMs = 0;
  let silences = 0;
  let rest = "";
  /** The last that was heard is a piece of an answer. */
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
      // Anything longer is not an answer, and is not kept.
      if (rest.length < lineLengthMax) lines[0] = rest + lines[0]!;
      rest = lines.pop()!;
      // A tool, its result, the end: the answer before was whole.
      if (lines.some((line) => !isAnswer(line))) silentMs = silences = 0;
      if (lines.length > 0) answering = isAnswer(lines.at(-1)!);
      return silences >= silencesMin && silentMs >= silenceMsMax ? silentMs : undefined;
    },
  };
}

const answerSchema = z.object({ type: z.literal("message"), role: z.literal("assistant") });

const isAnswer = (line: string): boolean => saidIn(line, answerSchema) !== undefined;

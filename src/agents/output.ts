/** A child's output: keeps both streams in files up to a limit, and passes on the lines of standard output. */
import { closeSync, openSync, writeSync } from "node:fs";
import { isNestedDeeper } from "../core/text/json-depth.ts";
import { lineBracketsMax, lineBytesMax, lineDepthMax } from "../core/limits.ts";

export type OutputOptions = {
  /** Files that keep the raw output, up to `bytesMax` in each; both streams may go to one. */
  stdoutFile: string;
  stderrFile: string;
  bytesMax: number;
  /** Secrets that neither the files nor the lines show. */
  masked?: readonly string[] | undefined;
  onLine?: (line: string) => void;
  /** Called once when more than `bytesMax` arrived. */
  onFlood?: () => void;
};

/** Opens the files for the output. Throws for a path that cannot be opened, before anything is started. */
export function openFiles({ stdoutFile, stderrFile }: OutputOptions): { out: number; err: number } {
  const out = openSync(stdoutFile, "a");
  return { out, err: stderrFile === stdoutFile ? out : openSync(stderrFile, "a") };
}

export type Output = {
  /** The end of standard error. */
  tail(): string;
  /** Passes on the last line and closes the files. */
  end(): void;
};

/** Keeps both streams in their files, and passes on the lines of standard output. */
export function takeOutput(
  { bytesMax, masked = [], onLine, onFlood }: OutputOptions,
  files: { out: number; err: number },
  { stdout, stderr }: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
): Output {
  const flooded = once(onFlood);
  const keepOut = keeper(files.out, bytesMax, flooded);
  const keepErr = keeper(files.err, bytesMax, flooded);
  const lines = lineReader((line) => onLine?.(line));
  let tail: Buffer = Buffer.alloc(0);
  const out = masker(masked, (chunk) => {
    keepOut(chunk);
    lines.push(chunk);
  });
  const err = masker(masked, (chunk) => {
    keepErr(chunk);
    tail = Buffer.concat([tail, chunk.subarray(-2_000)]).subarray(-2_000);
  });
  stdout.on("data", out.push);
  stderr.on("data", err.push);
  return {
    tail: () => tail.toString("utf8"),
    end: () => {
      out.end();
      err.end();
      lines.end();
      for (const fd of new Set([files.out, files.err])) closeSync(fd);
    },
  };
}

/** Keeps up to `bytesMax`. On a full disk it keeps no more: a full disk must not end the runner. */
function keeper(fd: number, bytesMax: number, onFlood: () => void): (chunk: Buffer) => void {
  let left = bytesMax;
  return (chunk) => {
    if (left < 0) return;
    try {
      writeSync(fd, chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) onFlood();
    } catch {
      left = -1;
    }
  };
}

function once(tell: (() => void) | undefined): () => void {
  let isDone = false;
  return () => {
    if (!isDone) tell?.();
    isDone = true;
  };
}

/** Shorter values are words of many programs' output, such as a user's name; GitLab masks from this length, too. */
const maskedCharsMin = 8;

type Masker = { push(chunk: Buffer): void; end(): void };

/** Passes bytes on with `***` for each line of a secret, as it is or as in JSON. Keeps back the beginning of one that may go on in the next chunk. */
function masker(secrets: readonly string[], pass: (chunk: Buffer) => void): Masker {
  const words = secrets
    .flatMap((secret) => secret.split("\n"))
    .flatMap((line) => [line, JSON.stringify(line).slice(1, -1)])
    .filter((line) => line.length >= maskedCharsMin)
    .map((line) => Buffer.from(line).toString("latin1"))
    .toSorted((a, b) => b.length - a.length);
  if (words.length === 0) return { push: pass, end: () => undefined };
  let kept = "";
  return {
    push: (chunk) => {
      const text = words.reduce((now, word) => now.replaceAll(word, "***"), kept + chunk.toString("latin1"));
      const begun = Math.max(...words.map((word) => begunAtEnd(text, word)));
      kept = text.slice(text.length - begun);
      pass(Buffer.from(text.slice(0, text.length - begun), "latin1"));
    },
    end: () => pass(Buffer.from(kept, "latin1")),
  };
}

/** The length of the longest beginning of the word with which the text ends. */
function begunAtEnd(text: string, word: string): number {
  const lengths = Array.from({ length: word.length }, (_, less) => word.length - 1 - less);
  return lengths.find((length) => text.endsWith(word.slice(0, length))) ?? 0;
}

type LineReader = { push(chunk: Buffer): void; end(): void };

/** Cuts a byte stream into lines. Drops the bytes of a line beyond `lineBytesMax`, and JSON nested deeper than `lineDepthMax` or with more than `lineBracketsMax` brackets. */
export function lineReader(onLine: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): void => {
    if (size < lineBytesMax) parts.push(part.subarray(0, lineBytesMax - size));
    size += part.length;
  };
  const tell = (line: string): void => {
    if (!isNestedDeeper(line, lineDepthMax, lineBracketsMax))
      onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const flush = (): void => {
    if (size > 0) tell(Buffer.concat(parts).toString("utf8"));
    parts = [];
    size = 0;
  };
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        // Most lines are complete in one chunk: millions of short ones must not make a buffer each.
        if (size === 0 && end > start)
          tell(chunk.toString("utf8", start, Math.min(end, start + lineBytesMax)));
        else {
          keep(chunk.subarray(start, end));
          flush();
        }
        start = end + 1;
      }
      // A copy, since a caller may use the chunk again; bytes that exceed the limit are not copied.
      const rest = chunk.subarray(start);
      if (rest.length > 0) keep(size < lineBytesMax ? Buffer.from(rest) : rest);
    },
    end: flush,
  };
}

/** A child's output: keeps both streams in files up to a limit, and passes on the lines of standard output. */
import { closeSync, openSync, writeSync } from "node:fs";
import { isNestedDeeper } from "../core/text/json-depth.ts";
import { lineBracketsMax, lineBytesMax, lineDepthMax } from "../core/limits.ts";

export type OutputOptions = {
  /** Files that keep the raw output, up to `bytesMax` in each; both streams may go to one. */
  stdoutFile: string;
  stderrFile: string;
  bytesMax: number;
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
  { bytesMax, onLine, onFlood }: OutputOptions,
  files: { out: number; err: number },
  { stdout, stderr }: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
): Output {
  const flooded = once(onFlood);
  const keepOut = keeper(files.out, bytesMax, flooded);
  const keepErr = keeper(files.err, bytesMax, flooded);
  const lines = lineReader((line) => onLine?.(line));
  let tail: Buffer = Buffer.alloc(0);
  stdout.on("data", (chunk: Buffer) => {
    keepOut(chunk);
    lines.push(chunk);
  });
  stderr.on("data", (chunk: Buffer) => {
    keepErr(chunk);
    tail = Buffer.concat([tail, chunk.subarray(-2_000)]).subarray(-2_000);
  });
  return {
    tail: () => tail.toString("utf8"),
    end: () => {
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

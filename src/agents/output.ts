/** What a child prints: both streams are kept in files up to a limit, and the lines of standard output are told. */
import { closeSync, openSync, writeSync } from "node:fs";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isNestedDeeper } from "../core/text/json-depth.ts";
import { lineBracketsMax, lineBytesMax, lineDepthMax } from "../core/limits.ts";

export type OutputOptions = {
  /** Files that keep the raw output, up to `bytesMax` in each; both streams may go to one. */
  stdoutFile: string;
  stderrFile: string;
  bytesMax: number;
  onLine?: (line: string) => void;
  /** More than `bytesMax` came: told once. */
  onFlood?: () => void;
};

/** The files that keep its output: a path that cannot be opened throws before anything is started. */
export function openFiles({ stdoutFile, stderrFile }: OutputOptions): { out: number; err: number } {
  const out = openSync(stdoutFile, "a");
  return { out, err: stderrFile === stdoutFile ? out : openSync(stderrFile, "a") };
}

export type Output = {
  /** The last of its standard error. */
  tail(): string;
  /** Passes on the last line, and closes the files. */
  end(): void;
};

/** Keeps both streams in their files, and tells the lines of standard output. */
export function takeOutput(
  { bytesMax, onLine, onFlood }: OutputOptions,
  files: { out: number; err: number },
  { stdout, stderr }: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
): Output {
  const flooded = once(onFlood);
  const keepOut = keeper(files.out, bytesMax, flooded);
  const keepErr = keeper(files.err, bytesMax, flooded);
  const tidyAfter = memoryKeeper();
  const lines = tidyLineReader((line) => onLine?.(line), tidyAfter);
  let tail: Buffer = Buffer.alloc(0);
  stdout.on("data", (chunk: Buffer) => {
    keepOut(chunk);
    lines.push(chunk);
  });
  stderr.on("data", (chunk: Buffer) => {
    keepErr(chunk);
    tidyAfter(chunk.length);
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

/** Keeps up to `bytesMax`. A full disk keeps no more: it must not take the runner down. */
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

const tidyEveryBytes = 4 * 1024 * 1024;
/** What a line leaves behind: itself, what it says, what that changes. A bracket of JSON becomes an array of some 40 bytes. */
function costOfLine(line: string): number {
  return 2_000 + line.length * (line.startsWith("{") || line.startsWith("[") ? 16 : 1);
}

/** What may outlive the minor collections before all is collected: 20 MB are in use at any time. */
const heapGrowthMax = 16 * 1024 * 1024;
const quietGrowthMax = 4 * 1024 * 1024;

/** In use when all was collected last, or the least that was seen: garbage of an earlier keeper is none of it. */
let heapBytes = Infinity;

/** Node lets go of chunks that were read only once 64 MB of them lie about, and V8 lets its heap grow: in a flood both are collected sooner. */
export function memoryKeeper(): (bytes: number) => void {
  let bytes = 0;
  return (more) => {
    bytes += more;
    if (bytes < tidyEveryBytes) return;
    bytes = 0;
    collectGarbage("minor");
    collectFrom(heapGrowthMax);
  };
}

/** Collects garbage while the agent works and the runner waits, so that the heap stays small: about 25 ms, twice in 30 sessions. */
export const collectInQuiet = (): void => collectFrom(quietGrowthMax);

function collectFrom(growthMax: number): void {
  const usedBytes = getHeapStatistics().used_heap_size;
  heapBytes = Math.min(heapBytes, usedBytes);
  if (usedBytes < heapBytes + growthMax) return;
  collectGarbage("major");
  heapBytes = getHeapStatistics().used_heap_size;
}

/** A line reader after which memory is collected: bytes of lines that are not told count, too, as each line is a text before it is dropped. */
export function tidyLineReader(onLine: (line: string) => void, tidyAfter = memoryKeeper()): LineReader {
  const { push, end } = lineReader((line) => {
    onLine(line);
    tidyAfter(costOfLine(line));
  });
  return {
    push: (chunk) => {
      push(chunk);
      tidyAfter(chunk.length);
    },
    end,
  };
}

let collector: NodeJS.GCFunction | undefined;

function collectGarbage(type: "minor" | "major"): void {
  if (!collector) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as NodeJS.GCFunction;
  }
  collector({ type, execution: "sync" });
}

function once(tell: (() => void) | undefined): () => void {
  let told = false;
  return () => {
    if (!told) tell?.();
    told = true;
  };
}

type LineReader = { push(chunk: Buffer): void; end(): void };

/** Cuts a byte stream into lines; what a line has over `lineBytesMax` is dropped, and so is JSON nested deeper than `lineDepthMax`, or with more than `lineBracketsMax` brackets. */
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
        // Most lines lie whole in one chunk: millions of short ones must not make a buffer each.
        if (size === 0 && end > start)
          tell(chunk.toString("utf8", start, Math.min(end, start + lineBytesMax)));
        else {
          keep(chunk.subarray(start, end));
          flush();
        }
        start = end + 1;
      }
      // A copy: a caller may use the chunk again. What is over is not copied only to be dropped.
      const rest = chunk.subarray(start);
      if (rest.length > 0) keep(size < lineBytesMax ? Buffer.from(rest) : rest);
    },
    end: flush,
  };
}

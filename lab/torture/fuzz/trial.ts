/** One input read by one target: what it throws, how long it takes, how much memory it needs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { MonocoError, wordsOf } from "../../../src/core/error/error.ts";
import { isRecord } from "../../../src/core/text/record.ts";
import type { Target } from "./target.ts";

/** An input takes so much of a processor at most, ms; a longer text as much as `charsPerMs` gives it. */
export const readMsMax = 100;
/** Characters a ms that every reader keeps up, but for the libraries that parse Markdown and YAML. */
const charsPerMs = 250;
/** Some ms are the compiler's and the collector's: a slow read counts only where it is slow again, so often. */
const slowTries = 3;
/** What an input may need of the heap, bytes. It is looked at alone where the heap has grown by more, garbage included. */
export const heapBytesMax = 50 * 1024 * 1024;
const heapCharsMin = 50_000;
/** What the modules of all targets take of it, MB. */
const modulesMb = 31;
/** A process whose memory just suffices collects garbage without end, ms. */
const aloneMsMax = 60_000;

/** A read that takes longer by the clock is ended, ms, and is not tried again: no busy machine makes it so. */
const endedMs = 10_000;

export type Tried = { ms: number; violation?: string };

export function tryInput(target: Target, text: string): Tried {
  const first = once(target, text);
  if (first.thrown !== undefined) return { ms: first.ms, violation: first.thrown };
  const msMax = Math.max(readMsMax, text.length / (target.charsPerMs ?? charsPerMs));
  const isBig = text.length >= heapCharsMin && first.bytes > heapBytesMax;
  if (first.ms <= msMax && !isBig) return { ms: first.ms };
  const again = Array.from({ length: slowTries }, () => once(target, text));
  const ms = Math.min(first.ms, ...again.map((one) => one.ms));
  const grown = Math.min(first.bytes, ...again.map((one) => one.bytes));
  if (ms > msMax) return { ms, violation: `${Math.round(ms)} ms for ${text.length} characters` };
  if (grown > heapBytesMax && !isReadWithin(target.name, text))
    return { ms, violation: `more than ${heapBytesMax / 2 ** 20} MB for ${text.length} characters` };
  return { ms };
}

/** Whether the text is read in a process that has no more memory than it may need, bytes: what is garbage is collected there. */
export function isReadWithin(name: string, text: string, bytesMax = heapBytesMax): boolean {
  const folder = mkdtempSync(join(tmpdir(), "monoco-fuzz-alone-"));
  try {
    const file = join(folder, "input.txt");
    writeFileSync(file, text);
    const heap = [`--max-old-space-size=${modulesMb + bytesMax / 2 ** 20}`, "--max-semi-space-size=1"];
    const argv = [...heap, join(import.meta.dirname, "alone.ts"), name, file];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: aloneMsMax });
    if (status !== 0 && status !== null && !stderr.includes("heap out of memory")) throw new Error(stderr);
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function once(target: Target, text: string): { ms: number; bytes: number; thrown?: string } {
  const heap = process.memoryUsage().heapUsed;
  const begin = process.cpuUsage();
  let thrown: string | undefined;
  try {
    within(() => target.read(text));
  } catch (error) {
    if (isTimeout(error)) thrown = `not done within ${endedMs} ms for ${text.length} characters`;
    else if (!(error instanceof MonocoError))
      thrown = `throws ${nameOf(error)}: ${wordsOf(error).slice(0, 200)}`;
  }
  // The clock would count what other processes take.
  const { user, system } = process.cpuUsage(begin);
  const ms = (user + system) / 1000;
  const bytes = process.memoryUsage().heapUsed - heap;
  return { ms, bytes, ...(thrown === undefined ? {} : { thrown }) };
}

const reader: { read?: () => void } = {};
const context = createContext(reader);
const call = new Script("read()");

/** Runs `read`, and ends it after `endedMs`: only a script can be ended from outside. */
function within(read: () => void): void {
  reader.read = read;
  call.runInContext(context, { timeout: endedMs });
}

function isTimeout(error: unknown): boolean {
  // It is an error of the context's own, and no instance of ours.
  return isRecord(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The journal of a relay: append-only lines, each with the hash of the one before; the only truth. */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { MonocoError } from "../core/error.ts";
import { eventSchema, knownEventTypes } from "../core/event.ts";
import type { EventBody, RelayEvent } from "../core/event.ts";
import { syncFolder } from "./durable.ts";

/** What is appended: the event's body and, for a mailbox message, the message's id. */
export type NewEvent = EventBody & { messageId?: string | undefined };

export type Journal = {
  /** All events, as validated. */
  events(): readonly RelayEvent[];
  /**
   * Appends after event `after` and returns when it is on the disk. Throws `conflict` when the journal has moved on:
   * only one writer may be at work, and it holds the runner's lock.
   */
  append(after: number, body: NewEvent, atMs: number): RelayEvent;
  /** The hash of the last line: what a merge names as the state of the relay that it rests on. */
  head(): string;
  close(): void;
};

type Line = { text: string; end: number };

/** Opens the journal at `path` for writing (created if missing) and cuts a torn tail: only for the lock's holder. */
export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = !existsSync(path);
  const fd = openSync(path, "a+");
  if (fresh) syncFolder(dirname(path));
  const writer = { fd, path, ...readOrClose(fd, path) };
  return {
    events: () => writer.events,
    append: (after, body, atMs) => append(writer, after, body, atMs),
    head: () => writer.head,
    close: () => closeSync(fd),
  };
}

function readOrClose(fd: number, path: string): Parsed {
  try {
    const parsed = parse(readFileSync(path), path);
    if (fstatSync(fd).size > parsed.bytes) ftruncateSync(fd, parsed.bytes);
    return parsed;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Reads the journal at `path`; a torn tail is passed over and left alone. No file is an empty journal. */
export function readJournal(path: string): RelayEvent[] {
  return existsSync(path) ? parse(readFileSync(path), path).events : [];
}

/** `bytes` is the length of the complete lines, `head` the hash of the last one. */
type Parsed = { events: RelayEvent[]; head: string; bytes: number };
type Writer = Parsed & { fd: number; path: string };

function append(writer: Writer, after: number, body: NewEvent, atMs: number): RelayEvent {
  const path = statSync(writer.path, { throwIfNoEntry: false });
  if (path?.ino !== fstatSync(writer.fd).ino) {
    throw new MonocoError("person", `${writer.path} was removed or replaced while its relay ran`, {
      hint: "put it back if you have it, else monoco run opens anew; the clone with the work is kept",
    });
  }
  const found = writer.events.length;
  const size = fstatSync(writer.fd).size;
  if (after !== found || size !== writer.bytes) {
    throw new MonocoError(
      "conflict",
      `${writer.path} moved on: expected ${after} events, found ${found} in ${size} bytes`,
      {
        hint: "another run holds this relay; see `monoco relay status`",
      },
    );
  }
  const event = eventSchema.parse({ v: 1, seq: found + 1, prev: writer.head, atMs, ...body });
  const line = JSON.stringify(event);
  const bytes = Buffer.from(`${line}\n`);
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(writer.fd, bytes, written);
    fsyncSync(writer.fd);
  } catch (cause) {
    throw new MonocoError("person", `${writer.path} could not be written: ${(cause as Error).message}`, {
      hint: "make room or mend the disk, then monoco relay resume; nothing acknowledged is lost",
      cause,
    });
  }
  writer.events.push(event);
  writer.head = hashOf(line);
  writer.bytes += bytes.length;
  return event;
}

function parse(content: Buffer, path: string): Parsed {
  const events: RelayEvent[] = [];
  let head = "";
  let bytes = 0;
  const lines = linesOf(content);
  for (const [index, { text, end }] of lines.entries()) {
    const event = parseLine(text, { path, line: index + 1, head, last: index === lines.length - 1 });
    if (!event) break;
    events.push(event);
    head = hashOf(text);
    bytes = end;
  }
  return { events, head, bytes };
}

/** Complete lines only: what has no line end was never acknowledged. */
function linesOf(content: Buffer): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, start)) {
    lines.push({ text: content.toString("utf8", start, end), end: end + 1 });
    start = end + 1;
  }
  return lines;
}

type Where = { path: string; line: number; head: string; last: boolean };

/** The event of one line; undefined for a last line that was torn but got its line end on the disk. */
function parseLine(text: string, where: Where): RelayEvent | undefined {
  let value: { type?: unknown; v?: unknown; seq?: unknown; prev?: unknown };
  try {
    value = Object(JSON.parse(text)) as typeof value;
  } catch {
    if (where.last) return undefined;
    throw broken(where, "is not JSON");
  }
  if (value.v === undefined) throw broken(where, "is not an event");
  if (value.v !== 1 || typeof value.type !== "string" || !knownEventTypes.has(value.type)) {
    throw new MonocoError(
      "input",
      `${where.path}:${where.line}: an event of a newer monoco (${String(value.type)})`,
      {
        hint: "use the monoco that wrote it, or a newer one; nothing was changed",
      },
    );
  }
  if (value.seq !== where.line) throw broken(where, `is number ${String(value.seq)}`);
  if (value.prev !== where.head) {
    throw broken({ ...where, line: where.line - 1 }, `was changed, or its hash in line ${where.line} was`);
  }
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) throw broken(where, parsed.error.issues[0]?.message ?? "is malformed");
  return parsed.data;
}

function broken({ path, line }: Where, what: string): MonocoError {
  return new MonocoError("input", `${path}:${line}: the journal is damaged: the line ${what}`, {
    hint: `restore it from a backup, or keep the first ${Math.max(0, line - 1)} lines: monoco goes on from any prefix`,
  });
}

function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

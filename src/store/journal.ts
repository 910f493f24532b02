/** The journal of a relay: append-only lines, each with its own hash and that of the line before. It is the only truth. */
import { hash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { eventSchema } from "../core/journal/event.ts";
import type { EventBody, RelayEvent } from "../core/journal/event.ts";
import { jsonLine } from "../core/text/sanitize.ts";
import { isJournal, lineOf, readChain, verifyChain } from "./chain.ts";
import type { Accepted, Chain } from "./chain.ts";
import { makeFolder, syncFolder } from "./durable.ts";
import { noteForeign, refuseForeign } from "./foreign-lines.ts";
import { t } from "../core/language/translate.ts";

/** An event to append: its body, and the id of the mailbox message that it comes from. */
export type NewEvent = EventBody & { messageId?: string | undefined };

export type Journal = {
  /** All events, validated. */
  events(): readonly RelayEvent[];
  /**
   * Appends after event `after`; the event is durable on return. Throws `conflict` if the journal has other events: only one
   * writer may work, and it holds the runner's lock.
   */
  append(after: number, body: NewEvent, atMs: number): RelayEvent;
  /** The number of bytes of a torn last line that were cut off on opening. */
  cutBytes: number;
  /** The length of the journal's lines in bytes. */
  bytes(): number;
  /** The hash of the last line: a merge commit names it as the state of the relay. */
  head(): string;
  /** Reads the file again and returns its content; throws `input` if a line was changed since it was read or appended. */
  verify(): Buffer;
  close(): void;
};

/**
 * Opens the journal at `path` for writing and cuts off a torn last line; only for the lock's holder. The first event creates a
 * missing file, so that an unopened relay leaves nothing behind.
 */
export function openJournal(path: string): Journal {
  const none = { path, events: [], head: "", bytes: 0, cutBytes: 0 };
  const { cutBytes, ...writer }: Writer & { cutBytes: number } = isJournal(path) ? openWriter(path) : none;
  return {
    cutBytes,
    bytes: () => writer.bytes,
    events: () => writer.events,
    append: (after, body, atMs) => append(writer, after, body, atMs),
    head: () => writer.head,
    verify: () => {
      const content = readFileSync(path);
      verifyChain(content, path, writer);
      return content;
    },
    close: () => {
      if (writer.fd !== undefined) closeSync(writer.fd);
    },
  };
}

function openWriter(path: string): Writer & { fd: number; cutBytes: number } {
  refuseForeign(path);
  const fd = openSync(path, "a+");
  try {
    const chain = readChain(readFileSync(path), path, validated);
    const cutBytes = fstatSync(fd).size - chain.bytes;
    if (cutBytes > 0) cutTail(fd, chain.bytes);
    return { fd, path, cutBytes, ...chain };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Cuts and syncs: otherwise the next line could reach the disk before the cut and mix with the torn one. */
function cutTail(fd: number, bytes: number): void {
  ftruncateSync(fd, bytes);
  fsyncSync(fd);
}

/** Reads the journal at `path` and skips a torn last line; empty if there is no file. */
export function readJournal(path: string): RelayEvent[] {
  return isJournal(path) ? readChain(readFileSync(path), path, validated).events : [];
}

/** The events of a journal's text; `name` stands for its path in errors. */
export function parseJournal(text: string, name: string): RelayEvent[] {
  return readChain(Buffer.from(text), name, validated).events;
}

function validated(value: object): Accepted {
  const parsed = eventSchema.safeParse(value);
  return parsed.success
    ? { event: parsed.data }
    : { damage: parsed.error.issues[0]?.message ?? t`is malformed` };
}

type Writer = Chain & { fd?: number; path: string };

function append(writer: Writer, after: number, body: NewEvent, atMs: number): RelayEvent {
  const count = writer.events.length;
  const size = sizeNow(writer);
  if (size > writer.bytes) {
    noteForeign(writer.path, writer.bytes);
    throw new MonocoError(
      "conflict",
      t`${writer.path} moved on: expected ${after} events, found ${size - writer.bytes} bytes more that are not its runner's`,
      {
        hint: t`another run, or a session, wrote there: see \`monoco status\`; \`monoco resume\` says what to do with those lines`,
      },
    );
  }
  if (after !== count || size !== writer.bytes) {
    throw new MonocoError(
      "conflict",
      t`${writer.path} moved on: expected ${after} events, found ${count} in ${size} bytes`,
      {
        hint: t`another run holds this relay; see \`monoco status\``,
      },
    );
  }
  const event = eventSchema.parse({ v: 1, seq: count + 1, prev: writer.head, atMs, ...body });
  const line = lineOf(jsonLine(event));
  const bytes = Buffer.from(`${line}\n`);
  try {
    const fd = (writer.fd ??= make(writer.path));
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } catch (cause) {
    throw new MonocoError("person", t`${writer.path} could not be written: ${(cause as Error).message}`, {
      hint: t`make room or fix the disk, then monoco resume; nothing acknowledged is lost`,
      cause,
    });
  }
  writer.events.push(event);
  writer.head = hash("sha256", line);
  writer.bytes += bytes.length;
  return event;
}

/** The size of the journal. Throws if the file was removed or replaced, since appends to it would be lost. */
function sizeNow({ fd, path }: Writer): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (fd === undefined) return stat?.size ?? 0;
  if (stat?.ino === fstatSync(fd).ino) return stat.size;
  throw new MonocoError("person", t`${path} was removed or replaced while its relay ran`, {
    hint: t`put it back if you have it, else monoco run opens anew; the clone with the work is kept`,
  });
}

function make(path: string): number {
  makeFolder(dirname(path));
  const fd = openSync(path, "a+");
  syncFolder(dirname(path));
  return fd;
}

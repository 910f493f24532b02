/** The journal of a relay: append-only lines, each with the hash of the one before; the only truth. */
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
import { eventSchema } from "../core/event.ts";
import type { EventBody, RelayEvent } from "../core/event.ts";
import { hashOf, readChain } from "./chain.ts";
import type { Accepted, Chain } from "./chain.ts";
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

function readOrClose(fd: number, path: string): Chain {
  try {
    const chain = readChain(readFileSync(path), path, validated);
    if (fstatSync(fd).size > chain.bytes) ftruncateSync(fd, chain.bytes);
    return chain;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Reads the journal at `path`; a torn tail is passed over and left alone. No file is an empty journal. */
export function readJournal(path: string): RelayEvent[] {
  return existsSync(path) ? readChain(readFileSync(path), path, validated).events : [];
}

function validated(value: object): Accepted {
  const parsed = eventSchema.safeParse(value);
  return parsed.success
    ? { event: parsed.data }
    : { damage: parsed.error.issues[0]?.message ?? "is malformed" };
}

type Writer = Chain & { fd: number; path: string };

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

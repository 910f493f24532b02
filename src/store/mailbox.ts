/** A folder of messages: dropped whole by anybody, taken by the runner, which appends first and unlinks then. */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { mailboxTriesMax, messageBytesMax } from "../core/limits.ts";
import { makeFolder, writeDurably } from "./durable.ts";
import { t } from "../core/language/translate.ts";

/** Keeps the order of messages that one process drops within a millisecond. */
let dropped = 0;

/** Drops a message (its id and time are made here) and returns the path under which it lies until it is taken. */
export function dropMessage(folder: string, body: { type: string } & Record<string, unknown>): string {
  openMailbox(folder);
  const message = { id: randomUUID(), atMs: Date.now(), ...body };
  const path = join(folder, `${message.atMs}-${String(dropped++).padStart(6, "0")}-${message.id}.json`);
  writeDurably(path, JSON.stringify(message));
  return path;
}

/** Makes the folder. A file or a link in its place, which an agent may have put there, is set aside. */
export function openMailbox(folder: string): void {
  for (let triesLeft = mailboxTriesMax; ; triesLeft -= 1) {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) setAside(folder);
    try {
      makeFolder(folder);
      return;
    } catch (error) {
      // An agent at work may put a file there just between the look and this.
      if (triesLeft <= 1 || !hasJustChanged(error)) throw error;
    }
  }
}

/** What mkdir says where something came into its way, or went, while it looked. */
function hasJustChanged(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOENT");
}

export type Letter<M> = { message: M; take(): void };

/**
 * The messages in `folder`, oldest first. What is no regular file of a sane size with a valid message is set aside as
 * `*.rejected`, and told through `onRejected`: an agent may drop anything there.
 */
export function readMailbox<S extends z.ZodType>(
  folder: string,
  schema: S,
  onRejected: (name: string, why: string) => void = () => undefined,
): Letter<z.infer<S>>[] {
  // A link in the folder's place would have us rename files elsewhere.
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const letters: Letter<z.infer<S>>[] = [];
  for (const name of readdirSync(folder)
    .filter((entry) => entry.endsWith(".json"))
    .sort()) {
    const path = join(folder, name);
    const read = readMessage(path, schema);
    if ("why" in read) {
      setAside(path);
      onRejected(name, read.why);
    } else {
      letters.push({ message: read.message, take: () => rmSync(path, { recursive: true, force: true }) });
    }
  }
  return letters;
}

/** Under a name of its own where another is in the way or the name would be too long; else it stays where it is. */
function setAside(path: string): void {
  for (const name of [`${path}.rejected`, join(dirname(path), `${randomUUID()}.rejected`)]) {
    try {
      renameSync(path, name);
      return;
    } catch {
      continue;
    }
  }
}

function readMessage<S extends z.ZodType>(
  path: string,
  schema: S,
): { message: z.infer<S> } | { why: string } {
  try {
    const text = readRegular(path);
    if (typeof text !== "string") return text;
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success
      ? { message: parsed.data }
      : { why: parsed.error.issues[0]?.message ?? t`malformed` };
  } catch (error) {
    return { why: error instanceof SyntaxError ? t`not JSON` : t`not readable` };
  }
}

/** Looks at what was opened and not at a name that may mean something else a moment later; a fifo does not hold us up. */
function readRegular(path: string): string | { why: string } {
  if (!lstatSync(path).isFile()) return { why: t`not a regular file` };
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { why: t`not a regular file` };
    if (stat.size > messageBytesMax) return { why: t`larger than ${messageBytesMax} bytes` };
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

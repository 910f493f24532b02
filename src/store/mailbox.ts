/** A folder of messages: anybody drops whole files, and the runner appends an event before it deletes a message. */
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

/** Counts messages, to keep the order of those that one process drops within a millisecond. */
let dropped = 0;

/** Drops a message with a new id and time, unless it has them: the same one is then dropped once. Returns its path. */
export function dropMessage(folder: string, body: { type: string } & Record<string, unknown>): string {
  openMailbox(folder);
  const message = { id: randomUUID(), atMs: Date.now(), ...body };
  const order = "id" in body ? 0 : dropped++;
  const path = join(folder, `${message.atMs}-${String(order).padStart(6, "0")}-${message.id}.json`);
  writeDurably(path, JSON.stringify(message));
  return path;
}

/** Makes the folder. A file or link in its place, which an agent may have put there, is set aside. */
export function openMailbox(folder: string): void {
  for (let triesLeft = mailboxTriesMax; ; triesLeft -= 1) {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) setAside(folder);
    try {
      makeFolder(folder);
      return;
    } catch (error) {
      // A working agent may have put a file there after the check above.
      if (triesLeft <= 1 || !hasJustChanged(error)) throw error;
    }
  }
}

/** Whether mkdir failed because its path changed meanwhile. */
function hasJustChanged(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOENT");
}

export type Letter<M> = { message: M; take(): void };

/**
 * The messages in `folder`, oldest first. Agents may drop anything, so all but regular files of limited size with a valid
 * message are renamed to `*.rejected` and reported to `onRejected`.
 */
export function readMailbox<S extends z.ZodType>(
  folder: string,
  schema: S,
  onRejected: (name: string, why: string) => void = () => undefined,
): Letter<z.infer<S>>[] {
  // Through a link, files elsewhere would be renamed.
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

/** Renames a file to `*.rejected`, under a new name if that name is taken or too long; a file that cannot be renamed stays. */
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

/** Reads a regular file: checks the open descriptor, since the path may change meanwhile, and does not wait at a fifo. */
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

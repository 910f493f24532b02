/** Reads people's text files safely: a regular file of limited size, in UTF-8. */
import { isUtf8 } from "node:buffer";
import { attempt } from "../core/error/attempt.ts";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { faultError, notUtf8 } from "../core/error/fault.ts";
import { MonocoError } from "../core/error/error.ts";
import type { Fault } from "../core/error/fault.ts";
import { documentBytesMax } from "../core/limits.ts";
import { systemRefusal } from "../core/error/system-error.ts";
import { t } from "../core/language/translate.ts";

/** The text at `path`; links are followed. Throws `input` for anything but a text file of at most `bytesMax` bytes. */
export function readDocument(path: string, bytesMax = documentBytesMax): string {
  const read = open(path, bytesMax);
  if ("text" in read) return read.text;
  if ("refused" in read) {
    const { message, hint } = read.refused;
    throw new MonocoError("input", `${path}: ${message}`, { hint });
  }
  throw faultError(read.fault, path);
}

/** Like `readDocument`, without throwing: the text, or why it cannot be read. */
export function inspectDocument(path: string): { text: string } | { fault: Fault } {
  const read = open(path, documentBytesMax);
  return "refused" in read ? { fault: { line: 1, ...read.refused } } : read;
}

/** `refused` is about the whole file, `fault` about one line. */
type Opened = { text: string } | { fault: Fault } | { refused: Omit<Fault, "line"> };

function open(path: string, bytesMax: number): Opened {
  try {
    // Does not wait for the writer of a fifo; the checks below use the open descriptor.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) return refused(t`it is a folder`);
      if (!stat.isFile()) return refused(t`expected a regular file`);
      if (stat.size > bytesMax) return refused(t`it is larger than ${bytesMax} bytes`);
      return textOf(readFileSync(fd));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const refusal = systemRefusal(error);
    if (!refusal) throw error;
    if (refusal.code === "ENOENT" && isThere(path)) return refused(t`it is a link to nothing`);
    return { refused: { message: refusal.says, hint: refusal.hint } };
  }
}

/** Whether the path exists, also as a dangling link: to ignore such a link would silently use another document. */
export function isThere(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined) !== undefined;
}

function refused(message: string): Opened {
  return { refused: { message, hint: t`move it away, or put a text file in its place` } };
}

function textOf(bytes: Buffer): Opened {
  const text = bytes.toString("utf8");
  return isUtf8(bytes) ? { text } : { fault: notUtf8(text) };
}

/** Reads a journal's lines as a chain: each has its number, the hash of the line before, and its own; a torn last line does not count. */
import { hash } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { printCopy } from "../core/journal/copy-parts.ts";
import { knownEventTypes } from "../core/journal/events/records.ts";
import type { RelayEvent } from "../core/journal/event.ts";
import { t } from "../core/language/translate.ts";

/** `bytes` is the length of the complete lines, `head` the hash of the last line. */
export type Chain = { events: RelayEvent[]; head: string; bytes: number };

/** The event of a line, or the line's damage in words. */
export type Accepted = { event: RelayEvent } | { damage: string };

type Line = { text: string; start: number; end: number };

/** Whether the journal exists. Throws `input` for anything but a regular file: a folder, a dangling link. */
export function isJournal(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })) return false;
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return true;
  throw new MonocoError("input", t`${path}: expected the journal to be a regular file`, {
    hint: t`move it away, then ${restore(path)}`,
  });
}

/** Says how to restore a journal, from a backup or its copy in git; the relay's folder has the name of its issue. */
function restore(path: string): string {
  const ref = `refs/monoco/${basename(dirname(path))}/journal`;
  return t`restore it from a backup, or from its copy (${printCopy(ref)})`;
}

/** The end of the lines that were read before. */
export type ChainEnd = { lines: number; head: string; bytes: number };

/**
 * Reads the lines, which follow those `before`; `accept` validates each. Throws `input` with file and line for damage, and for a
 * newer monoco's event.
 */
export function readChain(
  content: Buffer,
  path: string,
  accept: (value: object) => Accepted,
  before: ChainEnd = { lines: 0, head: "", bytes: 0 },
): Chain {
  const chain: Chain = { events: [], head: before.head, bytes: before.bytes };
  const lines = linesOf(content);
  for (const [index, { text, start, end }] of lines.entries()) {
    const where = {
      path,
      line: before.lines + index + 1,
      start: before.bytes + start,
      head: chain.head,
      last: index === lines.length - 1,
    };
    const value = parseLine(text, where);
    if (!value) break;
    const accepted = accept(value);
    if ("damage" in accepted) throw broken(where, accepted.damage);
    chain.events.push(accepted.event);
    chain.head = hash("sha256", text);
    chain.bytes = before.bytes + end;
  }
  return chain;
}

/** Throws `input` if the lines differ from those already read: a line was changed while its writer had the file open. */
export function verifyChain(content: Buffer, path: string, { events, head }: Chain): void {
  const hashes = linesOf(content).map(({ text }) => hash("sha256", text));
  const expected = events.map((_, at) => events[at + 1]?.prev ?? head);
  if (hashes.join() === expected.join()) return;
  const line = [...expected, ""].findIndex((one, at) => one !== hashes[at]) + 1;
  throw broken({ path, line }, t`was changed while its relay ran`);
}

/** The complete lines: a line without a line end was never acknowledged. */
function linesOf(content: Buffer): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, start)) {
    lines.push({ text: content.toString("utf8", start, end), start, end: end + 1 });
    start = end + 1;
  }
  return lines;
}

type Where = { path: string; line: number; start: number; head: string; last: boolean };

/** The digits of a line's own hash at its end (`,"sum":"0123456789abcdef"}`): no other line proves the last one. */
const sumDigits = 16;
const sumEnd = (sum: string): string => `,"sum":"${sum}"}`;
const sumLength = sumEnd("").length + sumDigits;

/** The journal's line for an event's JSON, without its line end. */
export function lineOf(json: string): string {
  return `${json.slice(0, -1)}${sumEnd(hash("sha256", json).slice(0, sumDigits))}`;
}

/** Whether a line's own hash matches its text. */
function isWhole(text: string): boolean {
  return text === lineOf(`${text.slice(0, -sumLength)}}`);
}

/** Disks write in multiples of this size, so a line torn by a power loss begins and ends at a sector. */
const sectorBytes = 512;

/**
 * Whether the whole line was written; one character of its end may have changed since. Zeros were never written: a run of them,
 * or one at the start if only that character is in the first sector.
 */
function wasWritten(text: string, start: number): boolean {
  if (text.includes("\0\0")) return false;
  if (text.startsWith("\0") && (start + 1) % sectorBytes === 0) return false;
  const shape = sumEnd("0".repeat(sumDigits));
  const end = text.slice(-sumLength).replaceAll(/[0-9a-f]/g, "0");
  return shape.split("").filter((sign, index) => sign !== end[index]).length <= 1;
}

/** The value of a line; undefined for a torn last line whose line end reached the disk. */
function parseLine(text: string, where: Where): object | undefined {
  let value: { type?: unknown; v?: unknown; seq?: unknown; prev?: unknown; sum?: unknown };
  try {
    value = Object(JSON.parse(text)) as typeof value;
  } catch {
    if (where.last && !wasWritten(text, where.start)) return undefined;
    throw broken(where, where.last ? t`was changed` : t`is not JSON`);
  }
  if (value.v === undefined) throw broken(where, t`is not an event`);
  if (value.v !== 1 || typeof value.type !== "string" || !knownEventTypes.has(value.type)) {
    throw new MonocoError(
      "input",
      t`${where.path}:${where.line}: an event of a newer monoco (${String(value.type)})`,
      {
        hint: t`use the monoco that wrote it, or a newer one; nothing was changed`,
      },
    );
  }
  if (!isWhole(text)) throw broken(where, t`was changed`);
  if (value.seq !== where.line) throw broken(where, t`is number ${String(value.seq)}`);
  if (value.prev !== where.head) {
    throw broken({ ...where, line: where.line - 1 }, t`was changed, or its hash in line ${where.line} was`);
  }
  delete value.sum;
  return value;
}

function broken({ path, line }: Pick<Where, "path" | "line">, what: string): MonocoError {
  return new MonocoError("input", t`${path}:${line}: the journal is damaged: the line ${what}`, {
    hint: t`${restore(path)}, or keep the first ${Math.max(0, line - 1)} lines: monoco goes on from any prefix`,
  });
}

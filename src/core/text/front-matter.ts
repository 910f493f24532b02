/** Parses a file's front matter into values, with offsets and lines. The only caller of gray-matter. */
import matter from "gray-matter";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { MonocoError, wordsOf } from "../error/error.ts";
import { faultError } from "../error/fault.ts";
import type { Fault } from "../error/fault.ts";
import { frontMatterBlanksMax, frontMatterCharsMax } from "../limits.ts";
import { isRecord } from "./record.ts";
import { plainValue } from "./yaml-value.ts";
import { t } from "../language/translate.ts";

export interface FrontMatter {
  hasFrontMatter: boolean;
  data: Record<string, unknown>;
  /** The raw YAML between the two `---` lines. */
  matter: string;
  matterStart: number;
  matterEnd: number;
  body: string;
  bodyStart: number;
  /** The line on which the body begins, from 1. */
  bodyLine: number;
  /** The line of each top-level key. */
  keyLines: ReadonlyMap<string, number>;
}

/**
 * Splits a file into front matter and body. Throws `input` with file and line for broken YAML, for an opening line with
 * a language, and for front matter that never ends.
 */
export function splitFrontMatter(text: string, file: string): FrontMatter {
  const { front, faults } = inspectFrontMatter(text);
  if (faults[0]) throw faultError(faults[0], file);
  return front;
}

/** Never throws: returns the readable parts and all faults. */
export function inspectFrontMatter(text: string): { front: FrontMatter; faults: Fault[] } {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const first = lineFrom(text, start);
  const none: FrontMatter = {
    hasFrontMatter: false,
    data: {},
    matter: "",
    matterStart: start,
    matterEnd: start,
    body: text.slice(start),
    bodyStart: start,
    bodyLine: 1,
    keyLines: new Map(),
  };
  if (/^---[ \t]*[^-\s]/.test(first.text)) {
    const message = t`front matter must begin with a line of exactly ---, not ${first.text.trim().slice(0, 40)}`;
    return { front: none, faults: [{ line: 1, message, hint: t`front matter is plain YAML, never code` }] };
  }
  if (!/^---[ \t]*$/.test(first.text)) return { front: none, faults: [] };

  const close = closingLine(text, first.next);
  if (!close || !/^---[ \t]*$/.test(close.text)) {
    const message = close
      ? t`a line that begins with --- cuts the front matter`
      : t`the front matter never ends`;
    return {
      front: none,
      faults: [{ line: close?.line ?? 1, message, hint: t`end the front matter with a line of exactly ---` }],
    };
  }
  const front: FrontMatter = {
    ...none,
    hasFrontMatter: true,
    matter: text.slice(first.next, close.start),
    matterStart: first.next,
    matterEnd: close.start,
    body: text.slice(close.next),
    bodyStart: close.next,
    bodyLine: close.line + 1,
  };
  return readYaml(text, front);
}

/** A line without its ending, and the start of the next one. */
function lineFrom(text: string, start: number): { text: string; start: number; next: number } {
  const feed = text.indexOf("\n", start);
  if (feed === -1) return { text: text.slice(start), start, next: text.length };
  const end = text[feed - 1] === "\r" && feed > start ? feed - 1 : feed;
  return { text: text.slice(start, end), start, next: feed + 1 };
}

/** The first line from `start` on that begins with three dashes, where gray-matter will cut. */
function closingLine(
  text: string,
  start: number,
): (ReturnType<typeof lineFrom> & { line: number }) | undefined {
  for (let at = start, line = 2; at < text.length; line++) {
    const current = lineFrom(text, at);
    if (current.text.startsWith("---")) return { ...current, line };
    at = current.next;
  }
  return undefined;
}

function readYaml(text: string, front: FrontMatter): { front: FrontMatter; faults: Fault[] } {
  const faults: Fault[] = [];
  const keyLines = new Map<string, number>();
  if (front.matter.length > frontMatterCharsMax) {
    const message = t`the front matter is longer than ${frontMatterCharsMax} characters`;
    return { front, faults: [{ line: 1, message, hint: t`keep what is long in the body` }] };
  }
  const blank = new RegExp(`\\s{${frontMatterBlanksMax + 1}}`).exec(front.matter);
  if (blank) {
    const line = 1 + front.matter.slice(0, blank.index).split("\n").length;
    const message = t`more than ${frontMatterBlanksMax} blank characters in a row`;
    return { front, faults: [{ line, message, hint: t`take the empty lines out` }] };
  }
  // gray-matter passes the text after the first ---, line ending included, so that lines are those of the file. It
  // also removes the last line feed, and leaves half of a CRLF, which does not end a line in YAML.
  const yaml = (source: string): Record<string, unknown> => parseYaml(`${source}\n`, faults, keyLines);
  // Always with options: without them gray-matter caches, and hands out one mutable object (TRAP 36, 37).
  const file = matter(text.slice(0, front.bodyStart), {
    language: "yaml",
    engines: { yaml, json: refuse, javascript: refuse, js: refuse, coffee: refuse, toml: refuse },
  });
  return { front: { ...front, data: file.data, keyLines }, faults };
}

/** The line of a top-level key, for an error about it; 1 if the key is missing. */
export function keyLine(text: string, key: string): number {
  return inspectFrontMatter(text).front.keyLines.get(key) ?? 1;
}

function refuse(): never {
  throw new MonocoError("input", t`front matter is plain YAML, never code`);
}

/** Length of a key in a message. There may be an error at each character, so none reads all of the text after it. */
const keyCharsMax = 200;

function parseYaml(source: string, faults: Fault[], keyLines: Map<string, number>): Record<string, unknown> {
  const hint = t`front matter must be plain YAML, one \`key: value\` a line; quote values that hold \`: \` or \` #\``;
  const lines = new LineCounter();
  try {
    const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
    for (const error of document.errors) {
      const [at] = error.pos;
      const { line } = lines.linePos(at);
      const word = /^["']?([^\s:"']+)/.exec(source.slice(at, at + keyCharsMax))?.[1] ?? t`a key`;
      if (error.code === "DUPLICATE_KEY")
        faults.push({ line, message: t`${word} stands twice`, hint: t`keep one` });
      else faults.push({ line, message: error.message, hint });
    }
    if (document.contents === null) return {};
    if (!isMap(document.contents)) {
      faults.push({ line: 2, message: t`the front matter is no list of keys`, hint });
      return {};
    }
    for (const { key } of document.contents.items) {
      if (isScalar(key) && key.range) keyLines.set(String(key.value), lines.linePos(key.range[0]).line);
    }
    const data = plainValue(document);
    return isRecord(data) ? data : {};
  } catch (error) {
    // The parser refuses keys that are lists or maps, aliases that expand too far, and nesting that overflows the stack.
    faults.push({
      line: 1,
      message: t`the front matter cannot be read: ${wordsOf(error).slice(0, 200)}`,
      hint,
    });
    return {};
  }
}

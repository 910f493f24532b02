/** Edits front matter byte for byte: comments, order, quoting, line endings and BOM stay. */
import { isMap, isNode, isScalar, parseDocument, stringify } from "yaml";
import { attempt } from "../error/attempt.ts";
import type { Pair } from "yaml";
import { MonocoError } from "../error/error.ts";
import { inspectFrontMatter, splitFrontMatter } from "./front-matter.ts";
import type { FrontMatter } from "./front-matter.ts";
import { t } from "../language/translate.ts";

/** The new values of keys; `undefined` removes a key. */
export type FrontMatterChanges = Readonly<Record<string, string | undefined>>;

/**
 * Changes only the bytes of the given values. A missing key is added as the last line, `undefined` removes a key's
 * lines. The result is read back, so that it is never broken YAML.
 */
export function editFrontMatter(text: string, changes: FrontMatterChanges, file = "issue"): string {
  const front = splitFrontMatter(text, file);
  if (!front.hasFrontMatter) {
    throw new MonocoError("input", t`${file}:1: no front matter`, { hint: t`begin the file with --- lines` });
  }
  const edits = Object.entries(changes)
    .filter(([key, value]) => front.data[key] !== value || (value === undefined && key in front.data))
    .flatMap(editsIn(text, front));
  const edited = applyEdits(text, edits);
  const expected = { ...front.data, ...changes };
  if (readsAs(edited, expected)) return edited;
  throw new MonocoError("input", t`${file}:1: the front matter cannot be changed without breaking it`, {
    hint: t`set by hand: ${Object.keys(changes).join(", ")}`,
  });
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const lastFirst = edits.map((edit, index) => ({ ...edit, index }));
  lastFirst.sort((a, b) => b.start - a.start || b.index - a.index);
  return lastFirst.reduce((done, edit) => done.slice(0, edit.start) + edit.text + done.slice(edit.end), text);
}

function readsAs(text: string, expected: Record<string, unknown>): boolean {
  const { front, faults } = inspectFrontMatter(text);
  return attempt(() => faults.length === 0 && JSON.stringify(front.data) === JSON.stringify(expected), false);
}

/** A function from a change to its edits, all of the same text, which is parsed once. */
function editsIn(text: string, front: FrontMatter): (change: [string, string | undefined]) => Edit[] {
  const contents = parseDocument(front.matter, { keepSourceTokens: true }).contents;
  const pairs = isMap(contents) ? contents.items : [];
  return ([key, value]) => {
    const pair = pairs.find((item) => isScalar(item.key) && String(item.key.value) === key);
    if (!pair)
      return value === undefined ? [] : [addition(text, front, pairs[0], `${key}: ${yamlScalar(value)}`)];
    const place = placeOf(pair, front.matter);
    const edits =
      value === undefined ? [removal(front.matter, place)] : replacement(front.matter, place, value);
    return edits.map((edit) => ({
      ...edit,
      start: edit.start + front.matterStart,
      end: edit.end + front.matterStart,
    }));
  };
}

function addition(text: string, front: FrontMatter, first: Pair | undefined, line: string): Edit {
  const start = isNode(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
  const indent = /(?<![ \t])[ \t]*$/.exec(front.matter.slice(0, start))?.[0] ?? "";
  return { start: front.matterEnd, end: front.matterEnd, text: indent + line + lineEnding(text) };
}

/** The offsets of a pair's key, colon and value; `start === end` if the value is empty. */
function placeOf(pair: Pair, source: string): { key: number; colonEnd: number; start: number; end: number } {
  const key = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
  const separators = pair.srcToken?.sep ?? [];
  const colon = separators.find((token) => token.type === "map-value-ind");
  const colonEnd = colon ? colon.offset + 1 : key;
  const tag = separators.find((token) => token.type === "tag");
  const range = isNode(pair.value) ? pair.value.range : undefined;
  if (!range || range[0] >= range[1]) return { key, colonEnd, start: colonEnd, end: colonEnd };
  const end = range[0] + source.slice(range[0], range[1]).trimEnd().length;
  return { key, colonEnd, start: tag?.offset ?? range[0], end };
}

function replacement(source: string, place: ReturnType<typeof placeOf>, value: string): Edit[] {
  const scalar = yamlScalar(value);
  if (place.start === place.end) return [{ start: place.colonEnd, end: place.colonEnd, text: ` ${scalar}` }];
  const lineBreak = /\r?\n/.exec(source.slice(place.colonEnd, place.start));
  if (!lineBreak) return [{ start: place.start, end: place.end, text: scalar }];
  // The value is below its key: the new one goes on the key's line, before a comment there.
  return [
    { start: place.colonEnd, end: place.colonEnd, text: ` ${scalar}` },
    { start: place.colonEnd + lineBreak.index, end: place.end, text: "" },
  ];
}

function removal(source: string, place: ReturnType<typeof placeOf>): Edit {
  const start = source.lastIndexOf("\n", place.key - 1) + 1;
  const feed = source.indexOf("\n", Math.max(place.colonEnd, place.end));
  return { start: place.key === 0 ? 0 : start, end: feed === -1 ? source.length : feed + 1, text: "" };
}

/** A string as one line of YAML: plain if that reads back as the same string, else quoted. */
export function yamlScalar(value: string): string {
  if (alwaysPlain.test(value) && !notStrings.has(value)) return value;
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const readsBack = !/[\n\r]/.test(plain) && parseDocument(`- ${plain} # c`).toJS()?.[0] === value;
  return readsBack ? plain : JSON.stringify(value);
}

/** Words and times that are plain without asking the parser. */
const alwaysPlain = /^(?:[a-z]+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)$/;
const notStrings = new Set(["null", "true", "false"]);

/** The line ending of a file, by its first line. */
export function lineEnding(text: string): "\r\n" | "\n" {
  const feed = text.indexOf("\n");
  return feed > 0 && text[feed - 1] === "\r" ? "\r\n" : "\n";
}

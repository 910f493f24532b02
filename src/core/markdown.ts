/** Markdown text to front matter, sections and list items, with offsets: the only caller of gray-matter and remark. */
import matter from "gray-matter";
import { remark } from "remark";
import type { List, ListItem as ListItemNode, RootContent } from "mdast";
import { isMap, isNode, isScalar, LineCounter, parseDocument, stringify } from "yaml";
import type { Pair } from "yaml";
import { MonocoError, wordsOf } from "./error.ts";

/** Something wrong in a document: where, what, and how to mend it. */
export interface Fault {
  line: number;
  message: string;
  hint: string;
}

export interface FrontMatter {
  hasFrontMatter: boolean;
  data: Record<string, unknown>;
  /** The raw YAML, between the two `---` lines. */
  matter: string;
  matterStart: number;
  matterEnd: number;
  body: string;
  bodyStart: number;
  /** The line of the file on which the body begins, from 1. */
  bodyLine: number;
  /** The line of the file on which each top-level key stands. */
  keyLines: ReadonlyMap<string, number>;
}

export type CheckState = "todo" | "doing" | "done" | "cancelled";

/** The character that monoco writes between the brackets. */
export const checkMarks: Record<CheckState, string> = { todo: " ", doing: "/", done: "x", cancelled: "~" };

const statesByMark: Record<string, CheckState> = {
  " ": "todo",
  "/": "doing",
  "-": "doing",
  x: "done",
  X: "done",
  "~": "cancelled",
  "+": "cancelled",
};

export interface ListItem {
  /** The item's Markdown without its marker, de-indented; checkbox and nested lists included. */
  source: string;
  /** The same without the checkbox. */
  text: string;
  /** `text` up to the first nested list that holds checkboxes. */
  ownText: string;
  state?: CheckState;
  /** Offset in the body of the character between the brackets. */
  markOffset?: number;
  /** Line within the body, from 1. */
  line: number;
  items: ListItem[];
}

/** What stands in a section, in order. Thematic breaks are left out. */
export type Block =
  | { kind: "list"; line: number; items: ListItem[] }
  | { kind: "comment"; line: number; source: string; startOffset: number; endOffset: number }
  | { kind: "heading"; line: number; source: string }
  | { kind: "text"; line: number; source: string };

export interface Section {
  /** Plain text of the `##` heading. */
  heading: string;
  /** Line of the heading within the body, from 1. */
  line: number;
  startOffset: number;
  /** Where the heading's line ends. */
  contentOffset: number;
  /** Where the next section (or the body's end) begins. */
  endOffset: number;
  /** Everything below the heading, as it stands. */
  source: string;
  blocks: Block[];
}

/** gray-matter's own look at blank lines is quadratic: 32 KiB of them take 0.7 s, 1 MiB takes minutes. */
const frontMatterCharsMax = 32 * 1024;
/** micromark is quadratic in nested containers on one line; nobody nests deeper on purpose. */
const nestingMax = 32;

/**
 * Splits a file into front matter and body. Throws `input` with file and line for broken YAML, for an opening line that
 * names a language, and for front matter that never ends.
 */
export function splitFrontMatter(text: string, file: string): FrontMatter {
  const { front, faults } = inspectFrontMatter(text);
  if (faults[0]) throw faultError(faults[0], file);
  return front;
}

export function faultError(fault: Fault, file: string): MonocoError {
  return new MonocoError("input", `${file}:${fault.line}: ${fault.message}`, { hint: fault.hint });
}

/** The same without throwing: what could be read, and everything that is wrong with it. */
export function inspectFrontMatter(text: string): { front: FrontMatter; faults: Fault[] } {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const first = lineAt(text, start);
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
    const message = `front matter must begin with a line of exactly ---, not ${first.text.trim().slice(0, 40)}`;
    return { front: none, faults: [{ line: 1, message, hint: "front matter is plain YAML, never code" }] };
  }
  if (!/^---[ \t]*$/.test(first.text)) return { front: none, faults: [] };

  const close = closingLine(text, first.next);
  if (!close || !/^---[ \t]*$/.test(close.text)) {
    const message = close
      ? "a line that begins with --- cuts the front matter"
      : "the front matter never ends";
    return {
      front: none,
      faults: [{ line: close?.line ?? 1, message, hint: "end the front matter with a line of exactly ---" }],
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

/** A line without its ending, and where the next one starts. */
function lineAt(text: string, start: number): { text: string; start: number; next: number } {
  const feed = text.indexOf("\n", start);
  if (feed === -1) return { text: text.slice(start), start, next: text.length };
  const end = text[feed - 1] === "\r" && feed > start ? feed - 1 : feed;
  return { text: text.slice(start, end), start, next: feed + 1 };
}

/** The first line from `start` on that begins with three dashes: it is where gray-matter will cut. */
function closingLine(
  text: string,
  start: number,
): (ReturnType<typeof lineAt> & { line: number }) | undefined {
  for (let at = start, line = 2; at < text.length; line++) {
    const current = lineAt(text, at);
    if (current.text.startsWith("---")) return { ...current, line };
    at = current.next;
  }
  return undefined;
}

function readYaml(text: string, front: FrontMatter): { front: FrontMatter; faults: Fault[] } {
  const faults: Fault[] = [];
  const keyLines = new Map<string, number>();
  if (front.matter.length > frontMatterCharsMax) {
    const message = `the front matter is longer than ${frontMatterCharsMax} characters`;
    return { front, faults: [{ line: 1, message, hint: "keep what is long in the body" }] };
  }
  // gray-matter hands the engine what follows the first ---, line ending included: lines are those of the file.
  // It also takes the last line's feed away, and of CRLF leaves half, which is no line ending in YAML.
  const yaml = (source: string): Record<string, unknown> => parseYaml(`${source}\n`, faults, keyLines);
  // Options are given always: without them gray-matter caches, and hands out one mutable object (TRAP 36, 37).
  const file = matter(text.slice(0, front.bodyStart), {
    language: "yaml",
    engines: { yaml, json: refuse, javascript: refuse, js: refuse, coffee: refuse, toml: refuse },
  });
  return { front: { ...front, data: file.data, keyLines }, faults };
}

function refuse(): never {
  throw new MonocoError("input", "front matter is plain YAML, never code");
}

function parseYaml(source: string, faults: Fault[], keyLines: Map<string, number>): Record<string, unknown> {
  const hint =
    "front matter must be plain YAML, one `key: value` a line; quote values that hold `: ` or ` #`";
  const lines = new LineCounter();
  try {
    const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
    for (const error of document.errors) {
      const line = lines.linePos(error.pos[0]).line;
      const word = /^["']?([^\s:"']+)/.exec(source.slice(error.pos[0]))?.[1] ?? "a key";
      if (error.code === "DUPLICATE_KEY")
        faults.push({ line, message: `${word} stands twice`, hint: "keep one" });
      else faults.push({ line, message: error.message, hint });
    }
    if (document.contents === null) return {};
    if (!isMap(document.contents)) {
      faults.push({ line: 2, message: "the front matter is no list of keys", hint });
      return {};
    }
    for (const { key } of document.contents.items) {
      if (isScalar(key) && key.range) keyLines.set(String(key.value), lines.linePos(key.range[0]).line);
    }
    const data: unknown = document.toJS();
    return isRecord(data) ? data : {};
  } catch (error) {
    // Aliases that explode, nesting that overflows the stack.
    faults.push({
      line: 1,
      message: `the front matter cannot be read: ${wordsOf(error).slice(0, 200)}`,
      hint,
    });
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Changes only the bytes of the given values: comments, order, quoting, line endings and BOM stay. A key that is missing
 * becomes the last line, `undefined` removes a key's lines. Reads its own result back, so it never leaves broken YAML.
 */
export function editFrontMatter(
  text: string,
  changes: Readonly<Record<string, string | undefined>>,
  file: string,
): string {
  const front = splitFrontMatter(text, file);
  if (!front.hasFrontMatter) {
    throw new MonocoError("input", `${file}:1: no front matter`, { hint: "begin the file with --- lines" });
  }
  const edits = Object.entries(changes)
    .filter(([key, value]) => front.data[key] !== value || (value === undefined && key in front.data))
    .flatMap(([key, value]) => editsFor(text, front, key, value));
  const edited = applyEdits(text, edits);
  const expected = { ...front.data, ...changes };
  if (readsAs(edited, expected)) return edited;
  throw new MonocoError("input", `${file}:1: the front matter cannot be changed without breaking it`, {
    hint: `set by hand: ${Object.keys(changes).join(", ")}`,
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
  try {
    return faults.length === 0 && JSON.stringify(front.data) === JSON.stringify(expected);
  } catch {
    return false;
  }
}

function editsFor(text: string, front: FrontMatter, key: string, value: string | undefined): Edit[] {
  const contents = parseDocument(front.matter, { keepSourceTokens: true }).contents;
  const pairs = isMap(contents) ? contents.items : [];
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
}

function addition(text: string, front: FrontMatter, first: Pair | undefined, line: string): Edit {
  const start = isNode(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
  const indent = /[ \t]*$/.exec(front.matter.slice(0, start))?.[0] ?? "";
  return { start: front.matterEnd, end: front.matterEnd, text: indent + line + lineEnding(text) };
}

/** Where a pair's key, colon and value stand; `start === end` where the value is empty. */
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
  // The value stands below its key: the new one goes on the key's line, before a comment there.
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

/** A string as one line of YAML: plain where that reads back as the same string, else quoted. */
export function yamlScalar(value: string): string {
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const readsBack = !/[\n\r]/.test(plain) && parseDocument(`- ${plain} # c`).toJS()?.[0] === value;
  return readsBack ? plain : JSON.stringify(value);
}

/** The line ending that a file uses, told by its first line. */
export function lineEnding(text: string): "\r\n" | "\n" {
  const feed = text.indexOf("\n");
  return feed > 0 && text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/**
 * Blocks only. Text is taken from the source as it stands, so inline constructs need no reading (and their worst cases
 * never arise); without setext headings a `---` below a paragraph is a rule, as its writer meant it.
 */
const parser = remark()
  .data("micromarkExtensions", [
    {
      disable: {
        null: [
          "setextUnderline",
          "definition",
          "attention",
          "autolink",
          "characterEscape",
          "characterReference",
          "codeText",
          "hardBreakEscape",
          "htmlText",
          "labelEnd",
          "labelStartImage",
          "labelStartLink",
        ],
      },
    },
  ])
  .freeze();

/** The body's sections: each `##` heading at the top level, up to the next heading of its level or above. */
export function sections(body: string): Section[] {
  const source = withoutBom(body);
  const found: Section[] = [];
  let open: Section | undefined;
  const nodes = parser.parse(flatten(source)).children;
  for (const [index, node] of nodes.entries()) {
    const { start, end } = spanWithin(node, nodes[index + 1], source.length);
    if (node.type === "heading" && node.depth <= 2) {
      if (open) open.endOffset = start;
      open = node.depth === 2 ? sectionAt(source, node) : undefined;
      if (open) found.push(open);
    } else if (open) {
      open.blocks.push(...blocksOf(source, node, { start, end }));
    }
  }
  for (const section of found) section.source = body.slice(section.contentOffset, section.endOffset);
  return found;
}

/** A section's text without the comments that stand between its blocks. */
export function proseOf(section: Section): string {
  let prose = "";
  let at = 0;
  for (const block of section.blocks) {
    if (block.kind !== "comment") continue;
    prose += section.source.slice(at, block.startOffset - section.contentOffset);
    at = block.endOffset - section.contentOffset;
  }
  return prose + section.source.slice(at);
}

/** A text without its complete comments, wherever they stand. One pass: many that never end cost no more. */
export function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    const end = start === -1 ? -1 : text.indexOf("-->", start + 4);
    if (end === -1) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + 3;
  }
}

/** The first heading of the body, of any level, in plain text; undefined where there is none. */
export function firstHeading(body: string): string | undefined {
  const source = withoutBom(body);
  const node = parser.parse(flatten(source)).children.find((child) => child.type === "heading");
  return node && plainHeading(source.slice(spanOf(node).start, spanOf(node).end));
}

/** A BOM would shift every offset of the parser by one; a blank in its place does not. */
function withoutBom(body: string): string {
  return body.startsWith("\uFEFF") ? ` ${body.slice(1)}` : body;
}

/** The same text, of the same length, with whatever is nested deeper than `nestingMax` on one line made harmless. */
function flatten(source: string): string {
  const marker = String.raw`[ \t]*(?:[-*+](?=[ \t])|>|\d{1,9}[.)](?=[ \t]))`;
  const deep = new RegExp(`^((?:${marker}){${nestingMax}})(.*)$`, "gm");
  return source.replace(deep, (_, kept: string, rest: string) => kept + rest.replace(/[^\s]/g, "x"));
}

function spanOf(node: RootContent): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** micromark ends an unclosed fence or HTML block one marker too late: nothing reaches into what follows it. */
function spanWithin(
  node: RootContent,
  next: RootContent | undefined,
  limit: number,
): { start: number; end: number } {
  const { start, end } = spanOf(node);
  return { start, end: Math.min(end, next ? spanOf(next).start : limit, limit) };
}

function lineOf(node: RootContent): number {
  return node.position?.start.line ?? 1;
}

function sectionAt(source: string, node: RootContent): Section {
  const { start, end } = spanOf(node);
  return {
    heading: plainHeading(source.slice(start, end)),
    line: lineOf(node),
    startOffset: start,
    contentOffset: end,
    endOffset: source.length,
    source: "",
    blocks: [],
  };
}

function plainHeading(source: string): string {
  const text = source.replace(/^\s*#+/, "").replace(/[ \t]#+[ \t]*$/, "");
  return text
    .replace(/[*_`]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function blocksOf(source: string, node: RootContent, span: { start: number; end: number }): Block[] {
  const line = lineOf(node);
  const text = source.slice(span.start, span.end);
  if (node.type === "thematicBreak") return [];
  if (node.type === "list")
    return [{ kind: "list", line, items: itemsOf(source, node, { end: span.end, depth: 1 }) }];
  if (node.type === "heading") return [{ kind: "heading", line, source: text }];
  if (node.type !== "html") return [{ kind: "text", line, source: text }];
  const comment = /^\s*<!--(?:[\s\S]*?-->|[\s\S]*$)/.exec(text)?.[0];
  if (comment === undefined) return [{ kind: "text", line, source: text }];
  const endOffset = span.start + comment.length;
  const block: Block = { kind: "comment", line, source: comment, startOffset: span.start, endOffset };
  const rest = text.slice(comment.length);
  return rest.trim() ? [block, { kind: "text", line, source: rest.trim() }] : [block];
}

interface Within {
  end: number;
  depth: number;
}

function itemsOf(source: string, list: List, within: Within): ListItem[] {
  return list.children.map((node, index) => {
    const span = spanWithin(node, list.children[index + 1], within.end);
    return itemOf(source, node, { ...span, depth: within.depth });
  });
}

function itemOf(source: string, node: ListItemNode, span: { start: number } & Within): ListItem {
  const { start, end, depth } = span;
  const marker = /^(?:[-*+]|\d{1,9}[.)])/.exec(source.slice(start, start + 10))?.[0] ?? "-";
  const content = contentOf(source, start, marker.length);
  const box = /^\[([ xX/\-~+])\](?=\s|$)[ \t]*/.exec(
    source.slice(content.start, Math.min(content.start + 64, end)),
  );
  const state = box?.[1] === undefined ? undefined : statesByMark[box[1]];
  const textStart = content.start + (box?.[0].length ?? 0);
  const nested = depth < nestingMax ? node.children.filter((child) => child.type === "list") : [];
  const lists = nested.map((list) => ({ list, items: itemsOf(source, list, { end, depth: depth + 1 }) }));
  const withBoxes = lists.find(({ items }) => items.some(hasBox));
  const slice = (from: number, to: number): string =>
    dedent(source.slice(from, Math.max(from, to)), content.column);
  return {
    source: slice(content.start, end),
    text: slice(textStart, end),
    ownText: slice(textStart, withBoxes ? spanOf(withBoxes.list).start : end),
    ...(state && { state, markOffset: content.start + 1 }),
    line: lineOf(node),
    items: lists.flatMap(({ items }) => items),
  };
}

function hasBox(item: ListItem): boolean {
  return item.state !== undefined || item.items.some(hasBox);
}

/** Where an item's content starts: its offset, and its column (from 0, tabs counted as up to four). */
function contentOf(source: string, start: number, markerChars: number): { start: number; column: number } {
  const lineStart = Math.max(source.lastIndexOf("\n", start - 1), source.lastIndexOf("\r", start - 1)) + 1;
  const markerEnd = start + markerChars;
  const column = columnAfter(source.slice(lineStart, markerEnd), 0);
  const space = /^[ \t]*/.exec(source.slice(markerEnd, markerEnd + 8))?.[0] ?? "";
  const after = columnAfter(space, column);
  const blank = /^(?:[\r\n]|$)/.test(source.slice(markerEnd + space.length, markerEnd + space.length + 1));
  if (blank || after - column > 4)
    return { start: markerEnd + Math.min(1, space.length), column: column + 1 };
  return { start: markerEnd + space.length, column: after };
}

function columnAfter(text: string, from: number): number {
  let column = from;
  for (const char of text) column += char === "\t" ? 4 - (column % 4) : 1;
  return column;
}

/** Takes `columns` of indentation from every line but the first. */
function dedent(text: string, columns: number): string {
  const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
  return [first, ...rest.map((line) => dedentLine(line, columns))].join("\n").trim();
}

function dedentLine(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  while (column < columns && (line[at] === " " || line[at] === "\t")) {
    column += line[at] === "\t" ? 4 - (column % 4) : 1;
    at++;
  }
  return " ".repeat(Math.max(0, column - columns)) + line.slice(at);
}

/** Parses Markdown into sections and their contents, with offsets. The only caller of remark. */
import { remark } from "remark";
import type { RootContent } from "mdast";
import { listEndsMax, nestingMax } from "../limits.ts";
import { itemsOf } from "./list-item.ts";
import type { ListItem } from "./list-item.ts";
import { lineOf, spanOf, spanWithin } from "./source-span.ts";

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

/** The last texts that were read: a handoff is asked for its sections some six times between two sessions. */
const read = new Map<string, readonly Section[]>();
const readMax = 4;
const readCharsMax = 100_000;

/** The body's sections: each `##` heading at the top level, up to the next heading of its level or above. */
export function sections(body: string): readonly Section[] {
  const known = read.get(body);
  if (known) return known;
  const found = readSections(body);
  if (read.size >= readMax) read.delete(read.keys().next().value!);
  if (body.length <= readCharsMax) read.set(body, found);
  return found;
}

function readSections(body: string): Section[] {
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

/** What a list of work consists of, in order, with its line: headings of any level, and the items of top-level lists. */
export type OutlineEntry =
  | { kind: "heading"; line: number; depth: number; text: string }
  | { kind: "item"; line: number; item: ListItem }
  | { kind: "text"; line: number; text: string };

/** All that stands at the top level of a document, but for comments and thematic breaks. */
export function outline(body: string): OutlineEntry[] {
  const source = withoutBom(body);
  const nodes = parser.parse(flatten(source)).children;
  return nodes.flatMap((node, index): OutlineEntry[] => {
    const { start, end } = spanWithin(node, nodes[index + 1], source.length);
    if (node.type === "heading") {
      const { start, end } = spanOf(node);
      return [
        {
          kind: "heading",
          line: lineOf(node),
          depth: node.depth,
          text: plainHeading(source.slice(start, end)),
        },
      ];
    }
    return blocksOf(source, node, { start, end }).flatMap((block): OutlineEntry[] => {
      if (block.kind === "list") return block.items.map((item) => ({ kind: "item", line: item.line, item }));
      return block.kind === "text" ? [{ kind: "text", line: block.line, text: block.source }] : [];
    });
  });
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
  return endLazy(
    boundEnds(source.replace(deep, (_, kept: string, rest: string) => kept + rest.replace(/[^\s]/g, "x"))),
  );
}

const markers = /^(?:[ \t]*(?:[-*+](?=[ \t]|$)|>|\d{1,9}[.)](?=[ \t]|$)))+/;

const thematicBreak = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** Whether lists end in it so often that the last ones are not read. */
export function hasTooManyLists(body: string): boolean {
  return boundEnds(body) !== body;
}

/** The same text, of the same length, with the markers of lists and quotations made harmless once `listEndsMax` of them have ended. */
function boundEnds(source: string): string {
  let ends = 0;
  let column = 0;
  let open = { containers: 0, isQuoted: false };
  return linesReplaced(source, (line) => {
    const marked = thematicBreak.test(line) ? undefined : markers.exec(line)?.[0];
    if (marked !== undefined && ends >= listEndsMax) return line.replace(markers, marked.replace(/\S/g, "x"));
    const isBlank = line.trim() === "";
    if (marked !== undefined) {
      column = marked.length;
      open = { containers: marked.trim().split(/[ \t]+|(?<=>)/).length, isQuoted: marked.includes(">") };
    } else if (column > 0 && (isBlank ? open.isQuoted : line.search(/\S/) < column)) {
      ends += open.containers;
      column = 0;
    }
    return line;
  });
}

/** The text with each line replaced; its line ends, of any of the three kinds that Markdown knows, are kept. */
function linesReplaced(source: string, replace: (line: string) => string): string {
  return source.replace(/[^\r\n]+|(?<=\n|\r(?!\n))(?=[\r\n])/g, (line) => replace(line));
}

/** More lines of an item's paragraph than anybody writes: the parser looks back through all of them at each line that is not indented. */
const lazyLinesMax = 200;
const beginsBlock = /^[ \t]*(?:[-*+](?=[ \t]|$)|>|\d{1,9}[.)](?=[ \t]|$)|#{1,6}(?=[ \t]|$)|```|~~~)/;
/** A comment may end on it. */
const endsBlock = /-->/;

/** The same text, of the same length, with a blank line where a paragraph in a list or a quote goes on for too long. */
function endLazy(source: string): string {
  let lines = 0;
  let contained = false;
  return linesReplaced(source, (line) => {
    if (line.trim() === "" || beginsBlock.test(line)) {
      lines = 0;
      contained = line.trim() !== "" && (contained || !/^[ \t]*[#`~]/.test(line));
      return line;
    }
    lines += 1;
    if (!contained || lines <= lazyLinesMax || endsBlock.test(line)) return line;
    contained = false;
    return line.replace(/\S/g, " ");
  });
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

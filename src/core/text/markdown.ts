/** Parses Markdown into sections and their contents, with offsets. */
import type { RootContent } from "mdast";
import { itemsOf } from "./list-item.ts";
import type { ListItem } from "./list-item.ts";
import { blocksIn } from "./markdown-blocks.ts";
import { lineOf, spanOf } from "./source-span.ts";
import type { Span } from "./source-span.ts";

/** A block of a section, in order. Thematic breaks are left out. */
export type Block =
  | { kind: "list"; line: number; items: ListItem[] }
  | { kind: "comment"; line: number; source: string; startOffset: number; endOffset: number }
  | { kind: "heading"; line: number; source: string }
  | { kind: "text"; line: number; source: string };

export interface Section {
  /** The plain text of the `##` heading. */
  heading: string;
  /** The line of the heading within the body, from 1. */
  line: number;
  startOffset: number;
  /** The end of the heading's line. */
  contentOffset: number;
  /** The start of the next section, or the end of the body. */
  endOffset: number;
  /** The text below the heading, verbatim. */
  source: string;
  blocks: Block[];
}

/** The body's sections: each `##` heading at the top level, up to the next heading of its level or above. */
export function sections(body: string): Section[] {
  const complete: Section[] = [];
  let open: Section | undefined;
  for (const { node, start, end } of blocksIn(body)) {
    if (node.type === "heading" && node.depth <= 2) {
      if (open) open.endOffset = start;
      open = node.depth === 2 ? sectionAt(body, node) : undefined;
      if (open) complete.push(open);
    } else if (open) {
      open.blocks.push(...blocksOf(body, node, { start, end }));
    }
  }
  for (const section of complete) section.source = body.slice(section.contentOffset, section.endOffset);
  return complete;
}

/** The entries of a work list in order, each with its line: headings of any level, and items of top-level lists. */
export type OutlineEntry =
  | { kind: "heading"; line: number; depth: number; text: string }
  | { kind: "item"; line: number; item: ListItem }
  | { kind: "text"; line: number; text: string };

/** The top level of a document, without comments and thematic breaks. */
export function outline(body: string): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  for (const { node, ...span } of blocksIn(body)) {
    if (node.type === "heading") {
      const text = plainHeading(body.slice(spanOf(node).start, spanOf(node).end));
      entries.push({ kind: "heading", line: lineOf(node), depth: node.depth, text });
    } else entries.push(...blocksOf(body, node, span).flatMap(entriesOf));
  }
  return entries;
}

function entriesOf(block: Block): OutlineEntry[] {
  if (block.kind === "list") return block.items.map((item) => ({ kind: "item", line: item.line, item }));
  return block.kind === "text" ? [{ kind: "text", line: block.line, text: block.source }] : [];
}

/** A section's text without the comments between its blocks. */
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

/** A text without its complete comments. A single pass: unclosed ones cost no more. */
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

/** The first heading of any level in plain text; undefined if there is none. */
export function firstHeading(body: string): string | undefined {
  for (const { node } of blocksIn(body))
    if (node.type === "heading") return plainHeading(body.slice(spanOf(node).start, spanOf(node).end));
  return undefined;
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

function blocksOf(source: string, node: RootContent, span: Span): Block[] {
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

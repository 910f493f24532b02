/** A Markdown text to the syntax trees of its blocks, in time and memory that grow with its length. The only caller of remark. */
import { remark } from "remark";
import type { RootContent } from "mdast";
import { markersMax, pieceLines } from "../limits.ts";
import { columnOf, moved, spanOf, spanWithin } from "./source-span.ts";

/**
 * Blocks only. Text is taken from the source as it stands, so inline constructs need no reading (and their worst cases
 * never arise); without setext headings a `---` below a paragraph is a rule, as its writer meant it.
 */
const parser = remark()
  .data("micromarkExtensions", [
    {
      disable: {
        null: (
          "setextUnderline definition attention autolink characterEscape characterReference codeText hardBreakEscape " +
          "htmlText labelEnd labelStartImage labelStartLink"
        ).split(" "),
      },
    },
  ])
  .freeze();

/** A block at the top level, and its place in the source. */
export type TopBlock = { node: RootContent; start: number; end: number };

/**
 * The parser copies all that it has read at each list that ends, so a long text is read in pieces of `pieceLines`, and a
 * piece is forgotten before the next; a list, a quotation or a paragraph that is longer comes as several.
 */
export function* blocksIn(body: string): Generator<TopBlock> {
  // A BOM would shift every offset of the parser by one; a blank in its place does not.
  const source = body.replace(/^\uFEFF/, " ");
  for (let place = { offset: 0, line: 0 }; place.offset < source.length;) {
    const end = endOfLines(source, place.offset, pieceLines);
    const nodes = parser
      .parse(withoutInline(shallow(source.slice(place.offset, end))))
      .children.map((node) => moved(node, place));
    const { whole, next } = end === source.length ? { whole: nodes, next: end } : cut(nodes, source, end);
    for (const [at, node] of whole.entries()) yield { node, ...spanWithin(node, whole[at + 1], next) };
    const lines = source.slice(place.offset, next).match(lineEnd)?.length ?? 0;
    place = { offset: next, line: place.line + lines };
  }
}

/** The blocks of a piece that end in it, and where the next piece begins. `end`: where this one does. */
function cut(nodes: RootContent[], source: string, end: number): { whole: RootContent[]; next: number } {
  const last = nodes.at(-1);
  if (!last) return { whole: [], next: end };
  // It may go on behind the piece.
  if (nodes.length > 1) return { whole: nodes.slice(0, -1), next: beginOf(last) };
  const item = last.type === "list" && last.children.length > 1 ? last.children.pop() : undefined;
  const close = item ? beginOf(item) : closeOf(source, spanOf(last).start);
  if (close === undefined) return { whole: [last], next: end };
  if (last.position) last.position.end.offset = close;
  return { whole: [last], next: item ? close : endOfLines(source, close, 1) };
}

function beginOf(node: Parameters<typeof columnOf>[0]): number {
  return spanOf(node).start - columnOf(node);
}

/** Where a fence or a comment that begins at `begin` is closed; `#` and `-` mean nothing in them. Undefined for other blocks. */
function closeOf(source: string, begin: number): number | undefined {
  const [opens] = /^(?:(`{3,}|~{3,})|<!--)/.exec(source.slice(begin, endOfLines(source, begin, 1))) ?? [];
  if (opens === undefined) return undefined;
  const isComment = opens === "<!--";
  const close = isComment ? /-->.*/g : new RegExp(`^ {0,3}${opens}${opens[0]!}*(?=[ \\t]*$)`, "gm");
  close.lastIndex = isComment ? begin + opens.length : endOfLines(source, begin, 1);
  return close.test(source) ? close.lastIndex : source.length;
}

/** Where so many lines end, their line ends included. */
function endOfLines(source: string, from: number, count: number): number {
  lineEnd.lastIndex = from;
  for (let lines = 0; lines < count; lines += 1) if (!lineEnd.test(source)) return source.length;
  return lineEnd.lastIndex;
}

const lineEnd = /\r\n|\r|\n/g;

/** The same text, of the same length, in which what is nested deeper than `markersMax` on one line is text. */
function shallow(source: string): string {
  return source.replace(deep, (_, kept: string, rest: string) => kept + rest.replace(/[^\s]/g, "x"));
}

const marker = String.raw`[ \t]*(?:[-*+](?=[ \t])|>|\d{1,9}[.)](?=[ \t]))`;
const deep = new RegExp(`^((?:${marker}){${markersMax}})(.*)$`, "gm");
const thematicBreak = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const fence = /^[\s>*+\-\d.)]*(?:`{3}|~{3})/;

/** The same without signs that mean something within a block only: the parser makes two events of each, though it reads none. */
function withoutInline(source: string): string {
  return source.replace(/[^\r\n]+/g, (line) =>
    thematicBreak.test(line) || fence.test(line)
      ? line
      : line.replace(/[\\&[\]]|(?<=[^\s<])!|(?<=\S)[_*`]/g, "x"),
  );
}

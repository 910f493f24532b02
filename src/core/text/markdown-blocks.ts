/** Parses Markdown into the syntax trees of its blocks, in time and memory linear in its length. The only caller of remark. */
import { remark } from "remark";
import type { RootContent } from "mdast";
import { blockLinesMax, lineCharsRead, markersMax, pieceLines } from "../limits.ts";
import { columnOf, moved, spanOf, spanWithin } from "./source-span.ts";
import type { Span } from "./source-span.ts";

/**
 * Parses only blocks. Text is taken verbatim from the source, so inline constructs need no parsing (and their worst cases
 * never arise). Without setext headings a `---` below a paragraph is a rule, as its writer meant it.
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

/** A block at the top level, with its place in the source. */
export type TopBlock = Span & { node: RootContent };

/**
 * The blocks of a text. The parser copies everything that it has read at the end of each list, so a long text is read in pieces of
 * `pieceLines`. A long list comes as several blocks; any other long block lengthens its piece, up to `blockLinesMax`.
 */
export function* blocksIn(source: string): Generator<TopBlock> {
  for (let place = { offset: 0, line: 0 }, lines = pieceLines; place.offset < source.length;) {
    const end = endOfLines(source, place.offset, lines);
    // A BOM would shift all offsets by one: it becomes a blank at the start, and stays text elsewhere.
    const piece = source.slice(place.offset, end).replace(/^\uFEFF/, place.offset === 0 ? " " : "x");
    const nodes = parser.parse(withoutInline(shallow(piece))).children.map((node) => moved(node, place));
    const { whole, next } = end === source.length ? { whole: nodes, next: end } : cut(nodes, source, end);
    const isCut = next === end && end < source.length && nodes.length === 1;
    // The text after a cut paragraph is parsed as a paragraph again.
    if (isCut && nodes[0]?.type !== "paragraph" && lines < blockLinesMax) {
      lines *= 2;
      continue;
    }
    for (const [at, node] of whole.entries()) yield { node, ...spanWithin(node, whole[at + 1], next) };
    const read = source.slice(place.offset, next).match(lineEnd)?.length ?? 0;
    place = { offset: next, line: place.line + read };
    lines = pieceLines;
  }
}

/** The blocks that end in a piece, and the start of the next piece. `end`: the end of this one. */
function cut(nodes: RootContent[], source: string, end: number): { whole: RootContent[]; next: number } {
  const last = nodes.at(-1);
  if (!last) return { whole: [], next: end };
  // The last block may continue after the piece.
  if (nodes.length > 1) return { whole: nodes.slice(0, -1), next: beginOf(last) };
  const item = last.type === "list" && last.children.length > 1 ? last.children.pop() : undefined;
  const close = item ? beginOf(item) : closeOf(last, source);
  if (close === undefined) return { whole: [last], next: end };
  if (last.position) last.position.end.offset = close;
  return { whole: [last], next: item ? close : endOfLines(source, close, 1) };
}

function beginOf(node: Parameters<typeof columnOf>[0]): number {
  return spanOf(node).start - columnOf(node);
}

/** The offset at which a fence or comment is closed, however far away; `#` and `-` mean nothing inside it. Undefined for other blocks. */
function closeOf(node: RootContent, source: string): number | undefined {
  const { start } = spanOf(node);
  const first = source.slice(start, endOfLines(source, start, 1)).trim();
  const marks = node.type === "code" ? /^(?:`{3,}|~{3,})/.exec(first)?.[0] : undefined;
  if (marks === undefined && !(node.type === "html" && first.startsWith("<!--"))) return undefined;
  const close = marks
    ? new RegExp(`[\\r\\n] {0,3}${marks}${marks[0]!}*(?=[ \\t]*(?:[\\r\\n]|$))`, "g")
    : /-->.*/g;
  // The comment \`<!-->\` is closed by its own characters.
  close.lastIndex = source.indexOf(first, start) + (marks ? first.length : 2);
  return close.test(source) ? close.lastIndex : source.length;
}

/** The end of the next `count` lines, or of fewer if these are long; line ends are included. */
function endOfLines(source: string, from: number, count: number): number {
  lineEnd.lastIndex = from;
  for (let lines = 0; lines < count && lineEnd.lastIndex - from < count * lineChars; lines += 1)
    if (!lineEnd.test(source)) return source.length;
  return lineEnd.lastIndex;
}

/** A length above that of most lines. */
const lineChars = 128;
const lineEnd = /\r\n|\r|\n/g;

/** The text at the same length, where anything nested deeper than `markersMax` on one line becomes plain text. */
function shallow(source: string): string {
  return source.replace(deep, (line: string, kept: string, rest: string) =>
    thematicBreak.test(line) ? line : kept + rest.replace(/[^\s]/g, "x"),
  );
}

const marker = String.raw`[ \t]*(?:[-*+](?=[ \t])|>|\d{1,9}[.)](?=[ \t]))`;
const deep = new RegExp(`^((?:${marker}){${markersMax}})(.*)$`, "gm");
const thematicBreak = /^(?:[ \t]*>)*[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** The text at the same length, without inline markup far out in a line: the parser makes two events of each character that it ignores. */
function withoutInline(source: string): string {
  return source.replace(/[^\r\n]+/g, (line) => {
    const rest = line.slice(lineCharsRead);
    return rest === "" ? line : line.slice(0, lineCharsRead) + rest.replace(/[\\&[\]!_*`<]/g, "\uFFFD");
  });
}

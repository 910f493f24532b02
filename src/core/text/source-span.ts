/** The offsets of a syntax tree's node in its source. */
import type { Nodes } from "mdast";

export type Span = { start: number; end: number };

export function spanOf(node: Nodes): Span {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** The node's span, which ends before the next node: micromark ends an unclosed fence or HTML block one marker too late. */
export function spanWithin(node: Nodes, next: Nodes | undefined, limit: number): Span {
  const { start, end } = spanOf(node);
  return { start, end: Math.min(end, next ? spanOf(next).start : limit, limit) };
}

export function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}

/** The number of characters before the node on its line. */
export function columnOf(node: Nodes): number {
  return (node.position?.start.column ?? 1) - 1;
}

/** The tree as part of a longer text, after so many characters and lines. */
export function moved<T extends Nodes>(node: T, before: { offset: number; line: number }): T {
  for (const point of [node.position?.start, node.position?.end]) {
    if (point)
      Object.assign(point, { offset: (point.offset ?? 0) + before.offset, line: point.line + before.line });
  }
  if ("children" in node) for (const child of node.children) moved(child, before);
  return node;
}

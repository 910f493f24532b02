/** The offsets of a syntax tree's node in its source. */
import type { Nodes } from "mdast";

export function spanOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** micromark ends an unclosed fence or HTML block one marker too late: nothing reaches into what follows it. */
export function spanWithin(
  node: Nodes,
  next: Nodes | undefined,
  limit: number,
): { start: number; end: number } {
  const { start, end } = spanOf(node);
  return { start, end: Math.min(end, next ? spanOf(next).start : limit, limit) };
}

export function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}

/** Markdown as a tree of elements that a page can show: blocks, with code, bold text and nothing else inside a line. */
import type { BlockContent, DefinitionContent, ListItem, RootContent } from "mdast";
import { inLine } from "./inline.ts";
import type { Block } from "./inline.ts";
import { blocksIn } from "../../core/text/markdown-blocks.ts";
import { plain } from "../../core/text/sanitize.ts";

export function markdownTree(text: string): Block[] {
  return [...blocksIn(plain(text))].flatMap(({ node }) => blockOf(node));
}

function blockOf(node: RootContent | BlockContent | DefinitionContent | ListItem): Block[] {
  switch (node.type) {
    case "heading":
      return [{ tag: "h3", of: inLine(textIn(node)) }];
    case "paragraph":
      return [{ tag: "p", of: inLine(textIn(node)) }];
    case "list":
      return [{ tag: node.ordered ? "ol" : "ul", of: node.children.flatMap(blockOf) }];
    case "listItem":
      return [{ tag: "li", of: itemOf(node) }];
    case "blockquote":
      return [{ tag: "blockquote", of: node.children.flatMap(blockOf) }];
    case "thematicBreak":
      return [{ tag: "hr", of: [] }];
    case "code":
      return [{ tag: "pre", of: [node.value] }];
    case "html":
      // A comment says nothing to a reader; other HTML is shown as it is written.
      return node.value.startsWith("<!--") ? [] : [{ tag: "pre", of: [node.value] }];
    default:
      return [];
  }
}

/** A paragraph that is alone in its item, or begins it, is a line of its own. */
function itemOf({ children }: ListItem): (Block | string)[] {
  const [first, ...rest] = children;
  if (first?.type !== "paragraph") return children.flatMap(blockOf);
  return [...inLine(textIn(first)), ...rest.flatMap(blockOf)];
}

function textIn(node: { children: readonly object[] }): string {
  return node.children
    .map((child) =>
      "value" in child ? String(child.value) : "children" in child ? textIn(child as typeof node) : "\n",
    )
    .join("");
}

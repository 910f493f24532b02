/** Rendered Markdown. */
import { h } from "preact";
import type { JSX } from "preact";
import type { Block } from "../../core/text/markdown-tree.ts";

export function Markdown({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return h("div", { class: "prose" }, blocks.map(shown));
}

function shown(part: Block | string): JSX.Element | string {
  return typeof part === "string" ? part : h(part.tag, null, part.of.map(shown));
}

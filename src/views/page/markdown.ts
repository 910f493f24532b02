/** Rendered Markdown. */
import { h } from "preact";
import type { JSX } from "preact";
import { inLine } from "./inline.ts";
import type { Block } from "./inline.ts";
import { el } from "./el.ts";

export function Markdown({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return el("div.prose", blocks.map(shown));
}

/** Text with code and bold text in it. */
export function Inline({ text }: { text: string }): JSX.Element {
  return el("span", inLine(text).map(shown));
}

function shown(part: Block | string): JSX.Element | string {
  return typeof part === "string" ? part : h(part.tag, null, part.of.map(shown));
}

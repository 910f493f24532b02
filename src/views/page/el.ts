/** Elements without further attributes. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";

/** `el("p.dim", "text")`: an element, its class, and what is in it. */
export function el(spec: string, ...children: ComponentChildren[]): JSX.Element {
  const [tag = "", name] = spec.split(".");
  return h(tag, name === undefined ? null : { class: name }, ...children);
}

/** Colours for a line of source. A line is coloured by itself, as elements: no markup is ever parsed. */
import { h } from "preact";
import type { JSX } from "preact";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import c from "highlight.js/lib/languages/c";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { el } from "../views/page/el.ts";

const languages = {
  bash,
  c,
  css,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** A longer line stays plain. */
const charsMax = 400;

type Part = string | { scope?: string; children: Part[] };

/** Paints the lines of a file by its name. */
export function coloured(file: string): (text: string) => JSX.Element | string {
  const ending = /\.(\w+)$/.exec(file)?.[1] ?? "";
  if (!hljs.getLanguage(ending)) return (text) => text;
  return (text) => {
    if (text.length > charsMax) return text;
    const { _emitter: emitter } = hljs.highlight(text, {
      language: ending,
      ignoreIllegals: true,
    }) as unknown as {
      _emitter: { rootNode: { children: Part[] } };
    };
    return el("span", emitter.rootNode.children.map(shown));
  };
}

function shown(part: Part): JSX.Element | string {
  if (typeof part === "string") return part;
  const scope = part.scope?.split(".")[0] ?? "";
  return h("span", { class: scope && `hljs-${scope}` }, part.children.map(shown));
}

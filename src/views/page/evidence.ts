/** What speaks for and against a submission: the table of evidence, places to answer, findings, checks. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import type { FindingFacts, ReviewFacts } from "./facts.ts";
import { Inline } from "./markdown.ts";
import { t } from "../../core/language/translate.ts";
import { el } from "./el.ts";

export function section(title: string, of: ComponentChildren, level = 2): JSX.Element {
  return el("section", h(`h${level}`, null, title), of);
}

/** The column of commands. */
const commandAt = 4;

/** On a narrow screen a row is a card, and each cell names its column. */
export function Evidence({ evidence: { head, rows } }: Pick<ReviewFacts, "evidence">): JSX.Element {
  if (rows.length === 0) return el("p.dim", t`The issue names none.`);
  const titles = head.map((name) => h("th", { scope: "col" }, name));
  const cell = (text: string, at: number): JSX.Element => {
    const shown = at === commandAt ? el("code", text) : h(Inline, { text });
    return h("td", { "data-name": head[at] ?? "" }, text && shown);
  };
  return el(
    "table.cards",
    el("thead", el("tr", titles)),
    el(
      "tbody",
      rows.map((cells) => el("tr", cells.map(cell))),
    ),
  );
}

export function Findings({ findings }: { findings: readonly FindingFacts[] }): JSX.Element {
  if (findings.length === 0) return el("p.dim", t`No findings.`);
  return el(
    "ul.plain",
    findings.map(({ id, severity, title, by, file, line, text }) =>
      el(
        "li.finding",
        el("strong", title),
        el(
          "div.dim",
          [id, severity, by, file && `${file}${line === null ? "" : `:${line}`}`].filter(Boolean).join(" · "),
        ),
        text && text !== title ? el("pre", text) : null,
      ),
    ),
  );
}

export function Checks({ checks }: Pick<ReviewFacts, "checks">): JSX.Element {
  if (checks.length === 0) return el("p.dim", t`None are configured.`);
  return el(
    "ul.plain",
    checks.map(({ command, result, good }) =>
      el("li", el("code", command), " ", h("span", { class: good ? "good" : "bad" }, result)),
    ),
  );
}

export function Lines({ lines }: { lines: readonly string[] }): JSX.Element {
  return el(
    "ul",
    lines.map((line) => el("li", line)),
  );
}

/** What speaks for and against a submission: the table of evidence, places to answer, findings, checks. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import type { FindingFacts, ReviewFacts, Table } from "./facts.ts";
import { Inline } from "./markdown.ts";
import { t } from "../../core/language/translate.ts";

export function Section(of: { title: string; level?: 2 | 3; children?: ComponentChildren }): JSX.Element {
  return h("section", null, h(`h${of.level ?? 2}`, null, of.title), of.children);
}

/** On a narrow screen a row is a card, and each cell names its column. */
export function DataTable({ head, rows, code = [] }: Table & { code?: readonly number[] }): JSX.Element {
  return h(
    "table",
    { class: "cards" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        head.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((cells) =>
        h(
          "tr",
          null,
          cells.map((cell, at) =>
            h(
              "td",
              { "data-name": head[at] ?? "" },
              cell === "" ? null : code.includes(at) ? h("code", null, cell) : h(Inline, { text: cell }),
            ),
          ),
        ),
      ),
    ),
  );
}

export function Evidence({ evidence }: { evidence: Table }): JSX.Element {
  return evidence.rows.length === 0
    ? h("p", { class: "dim" }, t`The issue names none.`)
    : h(DataTable, { ...evidence, code: [4] });
}

export function Findings({ findings }: { findings: readonly FindingFacts[] }): JSX.Element {
  if (findings.length === 0) return h("p", { class: "dim" }, t`No findings.`);
  return h(
    "ul",
    { class: "plain" },
    findings.map(({ id, severity, title, by, file, line, text }) =>
      h(
        "li",
        { class: "finding" },
        h("strong", null, title),
        h(
          "div",
          { class: "dim" },
          [id, severity, by, file && `${file}${line === null ? "" : `:${line}`}`].filter(Boolean).join(" · "),
        ),
        text && text !== title ? h("pre", null, text) : null,
      ),
    ),
  );
}

export function Checks({ checks }: Pick<ReviewFacts, "checks">): JSX.Element {
  if (checks.length === 0) return h("p", { class: "dim" }, t`None are configured.`);
  return h(
    "ul",
    { class: "plain" },
    checks.map(({ command, result, good }) =>
      h("li", null, h("code", null, command), " ", h("span", { class: good ? "good" : "bad" }, result)),
    ),
  );
}

export function Lines({ lines }: { lines: readonly string[] }): JSX.Element {
  return h(
    "ul",
    null,
    lines.map((line) => h("li", null, line)),
  );
}

/** What speaks for and against a submission: the table of evidence, places to answer, findings, checks. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import type { FindingFacts, ReviewFacts, Table } from "./facts.ts";
import { Inline } from "./markdown.ts";
import { t } from "../../core/language/translate.ts";
import { el } from "./el.ts";

export function Section(of: { title: string; level?: 2 | 3; children?: ComponentChildren }): JSX.Element {
  return el("section", h(`h${of.level ?? 2}`, null, of.title), of.children);
}

/** On a narrow screen a row is a card, and each cell names its column. */
export function DataTable({ head, rows, code = [] }: Table & { code?: readonly number[] }): JSX.Element {
  return el(
    "table.cards",
    el(
      "thead",
      el(
        "tr",
        head.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      rows.map((cells) =>
        el(
          "tr",
          cells.map((cell, at) =>
            h(
              "td",
              { "data-name": head[at] ?? "" },
              cell === "" ? null : code.includes(at) ? el("code", cell) : h(Inline, { text: cell }),
            ),
          ),
        ),
      ),
    ),
  );
}

export function Evidence({ evidence }: { evidence: Table }): JSX.Element {
  return evidence.rows.length === 0
    ? el("p.dim", t`The issue names none.`)
    : h(DataTable, { ...evidence, code: [4] });
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

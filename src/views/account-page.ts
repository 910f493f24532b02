/** Accounts of relays as one HTML file that loads nothing: all foreign text is escaped, and no script may run. */
import type { Account, Moment } from "../core/report/account.ts";
import type { Criterion } from "../core/review/verdict-schema.ts";
import type { SessionReport } from "../core/report/report.ts";
import { counted } from "../core/language/counted.ts";
import { percent, seconds, momentOf } from "../core/text/figures.ts";
import { plain, plainLine } from "../core/text/sanitize.ts";
import { evidenceParts, headWords, madeWords, phaseWords, topLines, undoCommand } from "./account.ts";
import type { Accounts } from "./account.ts";
import { named } from "../core/language/names.ts";
import { languageSpoken, t } from "../core/language/translate.ts";

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h2{border-top:1px solid #ccc;padding-top:1rem}table{border-collapse:collapse}td,th{padding:.15rem .6rem;text-align:left;vertical-align:top}
code,pre{font-family:ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}.good{color:#176b2c}.bad{color:#a3201d}.dim{color:#667}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}.good{color:#7ccf8f}.bad{color:#f08a86}.dim{color:#99a}}`;

export function accountsPage(all: Accounts): string {
  const { accounts } = all;
  const title = headWords(all);
  const rows = accounts.map(
    ({ issue, phase, title: name }) =>
      `<tr><td><a href="#${safe(issue)}">${safe(issue)}</a><td>${safe(named(phase))}<td>${safe(name)}`,
  );
  return `<!doctype html><html lang="${languageSpoken()}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${safe(title)}</title><style>${style}</style>
<h1>${safe(title)}</h1><p>${safe(madeWords(all))}</p>
${topList(all)}
<table>${rows.join("")}</table>
${accounts.map(oneAccount).join("\n")}
</html>
`;
}

function topList(all: Accounts): string {
  const items = topLines(all).map(
    ({ text, command }) => `<li>${safe(text)}${command === "" ? "" : ` → <code>${safe(command)}</code>`}`,
  );
  return items.length === 0 ? "" : `<ul>${items.join("")}</ul>`;
}

function oneAccount(account: Account): string {
  const { issue, title, phase, because, objective, criteria, decided, timeline, sessions, undo } = account;
  const undone = undoCommand(undo);
  const judged = criteria.map(({ text, evidence }) => {
    const shown = evidence.map((one) => `<li>${evidenceItem(one)}`).join("");
    return `<li>${safe(text)}<ul>${shown || `<li>${t`not judged`}`}</ul>`;
  });
  return `<h2 id="${safe(issue)}">${safe(issue)}: ${safe(title)}</h2>
<p>${phaseWords(account, { name: `<b>${safe(named(phase))}</b>`, because: safe(because) })}</p>
<h3>${t`Asked`}</h3><p>${safe(objective, 2_000) || t`The issue states no objective.`}</p>
<h3>${t`Evidence by criterion`}</h3><ol>${judged.join("")}</ol>
<h3>${t`Decided`}</h3>${momentsTable(decided)}
${undone === undefined ? "" : `<h3>${t`Undo`}</h3><pre>${safe(undone)}</pre>`}
<h3>${t`Sessions: context, cost`}</h3><table>${sessions.map(sessionRow).join("")}</table>
<details><summary>${t`Timeline: ${counted(timeline.length, "event")}`}</summary>${momentsTable(timeline)}</details>`;
}

/** The command is whole, with its lines: a person copies it. */
function evidenceItem(one: Criterion): string {
  const { result, place, rest } = evidenceParts(one);
  return t`${safe(result)}: ${`<code>${escaped(plain(place).trim())}</code>`}${safe(rest)}`;
}

function momentsTable(moments: readonly Moment[]): string {
  const rows = moments.map(
    ({ atMs, text, tone }) =>
      `<tr><td class="dim">${momentOf(atMs).slice(0, 16)}<td class="${tone}">${safe(text, 600)}`,
  );
  return `<table>${rows.join("")}</table>`;
}

/** A row with a bar for the share of its context that the session used. */
function sessionRow(session: SessionReport): string {
  const { contextTokens, windowTokens, costUsd, durationMs, reason } = session;
  const share = contextTokens === null || !windowTokens ? 0 : Math.min(1, contextTokens / windowTokens);
  const bar = `<svg width="120" height="10" role="img"><rect width="120" height="10" fill="#8884"/><rect width="${Math.round(share * 120)}" height="10" fill="#4a7ebb"/></svg>`;
  const cells = [
    String(session.session),
    t`${named(session.role)} by ${session.agent}`,
    named(reason ?? "running"),
    durationMs === null ? "" : seconds(durationMs),
    contextTokens === null ? "" : percent(contextTokens, windowTokens ?? undefined),
    costUsd === null ? "" : `$${costUsd.toFixed(2)}`,
  ];
  return `<tr>${cells.map((cell) => `<td>${safe(cell)}`).join("")}<td>${bar}`;
}

const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text on one line, without control and direction-changing characters, escaped for any place of the page. */
function safe(text: string, charsMax = 400): string {
  return escaped(plainLine(text, charsMax));
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => marks[mark]!);
}

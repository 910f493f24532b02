/** Accounts of relays as one HTML file that loads nothing, of the dashboard's parts: all foreign text is escaped, and no script may run. */
import { h } from "preact";
import type { JSX } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Account } from "../core/report/account.ts";
import { evidenceTable, plainPen } from "../core/report/dossier.ts";
import { counted } from "../core/language/counted.ts";
import { markdownTree } from "./page/markdown-tree.ts";
import { plainJson } from "../core/text/sanitize.ts";
import { headWords, madeWords, phaseWords, topLines, undoCommand } from "./account.ts";
import type { Accounts } from "./account.ts";
import { Evidence, section } from "./page/evidence.ts";
import type { RelayFacts, SessionFacts } from "./page/facts.ts";
import { Inline, Markdown } from "./page/markdown.ts";
import { Handoff, Moments, Sessions, Timeline } from "./page/relay.ts";
import { named } from "../core/language/names.ts";
import { languageSpoken, t } from "../core/language/translate.ts";
import { el } from "./page/el.ts";

/** What a page shows of a relay besides its account: the context of its sessions, by number, its handoffs, and `git diff --stat`. */
export type Beside = {
  contexts: ReadonlyMap<number, Pick<SessionFacts, "curve" | "marks">>;
  handoffs: readonly Omit<RelayFacts["handoffs"][number], "blocks">[];
  stat: string;
};

export function accountsPage(
  all: Accounts,
  { style = "", beside = new Map() }: { style?: string; beside?: ReadonlyMap<string, Beside> } = {},
): string {
  const safe = JSON.parse(plainJson(all)) as Accounts;
  const title = headWords(safe);
  const body = el(
    "main",
    el("h1", title),
    el("p", madeWords(safe)),
    h(TopList, { all: safe }),
    safe.accounts.length > 1 ? h(Contents, safe) : null,
    safe.accounts.map((account) => h(OneAccount, { account, beside: beside.get(account.issue) })),
  );
  return `<!doctype html>
<html lang="${languageSpoken()}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${renderToString(el("title", title))}<style>${style}</style></head>
<body>${renderToString(body)}</body></html>
`;
}

function TopList({ all }: { all: Accounts }): JSX.Element | null {
  const items = topLines(all);
  if (items.length === 0) return null;
  return el(
    "ul",
    items.map(({ text, command }) =>
      el("li", h(Inline, { text }), command === "" ? null : [" → ", el("code", command)]),
    ),
  );
}

function Contents({ accounts }: Pick<Accounts, "accounts">): JSX.Element {
  const rows = accounts.map(({ issue, phase, title }) =>
    el(
      "tr",
      el("td", h("a", { href: `#${issue}` }, issue)),
      el("td", named(phase)),
      el("td", h(Inline, { text: title })),
    ),
  );
  return el("table.contents", el("tbody", rows));
}

function OneAccount({ account, beside }: { account: Account; beside: Beside | undefined }): JSX.Element {
  const { issue, title, phase, because, objective, criteria, decided, timeline, openedAtMs, lastAtMs } =
    account;
  const undone = undoCommand(account.undo);
  const sessions = account.sessions.map((one) => ({
    ...one,
    ...(beside?.contexts.get(one.session) ?? { curve: [], marks: [] }),
  }));
  const handoffs = (beside?.handoffs ?? []).map(({ text, ...one }, at, { length }) =>
    h(Handoff, { ...one, blocks: markdownTree(text), open: at === length - 1 }),
  );
  const evidence = evidenceTable(
    criteria.map(({ text }) => text),
    criteria.flatMap((one) => one.evidence),
    plainPen,
  );
  const part = (name: string, of: JSX.Element | null): JSX.Element | null => of && section(name, of, 3);
  return el(
    "article",
    h("h2", { id: issue }, h(Inline, { text: `${issue}: ${title}` })),
    el("p", h(Inline, { text: phaseWords(account, { name: `**${named(phase)}**`, because }) })),
    part(
      t`Asked`,
      objective === ""
        ? el("p", t`The issue states no objective.`)
        : h(Markdown, { blocks: markdownTree(objective) }),
    ),
    part(t`Evidence by criterion`, h(Evidence, { evidence })),
    part(t`Changes`, beside?.stat ? h("pre", { class: "stat", tabIndex: 0 }, beside.stat) : null),
    part(t`Decided`, decided.length === 0 ? null : h(Moments, { moments: decided })),
    part(t`Undo`, undone === undefined ? null : el("pre", undone)),
    part(
      t`Sessions: context, cost`,
      sessions.length === 0
        ? null
        : el(
            "div",
            h(Timeline, { sessions, fromMs: openedAtMs, toMs: lastAtMs }),
            h(Sessions, { sessions, openedAtMs }),
          ),
    ),
    part(t`Handoffs`, handoffs.length === 0 ? null : el("div", handoffs)),
    el(
      "details",
      el("summary", t`Timeline: ${counted(timeline.length, "event")}`),
      h(Moments, { moments: timeline }),
    ),
  );
}

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
import { Evidence, Section } from "./page/evidence.ts";
import type { SessionFacts } from "./page/facts.ts";
import { Markdown } from "./page/markdown.ts";
import { Moments, Sessions, Timeline } from "./page/relay.ts";
import { named } from "../core/language/names.ts";
import { languageSpoken, t } from "../core/language/translate.ts";

/** What a page shows of a relay besides its account: the context of its sessions, by number, and `git diff --stat`. */
export type Beside = {
  contexts: ReadonlyMap<number, Pick<SessionFacts, "curve" | "marks">>;
  stat: string;
};

export function accountsPage(
  all: Accounts,
  { style = "", beside = new Map() }: { style?: string; beside?: ReadonlyMap<string, Beside> } = {},
): string {
  const safe = JSON.parse(plainJson(all)) as Accounts;
  const title = headWords(safe);
  const body = h(
    "main",
    null,
    h("h1", null, title),
    h("p", null, madeWords(safe)),
    h(TopList, { all: safe }),
    safe.accounts.length > 1 ? h(Contents, safe) : null,
    safe.accounts.map((account) => h(OneAccount, { account, beside: beside.get(account.issue) })),
  );
  return `<!doctype html>
<html lang="${languageSpoken()}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${renderToString(h("title", null, title))}<style>${style}</style></head>
<body>${renderToString(body)}</body></html>
`;
}

function TopList({ all }: { all: Accounts }): JSX.Element | null {
  const items = topLines(all);
  if (items.length === 0) return null;
  return h(
    "ul",
    null,
    items.map(({ text, command }) =>
      h("li", null, text, command === "" ? null : [" → ", h("code", null, command)]),
    ),
  );
}

function Contents({ accounts }: Pick<Accounts, "accounts">): JSX.Element {
  const rows = accounts.map(({ issue, phase, title }) =>
    h(
      "tr",
      null,
      h("td", null, h("a", { href: `#${issue}` }, issue)),
      h("td", null, named(phase)),
      h("td", null, title),
    ),
  );
  return h("table", { class: "contents" }, h("tbody", null, rows));
}

function OneAccount({ account, beside }: { account: Account; beside: Beside | undefined }): JSX.Element {
  const { issue, title, phase, because, objective, criteria, decided, timeline, openedAtMs, lastAtMs } =
    account;
  const undone = undoCommand(account.undo);
  const sessions = account.sessions.map((one) => ({
    ...one,
    ...(beside?.contexts.get(one.session) ?? { curve: [], marks: [] }),
  }));
  const evidence = evidenceTable(
    criteria.map(({ text }) => text),
    criteria.flatMap((one) => one.evidence),
    plainPen,
  );
  const part = (name: string, of: JSX.Element | null): JSX.Element | null =>
    of && h(Section, { title: name, level: 3 }, of);
  return h(
    "article",
    null,
    h("h2", { id: issue }, `${issue}: ${title}`),
    h("p", null, phaseWords(account, { name: named(phase), because })),
    part(
      t`Asked`,
      objective === ""
        ? h("p", null, t`The issue states no objective.`)
        : h(Markdown, { blocks: markdownTree(objective) }),
    ),
    part(t`Evidence by criterion`, h(Evidence, { evidence })),
    part(t`Changes`, beside?.stat ? h("pre", null, beside.stat) : null),
    part(t`Decided`, decided.length === 0 ? null : h(Moments, { moments: decided })),
    part(t`Undo`, undone === undefined ? null : h("pre", null, undone)),
    part(
      t`Sessions: context, cost`,
      sessions.length === 0
        ? null
        : h(
            "div",
            null,
            h(Timeline, { sessions, fromMs: openedAtMs, toMs: lastAtMs }),
            h(Sessions, { sessions, openedAtMs }),
          ),
    ),
    h(
      "details",
      null,
      h("summary", null, t`Timeline: ${counted(timeline.length, "event")}`),
      h(Moments, { moments: timeline }),
    ),
  );
}

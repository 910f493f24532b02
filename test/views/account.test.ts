/** Accounts of relays as Markdown: commands can be copied, and nothing that others wrote takes effect. */
import type { Nodes } from "mdast";
import { remark } from "remark";
import { expect, test } from "vitest";
import type { Account } from "../../src/core/report/account.ts";
import { accountsMarkdown } from "../../src/views/account.ts";
import { accountsPage } from "../../src/views/account-page.ts";

const accountWith = (command: string): Account => ({
  issue: "FEAT-0001",
  title: "Log in",
  phase: "done",
  because: "merged",
  openedAtMs: 0,
  lastAtMs: 0,
  objective: "",
  mergedAs: null,
  leftOn: null,
  decided: [],
  timeline: [],
  sessions: [],
  undo: null,
  criteria: [{ text: "It is there", evidence: [{ criterion: 1, result: "met", command, exitCode: 0 }] }],
  spent: { sessions: 0, costKnown: 0, costUsd: 0, durationMs: 0 },
});

/** The code of a document, and its other text. */
function partsOf(node: Nodes): { code: string[]; text: string[] } {
  if (node.type === "inlineCode" || node.type === "code") return { code: [node.value], text: [] };
  if ("value" in node) return { code: [], text: [node.value] };
  const inner = "children" in node ? node.children.map(partsOf) : [];
  return { code: inner.flatMap(({ code }) => code), text: inner.flatMap(({ text }) => text) };
}

test.for<[string]>([
  [`node -e 'console.log([1, 2] < 3 | 4)' # *x* _y_ @all ${"x".repeat(400)}`],
  ["echo `date` ``two``"],
  ["node - <<'END'\nconsole.log(`a`);\n\n# no heading\n- no item\nEND"],
  ["echo a\n```\n<b>@all</b>"],
])("a command is code, whole and as it was written: %j", ([command]) => {
  const page = accountsMarkdown({ accounts: [accountWith(command)], sinceMs: null, madeAtMs: 0 });
  const { code, text } = partsOf(remark().parse(page));
  expect(code).toEqual([command]);
  expect(text.join("")).not.toMatch(/@all|console|date/);
  expect(text.join("")).toContain("exit status 0");
});

test("so it is on the page of HTML", () => {
  const command = "node - <<'END'\nconsole.log(1 < 2);\nEND";
  const page = accountsPage({ accounts: [accountWith(command)], sinceMs: null, madeAtMs: 0 });
  expect(page).toContain("<code>node - &lt;&lt;'END'\nconsole.log(1 &lt; 2);\nEND</code>");
});

test("what needs the person has its command as code, too", () => {
  const needed = [{ name: "FEAT-0001", text: "waits for *you*", command: "monoco answer FEAT-0001 '…'" }];
  const page = accountsMarkdown({ accounts: [], sinceMs: null, madeAtMs: 0, top: { needed, unpushed: 2 } });
  expect(page).toContain(
    "- needs you: FEAT-0001 waits for \\*you\\* → `monoco answer FEAT-0001 '…'`\n- not pushed: 2 commits\n",
  );
});

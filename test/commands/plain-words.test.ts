/** What people read of relays in which anything happens: sentences, and no names of the code. */
import { expect, onTestFinished, test } from "vitest";
import { describeEvent } from "../../src/core/journal/events/records.ts";
import { speakTo } from "../../src/core/language/translate.ts";
import { replay } from "../../src/core/journal/state.ts";
import { overviewOf } from "../../src/core/overview/overview.ts";
import { accountOf } from "../../src/core/report/account.ts";
import { explain } from "../../src/core/report/explain.ts";
import { noticeOf } from "../../src/core/report/notice.ts";
import { reportOf } from "../../src/core/report/report.ts";
import { statsOf } from "../../src/core/report/stats.ts";
import { accountsPage } from "../../src/views/account-page.ts";
import { accountsMarkdown } from "../../src/views/account.ts";
import { explanationLines } from "../../src/views/explanation.ts";
import { renderInbox } from "../../src/views/inbox.ts";
import { statsLines } from "../../src/views/stats-table.ts";
import { renderStatus, renderStatuses, tellingOf } from "../../src/views/status.ts";
import { diceFrom, runToRest } from "../core/support/simulation.ts";
import type { Run } from "../core/support/simulation.ts";

const text =
  "---\nid: FEAT-0001\ntitle: Log in\nstatus: open\n---\n\n## Acceptance Criteria\n\n- [ ] it is there\n";

/** By view, what it prints of a run. */
function viewsOf({ events: ran, nowMs }: Run): Record<string, string> {
  const events = ran.map((event) =>
    event.type === "relay.opened" ? { ...event, contract: { ...event.contract, text } } : event,
  );
  const state = replay(events);
  const now = { runnerAlive: false, nowMs };
  const report = reportOf(state, now);
  const status = { ...tellingOf(state, now), current: null, stoppedRunner: null, journal: "journal.jsonl" };
  const overview = overviewOf({
    relays: [{ issue: report.issue, report, atMs: nowMs }],
    issues: [],
    unread: [],
    nowMs,
  });
  const account = accountOf(events, { state, now });
  const accounts = { accounts: [account ?? []].flat(), sinceMs: null, madeAtMs: 0 };
  return {
    log: events.map((event) => describeEvent(event)?.text ?? "").join("\n"),
    notices: events.map((event) => noticeOf("FEAT-0001", event)?.text ?? "").join("\n"),
    inbox: renderInbox(overview, new Map(), { width: 300, all: true }),
    status: renderStatus(status, nowMs),
    statuses: renderStatuses([status], true),
    explain: explain(events, nowMs).flatMap(explanationLines).join("\n"),
    stats: statsLines(statsOf([events])).join("\n"),
    report: accountsMarkdown(accounts),
    page: accountsPage(accounts).replaceAll(/<[^>]*>/g, ""),
  };
}

/** A name of the code, or a word for how monoco does it. */
const names = /(?<![\w.\\-])[a-z]+(?:\\?_[a-z]+)+(?![\w.])|\b(?:breaker|cool-down|probe)s?\b/g;

/** Settings are named as people write them. */
const ofSetting = /^ *setting .*|\(\w+\.\w+\)$/gm;

test("no view shows a rule, an ending or a part of monoco by its name in the code", () => {
  const found = new Map<string, string>();
  for (let seed = 0; seed < 200; seed += 1)
    for (const [view, printed] of Object.entries(viewsOf(runToRest(diceFrom(seed)))))
      for (const line of printed.replaceAll(ofSetting, "").split("\n"))
        for (const [name] of line.matchAll(names)) found.set(`${view}: ${name}`, line.trim().slice(0, 120));
  expect(Object.fromEntries(found)).toEqual({});
});

test("every view tells a time by the reader's clock, which is decades ahead here", () => {
  const ahead = 40 * 365 * 24 * 60;
  const clock = (minutes: number): void =>
    speakTo({ catalogue: () => undefined, minutesAhead: () => minutes });
  onTestFinished(() => clock(0));
  const seen = new Set<string>();
  const wrong = new Map<string, string>();
  for (let seed = 0; seed < 200; seed += 1) {
    const run = runToRest(diceFrom(seed));
    clock(ahead);
    for (const [view, printed] of Object.entries(viewsOf(run)))
      for (const line of printed.split("\n")) {
        if (/\b20[01]\d-\d\d-\d\d/.test(line)) seen.add(view);
        if (/\b19[67]\d-\d\d-\d\d/.test(line)) wrong.set(view, line.trim().slice(0, 120));
      }
    clock(0);
  }
  expect(Object.fromEntries(wrong)).toEqual({});
  expect([...seen].toSorted()).toEqual(["explain", "log", "notices", "page", "report"]);
});

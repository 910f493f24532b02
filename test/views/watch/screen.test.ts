/** The terminal view as lines: any terminal's size is filled and never exceeded, whatever others have written. */
import { expect, test } from "vitest";
import { overviewOf } from "../../../src/core/overview/overview.ts";
import type { Item } from "../../../src/core/overview/item.ts";
import { widthOf } from "../../../src/views/columns.ts";
import { newModel } from "../../../src/views/watch/model.ts";
import type { Model } from "../../../src/views/watch/model.ts";
import { detailPage, fleetPage, helpPage, reviewPage } from "../../../src/views/watch/pages.ts";
import { screenOf } from "../../../src/views/watch/screen.ts";
import type { Size } from "../../../src/views/watch/screen.ts";

const hostile = "提供\u001b[2J\u001b]0;owned\u0007 a\u202e\nport 端口";
const question = Array.from({ length: 200 }, (_, line) => `${line + 1}. ${hostile}`).join("\n");
const item: Item = {
  id: "FEAT-0001",
  title: hostile,
  kind: "question",
  group: "needs_you",
  why: { because: question, rule: "question" },
  hint: [[{ do: "answer" }]],
  priority: null,
  sinceMs: 0,
  untilMs: null,
  fresh: false,
  running: null,
  last: null,
  costUsd: 1,
  pullRequest: null,
};
const row = { key: "/r FEAT-0001", root: "/r", repository: hostile, item };
const overview = { ...overviewOf({ relays: [], issues: [], unread: [], nowMs: 0 }), items: [item] };

const sizes = [
  [10, 3],
  [20, 2],
  [40, 12],
  [80, 24],
  [150, 50],
] as const;

function screen(model: Partial<Model>, size: Size): string[] {
  const of = { item, detail: undefined, output: [{ is: "said", text: hostile } as const], nowMs: 60_000 };
  const pages = { list: () => [], help: helpPage, detail: detail, review: review, fleet };
  function detail(width: number): ReturnType<typeof helpPage> {
    return detailPage({ ...of, width });
  }
  function review(width: number): ReturnType<typeof helpPage> {
    return reviewPage({ ...of, width });
  }
  function fleet(width: number): ReturnType<typeof helpPage> {
    return fleetPage([hostile, question], width);
  }
  const shown = { ...newModel, chosen: row.key, ...model };
  return screenOf(
    {
      model: shown,
      overview,
      shown: Array.from({ length: 30 }, () => row),
      row,
      state: undefined,
      fleet: [hostile],
      lines: pages[shown.page](size.width),
      said: undefined,
      typing: model.asking && "> ",
      everywhere: true,
      nowMs: 60_000,
    },
    size,
  );
}

test.for<Partial<Model>>([
  {},
  { asking: "answer" },
  { asking: "filter", filter: hostile },
  { confirming: "stop" },
  { page: "detail" },
  { page: "detail", asking: "say", scroll: Infinity },
  { page: "review", confirming: "approve" },
  { page: "fleet" },
  { page: "help" },
])("%j", (model) => {
  for (const [width, height] of sizes) {
    const lines = screen(model, { width, height });
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    // eslint-disable-next-line no-control-regex
    expect(lines.join("\n")).not.toMatch(/[^\P{Cc}\n\u001b]|\u001b(?!\[\d+m)|\u202e|owned/u);
  }
});

test("a review that is not read yet is not said to be without a submission", () => {
  const shown = screen({ page: "review" }, { width: 80, height: 500 }).join("\n");
  expect(shown).toContain("\n…");
  expect(shown).not.toContain("nothing is submitted");
});

test("a question is shown whole on its page, and its begin while it is answered", () => {
  const page = screen({ page: "detail", scroll: 301 }, { width: 80, height: 200 });
  expect(page.join("\n")).toContain("200. 提供");
  const answering = screen({ asking: "answer" }, { width: 80, height: 24 });
  expect(answering.slice(-10).map((line) => line.slice(0, 30))).toMatchInlineSnapshot(`
    [
      "FEAT-0001  提供 a port 端口",
      "asks: 1. 提供 a port 端口 2. 提供 a ",
      "端口 5. 提供 a port 端口 6. 提供 a por",
      "端口 9. 提供 a port 端口 10. 提供 a po",
      "port 端口 13. 提供 a port 端口 14. 提",
      "提供 a port 端口 17. 提供 a port 端口 ",
      "20. 提供 a port 端口 21. 提供 a port",
      "端口 24. 提供 a port 端口 25. 提供 a p",
      "your answer (enter sends it, e",
      "> ",
    ]
  `);
});

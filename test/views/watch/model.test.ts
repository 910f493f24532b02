/** The terminal view's keys as rows: what each does, and an order that does not move under a finger. */
import { describe, expect, test } from "vitest";
import type { Item } from "../../../src/core/overview/item.ts";
import { arrange, begun, frozenMs, newModel, press, refused, typed } from "../../../src/views/watch/model.ts";
import type { Effect, Model } from "../../../src/views/watch/model.ts";
import { gauge } from "../../../src/views/watch/row.ts";
import type { Row } from "../../../src/views/watch/row.ts";

const row = (id: string, more: Partial<Item> = {}): Row => ({
  key: `/r ${id}`,
  root: "/r",
  repository: "r",
  item: {
    id,
    title: `Title of ${id}`,
    kind: "working",
    group: "working",
    why: { because: "why", rule: null },
    hint: [],
    priority: null,
    sinceMs: 1_000,
    untilMs: null,
    fresh: false,
    running: null,
    last: null,
    costUsd: null,
    pullRequest: null,
    ...more,
  },
});
const ids = (rows: readonly Row[]): string[] => rows.map(({ item }) => item.id);
const [one, two, three] = [row("FEAT-0001"), row("FEAT-0002"), row("FEAT-0003")];
const after = (model: Model, ...keys: string[]): [Model, Effect[]] => of(one, model, ...keys);
/** The same, about another row. */
const of = (about: Row, model: Model, ...keys: string[]): [Model, Effect[]] =>
  seeing(1, about, model, ...keys);
/** The same, while the page shows this submission. */
const seeing = (
  submission: number | undefined,
  { item }: Row,
  model: Model,
  ...keys: string[]
): [Model, Effect[]] =>
  keys.reduce<[Model, Effect[]]>(
    ([now], key) => press(now, key, { nowMs: 10_000, rows: 10, scrollMax: 50, item, submission }),
    [model, []],
  );
const listed = arrange(newModel, [one, two, three], 0).model;

describe("the order", () => {
  test("stays for three seconds after a key, takes in what is new at its end, and then follows the need again", () => {
    const [touched] = after(listed, "down");
    const urgent = row("FEAT-0009");
    const now = [urgent, three, one, two];
    const soon = arrange(touched, now, 10_000 + frozenMs - 1);
    expect(ids(soon.shown)).toEqual(["FEAT-0001", "FEAT-0002", "FEAT-0003", "FEAT-0009"]);
    const later = arrange(soon.model, now, 10_000 + frozenMs);
    expect(ids(later.shown)).toEqual(ids(now));
    expect(later.model.chosen).toBe(two.key);
  });

  test("a row that leaves gives its place to the next one", () => {
    const [chosen] = after(listed, "down");
    expect(arrange(chosen, [one, three], 99_999).model.chosen).toBe(three.key);
  });

  test.for([["enter"], ["v"], ["s"], ["x"], ["v", "y"], ["v", "n"]])(
    "after %j, what follows is about the same issue, even if it leaves the list",
    (keys) => {
      const [begun] = after(after(listed, "down")[0], ...keys);
      expect(arrange(begun, [one, three], 99_999).model.chosen).toBe(two.key);
      expect(arrange({ ...begun, section: "done" }, [one], 99_999).model.chosen).toBe(two.key);
    },
  );

  test("done is left out until it is asked for, and a filter takes each of its words", () => {
    const done = row("FEAT-0004", { kind: "merged", group: "done" });
    const rows = [one, two, done];
    expect(ids(arrange(newModel, rows, 0).shown)).toEqual(["FEAT-0001", "FEAT-0002"]);
    expect(ids(arrange({ ...newModel, section: "done" }, rows, 0).shown)).toEqual(["FEAT-0004"]);
    expect(ids(arrange({ ...newModel, filter: "title 0002" }, rows, 0).shown)).toEqual(["FEAT-0002"]);
  });
});

describe("keys", () => {
  test.for<[string[], Partial<Model>, Effect[]]>([
    [["enter"], { page: "detail" }, [{ do: "look" }]],
    [["enter", "escape"], { page: "list" }, []],
    [["v", "q"], { page: "detail" }, []],
    [["a"], { asking: undefined }, [{ do: "unasked" }]],
    [["s"], { asking: "say" }, [{ do: "ask" }]],
    [["d"], { page: "list" }, [{ do: "diff" }]],
    [["enter", "/"], { asking: "filter", page: "list" }, [{ do: "ask" }]],
    [["?"], { page: "help" }, []],
    [["f"], { page: "fleet" }, []],
    [["f", "escape"], { page: "list" }, []],
    [["f", "r"], { page: "fleet" }, []],
    [["f", "x"], { page: "fleet", confirming: undefined }, []],
    [["?", "r"], { page: "help" }, []],
    [["?", "?"], { page: "list" }, []],
    [["v", "escape", "escape"], { page: "list" }, []],
    [["1"], { section: "needs_you" }, []],
    [["2"], { section: "working" }, []],
    [["4"], { section: "not_begun" }, []],
    [["4", "0"], { section: "all" }, []],
    [["enter", "2"], { section: "working", page: "list" }, []],
    [["ctrl+z"], {}, [{ do: "suspend" }]],
    [["v", "ctrl+c"], {}, [{ do: "quit" }]],
    [["x"], { confirming: "stop" }, []],
    [["n"], { asking: undefined }, []],
    [["v", "n"], { asking: "changes" }, [{ do: "ask" }]],
    [["y"], { confirming: undefined }, []],
    [
      ["v", "y", "y"],
      { confirming: undefined },
      [{ do: "run", args: ["issue", "review", "FEAT-0001", "--approve", "--submission=1", "--detach"] }],
    ],
    [["x", "q"], { confirming: undefined }, []],
    [["x", "y"], { confirming: undefined }, [{ do: "run", args: ["stop", "FEAT-0001"] }]],
    [["r"], {}, [{ do: "run", args: ["resume", "FEAT-0001", "--detach"] }]],
    [["3"], { section: "done" }, []],
    [["3", "escape"], { section: "all" }, []],
    [["escape"], { page: "list" }, []],
    [["q"], {}, [{ do: "quit" }]],
    [["3", "q"], {}, [{ do: "quit" }]],
    [["down", "down", "down", "up"], { chosen: two.key }, []],
    [["G", "g"], { chosen: one.key }, []],
    [["enter", "G"], { scroll: Infinity }, []],
    [["enter", "G", "home"], { scroll: 0 }, []],
    [["enter", "G", "up"], { scroll: 49 }, []],
    [["enter", "down", "up", "up"], { scroll: 0 }, []],
  ])("%j", ([keys, model, effects]) => {
    const [came, does] = after(listed, ...keys);
    expect(came).toMatchObject(model);
    expect(does).toEqual(effects);
  });

  test("a answers a question, and r runs an issue that nothing has begun", () => {
    const asks = row("FEAT-0008", { kind: "question", group: "needs_you" });
    expect(of(asks, listed, "a")).toMatchObject([{ asking: "answer" }, [{ do: "ask" }]]);
    const ready = row("FEAT-0007", { kind: "ready", group: "not_begun", sinceMs: null });
    expect(of(ready, listed, "r")[1]).toEqual([{ do: "run", args: ["run", "FEAT-0007", "--detach"] }]);
  });

  test("a typed text becomes the command that a person would type, whatever it begins with", () => {
    const asking = (what: Model["asking"], text: string | undefined): Effect[] =>
      typed({ ...listed, asking: what }, text, "FEAT-0001")[1];
    expect(asking("answer", "--all")).toMatchObject([
      { do: "run", args: ["answer", "--", "FEAT-0001", "--all"] },
    ]);
    expect([asking("say", " "), asking("say", undefined), asking("filter", "x")]).toEqual([[], [], []]);
  });
});

describe("a verdict", () => {
  test("is about the submission that the person saw when they began it, whatever comes meanwhile", () => {
    const approving = seeing(1, one, listed, "v", "y")[0];
    expect(seeing(2, one, approving, "y")[1]).toMatchObject([
      { args: expect.arrayContaining(["--submission=1"]) as string[] },
    ]);
    expect(typed(seeing(1, one, listed, "v", "n")[0], "-x", "FEAT-0001")[1]).toMatchObject([
      { args: ["issue", "review", "FEAT-0001", "--request-changes", "--submission=1", "--message=-x"] },
    ]);
  });

  test.for([["y"], ["n"]])("is not begun by %s while no submission is shown", ([key]) => {
    const [came, does] = seeing(undefined, one, listed, "v", key!);
    expect([came.confirming, came.asking, does]).toEqual([undefined, undefined, []]);
  });
});

describe("a text that was not taken", () => {
  const [asking] = after(listed, "s");
  const [sent, [does]] = typed(asking, "Measure first.", "FEAT-0001");
  const draft = does?.do === "run" ? does.draft! : undefined!;

  test("is there again at once, also if its issue has left the list", () => {
    const [again, effects] = refused(sent, draft);
    expect([again.asking, begun(again), effects]).toEqual(["say", "Measure first.", [{ do: "ask" }]]);
    const [left] = typed(asking, "Measure first.", undefined);
    expect([left.asking, begun(left)]).toEqual(["say", "Measure first."]);
  });

  test("waits for the same question about the same issue, if the person does something else by now", () => {
    const [busy, effects] = refused(after(sent, "x")[0], draft);
    expect([busy.confirming, busy.asking, effects]).toEqual(["stop", undefined, []]);
    const [kept] = after(busy, "q");
    expect(begun(after(kept, "s")[0])).toBe("Measure first.");
    expect(begun(of(two, kept, "down", "s")[0])).toBe("");
    expect(begun(typed(after(kept, "s")[0], "Go on.", "FEAT-0001")[0])).toBe("");
  });
});

test("the gauge shows the context and its three marks, at any width, and never more than the window", () => {
  const running = (contextTokens: number | null): Parameters<typeof gauge>[0] => ({
    session: 1,
    role: "executor",
    agent: "a",
    startedAtMs: 0,
    elapsedMs: 0,
    limitMs: null,
    lastOutputMsAgo: null,
    contextTokens,
    windowTokens: 200_000,
    windowAssumed: false,
    contextMarks: [100_000, 120_000, 160_000],
    doing: null,
  });
  const drawn = (tokens: number | null): string =>
    gauge(running(tokens), 20)
      .map(([, text]) => text)
      .join("");
  expect([null, 0, 50_000, 130_000, 900_000].map(drawn)).toEqual([
    "                     ",
    " ----------|-|---|---",
    " ======----|-|---|---",
    " ==========|=|=--|---",
    " ==========|=|===|===",
  ]);
});

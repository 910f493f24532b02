/** What the terminal view shows and does at each key: a pure step, so that rows of a table test it. */
import type { Group, Item } from "../../core/overview/item.ts";
import type { Row } from "./row.ts";

/** What a typed text is for. */
export type Asking = "answer" | "say" | "changes" | "filter";

export type Page = "list" | "detail" | "review" | "fleet" | "help";

export type Model = {
  page: Page;
  /** The key of the chosen row. */
  chosen: string | undefined;
  section: Section;
  filter: string;
  asking: Asking | undefined;
  /** A key that waits for y or n. */
  confirming: "stop" | "approve" | undefined;
  /** The submission that the person saw at the last key: a verdict is about it. */
  submission: number | undefined;
  draft: Draft | undefined;
  /** The first line that a page shows; Infinity is its end. */
  scroll: number;
  /** The rows in the order of the screen. */
  order: readonly string[];
  /** The order does not change before this time. */
  frozenUntilMs: number;
};

/** A text that monoco did not take: the same question about the same issue begins with it. */
export type Draft = Pick<Model, "chosen"> & { asking: Asking; text: string };

export type Section = "all" | "needs_you" | "working" | "done" | "not_begun";

/** What the program has to do for a key, about the chosen row. */
export type Effect =
  | { do: "quit" | "suspend" | "ask" | "diff" | "look" | "unasked" }
  | { do: "run"; args: readonly string[]; draft?: Draft };

/** The order stays for this long after a key, ms: nothing moves away from under a finger. */
export const frozenMs = 3_000;

export const newModel: Model = {
  page: "list",
  chosen: undefined,
  section: "all",
  filter: "",
  asking: undefined,
  confirming: undefined,
  submission: undefined,
  draft: undefined,
  scroll: 0,
  order: [],
  frozenUntilMs: 0,
};

const groupsOf: Record<Section, readonly Group[]> = {
  all: ["needs_you", "working", "waiting", "not_begun"],
  needs_you: ["needs_you"],
  working: ["working", "waiting"],
  done: ["done"],
  not_begun: ["not_begun"],
};

/** The rows of the section that fit the filter, the most urgent first, except while the order is frozen. */
export function arrange(model: Model, rows: readonly Row[], nowMs: number): { model: Model; shown: Row[] } {
  const groups = groupsOf[model.section];
  const words = model.filter.toLowerCase().split(/\s+/);
  const fits = ({ item, repository }: Row): boolean => {
    const text =
      `${item.id} ${item.title} ${item.kind} ${item.last?.agent ?? ""} ${repository}`.toLowerCase();
    return groups.includes(item.group) && words.every((word) => text.includes(word));
  };
  const wanted = rows.filter(fits);
  // A clock that was set back freezes nothing.
  const isFrozen = nowMs < model.frozenUntilMs && model.frozenUntilMs - frozenMs <= nowMs;
  const place = new Map(model.order.map((key, index) => [key, index]));
  const placeOf = ({ key }: Row): number => place.get(key) ?? Infinity;
  const shown = isFrozen
    ? wanted.toSorted((one, other) => Math.sign(placeOf(one) - placeOf(other)) || 0)
    : wanted;
  const order = shown.map(({ key }) => key);
  // A row that has left the list leaves its place to the next one.
  const before = model.order.indexOf(model.chosen ?? "");
  const isThere = model.chosen !== undefined && order.includes(model.chosen);
  const chosen = isThere ? model.chosen : order[Math.min(Math.max(0, before), order.length - 1)];
  // A page, a question and a text stay with their issue.
  const isKept = isAbout(model.page) || model.asking || model.confirming;
  return { model: { ...model, order, chosen: isKept ? model.chosen : chosen }, shown };
}

/** Whether the page is about the chosen issue. */
export function isAbout(page: Page): boolean {
  return page === "detail" || page === "review";
}

const sections: Record<string, Section> = {
  "0": "all",
  "1": "needs_you",
  "2": "working",
  "3": "done",
  "4": "not_begun",
};

/** The model after a key, with what is to be done. */
export function press(before: Model, key: string, pressed: Pressed): [Model, Effect[]] {
  const { nowMs, item } = pressed;
  const model = { ...before, frozenUntilMs: nowMs + frozenMs };
  if (model.confirming) return confirmed(model, key, item?.id);
  if (key === "ctrl+c") return [model, [{ do: "quit" }]];
  if (key === "ctrl+z") return [model, [{ do: "suspend" }]];
  if (key === "?") return [{ ...model, page: model.page === "help" ? "list" : "help", scroll: 0 }, []];
  if (key === "f") return [{ ...model, page: "fleet", scroll: 0 }, []];
  const moved = move(model, key, pressed);
  if (moved) return [moved, []];
  if (key === "q" || key === "escape") return back(model, key);
  const section = sections[key];
  if (section) return [{ ...model, section, page: "list", scroll: 0 }, []];
  if (key === "/") return [{ ...model, asking: "filter", page: "list" }, [{ do: "ask" }]];
  // A page that shows no issue acts on none.
  if (model.page === "fleet" || model.page === "help") return [model, []];
  return item ? act({ ...model, submission: pressed.submission }, key, item) : [model, []];
}

export type Pressed = {
  nowMs: number;
  /** The height of a page, and the first line of its end. */
  rows: number;
  scrollMax: number;
  /** The issue of the chosen row. */
  item: Item | undefined;
  /** The submission that the page shows. */
  submission: number | undefined;
};

/** Leaves a page; from the list, escape leaves the filter and the section, and q the view. */
function back(model: Model, key: string): [Model, Effect[]] {
  if (model.page === "review") return [{ ...model, page: "detail", scroll: 0 }, []];
  if (model.page !== "list") return [{ ...model, page: "list", scroll: 0 }, []];
  return key === "q" ? [model, [{ do: "quit" }]] : [{ ...model, filter: "", section: "all" }, []];
}

const steps: Record<string, (rows: number) => number> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  pageUp: (rows) => -rows,
  pageDown: (rows) => rows,
  space: (rows) => rows,
  home: () => -Infinity,
  g: () => -Infinity,
  end: () => Infinity,
  "shift+g": () => Infinity,
  G: () => Infinity,
};

function move(model: Model, key: string, { rows, scrollMax }: Pressed): Model | undefined {
  const step = steps[key]?.(Math.max(1, rows - 1));
  if (step === undefined) return undefined;
  if (model.page !== "list") {
    const line = Math.min(model.scroll, scrollMax) + step;
    // The end is followed as it grows.
    return { ...model, scroll: step > 0 && line >= scrollMax ? Infinity : Math.max(0, line) };
  }
  const { order } = model;
  const at = Math.max(0, order.indexOf(model.chosen ?? ""));
  const to = Math.min(order.length - 1, Math.max(0, at + step));
  return { ...model, chosen: order[to] };
}

/** A key about the chosen issue. */
function act(model: Model, key: string, item: Item): [Model, Effect[]] {
  const look: Effect[] = [{ do: "look" }];
  const canJudge = model.page === "review" && model.submission !== undefined;
  switch (key) {
    case "enter":
    case "return":
      return [{ ...model, page: "detail", scroll: 0 }, look];
    case "v":
      return [{ ...model, page: "review", scroll: 0 }, look];
    case "a":
      if (item.kind !== "question") return [model, [{ do: "unasked" }]];
      return [{ ...model, asking: "answer" }, [{ do: "ask" }]];
    case "s":
      return [{ ...model, asking: "say" }, [{ do: "ask" }]];
    case "d":
      return [model, [{ do: "diff" }]];
    case "x":
      return [{ ...model, confirming: "stop" }, []];
    case "r":
      return [model, [{ do: "run", args: [item.sinceMs === null ? "run" : "resume", item.id, "--detach"] }]];
    case "y":
      return canJudge ? [{ ...model, confirming: "approve" }, []] : [model, []];
    case "n":
      return canJudge ? [{ ...model, asking: "changes" }, [{ do: "ask" }]] : [model, []];
    default:
      return [model, []];
  }
}

function confirmed(model: Model, key: string, id: string | undefined): [Model, Effect[]] {
  const after = { ...model, confirming: undefined };
  if (key !== "y" || id === undefined) return [after, []];
  const args =
    model.confirming === "stop"
      ? ["stop", id]
      : ["issue", "review", id, "--approve", `--submission=${model.submission}`, "--detach"];
  return [after, [{ do: "run", args }]];
}

/** The model after a text was typed, or given up (undefined). */
export function typed(model: Model, text: string | undefined, id: string | undefined): [Model, Effect[]] {
  const { asking, chosen, submission } = model;
  const after = { ...model, asking: undefined };
  if (asking === "filter") return [{ ...after, filter: text?.trim() ?? "" }, []];
  if (!asking || !text?.trim()) return [after, []];
  const draft = { asking, chosen, text };
  if (id === undefined) return refused(after, draft);
  const args =
    asking === "changes"
      ? ["issue", "review", id, "--request-changes", `--submission=${submission}`, `--message=${text}`]
      : [asking === "say" ? "say" : "answer", "--", id, text];
  return [{ ...after, draft: undefined }, [{ do: "run", args, draft }]];
}

/** The model after monoco did not take a text: it is there again, at once unless the person does something else by now. */
export function refused(model: Model, draft: Draft): [Model, Effect[]] {
  const isBusy = model.asking || model.confirming || model.chosen !== draft.chosen;
  return isBusy ? [{ ...model, draft }, []] : [{ ...model, draft, asking: draft.asking }, [{ do: "ask" }]];
}

/** What the line to type in begins with. */
export function begun({ asking, chosen, draft, filter }: Model): string {
  if (asking === "filter") return filter;
  return draft?.asking === asking && draft?.chosen === chosen ? (draft?.text ?? "") : "";
}

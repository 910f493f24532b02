/** Which issue a free slot begins, as what came of the others, people and the time go. */
import { describe, expect, test } from "vitest";
import { begin, look, newQueue, next, put, wantsSlot } from "../../../src/core/backlog/queue.ts";
import type { Planned, Queue, Standing, Wait } from "../../../src/core/backlog/queue.ts";
import type { Work } from "../../../src/core/backlog/backlog.ts";
import type { Word } from "../../../src/core/backlog/word.ts";

const work = (id: string, needs: string[] = [], stands: Work["stands"] = "open"): Work => ({
  id,
  needs,
  stands,
});
const plan = (works: Work[], more: Partial<Planned> = {}): Planned => ({
  works,
  blobOf: () => "blob",
  asked: works.map(({ id }) => id),
  refused: [],
  ...more,
});
const queue = (planned: Planned, standing: Record<string, Standing> = {}): Queue =>
  Object.entries(standing).reduce((before, [id, now]) => put(before, id, now), newQueue(planned));
const back = (wait: Wait): Standing => ({ is: "back", wait });
const [A, B] = [work("A"), work("B")];

describe("a free slot", () => {
  test.for<[string, Queue, ReturnType<typeof next>]>([
    ["begins what can be begun", queue(plan([A, B]), { A: { is: "running" } }), { start: "B" }],
    [
      "begins a relay whose wait is over before anything new",
      queue(plan([A, B]), { B: back({ untilMs: 10 }) }),
      { start: "B" },
    ],
    [
      "begins a new issue while a relay waits",
      queue(plan([A, B]), { B: back({ untilMs: 20 }) }),
      { start: "A" },
    ],
    [
      "begins the first of those that wait, where nothing else is left",
      queue(plan([A, B]), { A: back({ untilMs: 30 }), B: back({ untilMs: 20 }) }),
      { start: "B" },
    ],
    [
      "waits for a relay that another process holds",
      queue(plan([A]), { A: back({ untilMs: 20, held: true }) }),
      { wait: true },
    ],
    [
      "begins nothing new as long as no session can start",
      queue(plan([A, B]), { A: back({ untilMs: 20, held: true, unbegun: true }) }),
      { wait: true },
    ],
    [
      "begins what a person has dealt with all the same",
      queue(plan([A, B]), { A: back({ untilMs: 20, held: true, unbegun: true }), B: { is: "asked" } }),
      { start: "B" },
    ],
    [
      "waits for what runs, though the base has it already",
      queue(plan([work("A", [], "done"), work("B", ["A"])]), { A: { is: "running" } }),
      { wait: true },
    ],
    [
      "never begins what needs an issue that is not part of the run",
      queue(plan([A, work("B", ["A"])], { asked: ["B"] })),
      { blocked: [{ id: "B", by: ["A"] }] },
    ],
    [
      "never begins what needs an issue that cannot be begun",
      queue(plan([A, work("B", ["A"])], { refused: [{ id: "A" }] })),
      { blocked: [{ id: "B", by: ["A"] }] },
    ],
    ["has nothing to do where all that is left rests", newQueue(plan([A]), ["A"]), { blocked: [] }],
  ])("%s", ([, of, step]) => {
    expect(next(of, 10)).toEqual(step);
  });

  test("is wanted by a relay that waits only where something else can go on", () => {
    const waits = queue(plan([A]), { A: back({ untilMs: 20 }) });
    expect([wantsSlot(waits, 10), wantsSlot(waits, 20)]).toEqual([false, true]);
    expect(wantsSlot(queue(plan([A, B]), { A: back({ untilMs: 20 }) }), 10)).toBe(true);
  });
});

describe("an issue that is begun", () => {
  test.for<[string, Standing | undefined, Word | undefined, "back" | "asked" | undefined]>([
    ["is new", undefined, undefined, undefined],
    ["comes back from its wait", back({ untilMs: 0 }), undefined, "back"],
    ["was dealt with by a person", { is: "asked" }, { seq: 7, resumed: false }, "asked"],
    [
      "has got its answer from who held it",
      back({ untilMs: 0, held: true }),
      { seq: 7, resumed: false },
      "asked",
    ],
    [
      "goes on where it was resumed elsewhere",
      back({ untilMs: 0, held: true }),
      { seq: 7, resumed: true },
      "back",
    ],
  ])("%s", ([, standing, word, again]) => {
    const [after, taken] = begin(queue(plan([A]), standing ? { A: standing } : {}), "A", word);
    expect(taken).toEqual({ id: "A", ...(again && { again }) });
    expect(after.standing.get("A")).toEqual({ is: "running" });
    expect(after.heard.get("A")).toBe(again === "back" ? undefined : (word?.seq ?? 0));
  });
});

describe("a look at the base and the journals", () => {
  const seen = (words: Record<string, Word> = {}, blob = "blob"): Parameters<typeof look>[1] => ({
    plan: plan([A], { blobOf: () => blob }),
    wordOf: new Map(Object.entries(words)),
    nowMs: 10,
  });
  const after = (standing: Standing, found: Parameters<typeof look>[1], heard = 0): Standing | undefined => {
    const before = { ...queue(plan([A]), { A: standing }), heard: new Map([["A", heard]]) };
    return look(before, found).standing.get("A");
  };
  const answer: Word = { seq: 7, resumed: false };

  test("begins an issue that was refused once its file says something else", () => {
    const refused: Standing = { is: "refused", blob: "blob" };
    expect(after(refused, seen())).toEqual(refused);
    expect(after(refused, seen({}, "other"))).toBeUndefined();
  });

  test("lets a relay that rests go on by a word of a person's, once", () => {
    expect(after({ is: "rests" }, seen())).toEqual({ is: "rests" });
    expect(after({ is: "rests" }, seen({ A: answer }))).toEqual({ is: "asked" });
    expect(after({ is: "rests" }, seen({ A: answer }), 7)).toEqual({ is: "rests" });
    expect(after({ is: "failed" }, seen({ A: answer }))).toEqual({ is: "failed" });
  });

  test("takes an issue that another process holds for done once the base has it, and one that runs here not", () => {
    const has = { ...seen(), plan: plan([work("A", [], "done"), work("B", ["A"])]) };
    const held = { untilMs: 20, held: true };
    expect(after(back(held), has)).toEqual({ is: "done" });
    expect(next(look(queue(plan([A, B]), { A: back(held) }), has), 10)).toEqual({ start: "B" });
    expect(after(back(held), seen())).toEqual(back(held));
    expect(after(back({ untilMs: 20 }), has)).toEqual(back({ untilMs: 20 }));
    expect(after({ is: "running" }, has)).toEqual({ is: "running" });
  });

  test("waits for a relay that was resumed elsewhere", () => {
    const wait = { untilMs: 10, held: true };
    expect(after({ is: "rests" }, seen({ A: { ...answer, resumed: true } }))).toEqual({ is: "back", wait });
  });
});

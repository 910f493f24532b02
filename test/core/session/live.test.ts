import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseLive, stopReasonNow } from "../../../src/core/session/live.ts";
import type { Live } from "../../../src/core/session/live.ts";

const live: Live = {
  v: 1,
  issue: "FEAT-0001",
  title: "Log in",
  session: 3,
  role: "executor",
  language: "en",
  workspace: "/work",
  base: "main",
  branch: "monoco/FEAT-0001",
  contractPath: "issues/FEAT-0001.md",
  checks: ["npm test"],
  checkMinutes: 10,
  handoffGiven: "",
  startedAtMs: 0,
  deadlineMs: 1,
  sessionMinutes: 30,
  toolCalls: 0,
  verdictBySchema: true,
  stopBlocksMax: 8,
};

test("what the runner writes is read", () => expect(parseLive(JSON.stringify(live))).toEqual(live));

// A hook fails open
test.for([
  [""],
  ["{"],
  ["null"],
  ["[]"],
  ["3"],
  ['"live"'],
  ["{}"],
  [JSON.stringify({ ...live, v: 2 })],
  [JSON.stringify({ ...live, issue: 1 })],
  [JSON.stringify({ ...live, workspace: undefined })],
])("%j is nothing", ([text]) => expect(parseLive(text!)).toBeUndefined());

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseLive(text)));
});

test.for<[string, Partial<Live>, string]>([
  ["its own choice, at 1 % of its context", { contextTokens: 2_000, windowTokens: 200_000 }, "handed_over"],
  ["its own choice, at its first mark", { plan: "context at 61 %" }, "handed_over"],
  ["the mark that ends it", { wrapUp: "1 minute is left", wrapUpReason: "timeout" }, "timeout"],
])("a handoff is prefilled with why the session stops: %s", ([, more, reason]) => {
  expect(stopReasonNow({ ...live, ...more })).toBe(reason);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseLive } from "../../src/core/live.ts";
import type { Live } from "../../src/core/live.ts";

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

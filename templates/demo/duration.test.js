import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "./duration.js";

test("hours, minutes and seconds add up", () => {
  assert.equal(parseDuration("1h30m"), 5400);
  assert.equal(parseDuration("45s"), 45);
});

import { expect, test } from "vitest";
import { z } from "zod";
import { wordsOf } from "../../../src/core/error/error.ts";

test("what a validator refuses is told as a place and a sentence, not as JSON", () => {
  const { error } = z.object({ state: z.enum(["OPEN", "CLOSED"]) }).safeParse({ state: "RED" });
  expect(wordsOf(error)).toBe('state: Invalid option: expected one of "OPEN"|"CLOSED"');
  expect(wordsOf(new Error("gh is gone"))).toBe("gh is gone");
  expect(wordsOf("gone")).toBe("gone");
});

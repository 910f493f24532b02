import { describe, expect, test } from "vitest";
import { refusalIn } from "../../../src/core/session/limit-phrases.ts";
import { limitWordings } from "../../../scripts/wordings.ts";

// TRAP 14, TRAP 15: the wordings that were once missed; all others are counted in wordings.test.ts
test.for(limitWordings().filter(({ quoted }) => quoted))(
  "a failed result that says $text means $means",
  ({ text, means }) => expect(refusalIn(text) ?? "neither").toBe(means),
);

test.for([
  "Server is temporarily limiting requests (not your usage limit) · usage limit reached elsewhere",
  "Request rejected (429) · This request would exceed the rate limit for your organization",
  "Prompt is too long",
  "disk quota exceeded",
  "Output token limit hit",
  "the rate limit of the API that this issue is about was exceeded",
  "MCP server github: 401 Unauthorized",
  "",
])("%s is neither a limit nor for a person", (words) => expect(refusalIn(words)).toBeUndefined());

describe("a message that sends for a person", () => {
  test.for<[string, "limit" | "person"]>([
    ["Quota exceeded. Check your plan and billing details.", "person"],
    ["Quota exceeded. Check your plan and billing details. Please retry in 40s.", "limit"],
    ["You've hit your usage limit. Purchase more credits or try again at 3:04 PM.", "limit"],
  ])("%s: %s", ([words, refusal]) => expect(refusalIn(words)).toBe(refusal));
});

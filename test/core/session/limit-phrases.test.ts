import { describe, expect, test } from "vitest";
import { refusalIn } from "../../../src/core/session/limit-phrases.ts";

// TRAP 14, TRAP 15
test.for<[string, "limit" | "person"]>([
  ["You're out of extra usage · resets 3am (Europe/Berlin)", "limit"],
  ["You've hit your org's monthly usage limit", "limit"],
  ["You have exhausted your daily quota on this model.", "limit"],
  ["Credit balance is too low", "person"],
  ["Please run /login", "person"],
  ["OAuth token has expired", "person"],
  ['{"error":{"code":"insufficient_quota"}}', "person"],
])("a failed result that says %s means %s", ([text, means]) => expect(refusalIn(text)).toBe(means));

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

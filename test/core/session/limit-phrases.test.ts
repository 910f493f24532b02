import { describe, expect, test } from "vitest";
import { refusalIn } from "../../../src/core/session/limit-phrases.ts";

// TRAP 15
test.for([
  "The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.",
  "Could not load credentials from any providers",
  "Profile work could not be found in shared credentials file.",
  "Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication/getting-started for more information.",
  '{"error":"invalid_grant","error_description":"reauth related error (invalid_rapt)"}',
  "Please run 'az login' from a command prompt to authenticate before using this credential.",
  "ChainedTokenCredential authentication failed.",
  "Error getting API key from apiKeyHelper (in settings or ~/.claude.json): apiKeyHelper did not return a valid value",
  "provider auth command `print-token` exited with status exit status: 1: no token",
  'bad file reference: "{file:~/.secrets/key}" /home/p/.secrets/key does not exist',
  "AWS SigV4 authentication requires AWS credentials. Please provide either: 1. Set AWS_ACCESS_KEY_ID",
])("a login outside the CLI's own folder is for a person: %s", (words) =>
  expect(refusalIn(words)).toBe("person"),
);

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
  "could not load the module ./token.js",
  "unable to find the file credits.txt",
  "",
])("%s is neither a limit nor for a person", (words) => expect(refusalIn(words)).toBeUndefined());

describe("a message that sends for a person", () => {
  test.for<[string, "limit" | "person"]>([
    ["Quota exceeded. Check your plan and billing details.", "person"],
    ["Quota exceeded. Check your plan and billing details. Please retry in 40s.", "limit"],
    ["You've hit your usage limit. Purchase more credits or try again at 3:04 PM.", "limit"],
  ])("%s: %s", ([words, refusal]) => expect(refusalIn(words)).toBe(refusal));
});

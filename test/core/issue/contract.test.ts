import { describe, expect, test } from "vitest";
import { contractChanges } from "../../../src/core/issue/contract.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import { english, file } from "../support/issues.ts";

describe("the contract", () => {
  const contract = parseIssue(english, file);
  test.for<[string, string, string, string[]]>([
    ["a tick", "- [ ] A wrong", "- [x] A wrong", []],
    ["a new line break in the objective", "By password.", "By\npassword.", []],
    ["a split task", "1. [/] Write it", "1. [x] Half\n2. [ ] Other half", []],
    ["the objective", "By password.", "By nothing.", ["objective"]],
    ["a criterion", "is refused", "is accepted", ["criteria"]],
    ["a criterion that is gone", "- [~] Tokens\n  expire\n", "", ["criteria"]],
    ["a criterion that is called off", "- [ ] A wrong", "- [~] A wrong", ["criteria"]],
    ["checks and title", "title: Log in\n", "title: Log out\n", ["title"]],
    ["the checks", "npm test", '"true"', ["checks"]],
  ])("%s", ([, from, to, expected]) => {
    expect(contractChanges(contract, parseIssue(english.replace(from, to), file))).toEqual(expected);
  });
});

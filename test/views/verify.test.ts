/** What `monoco verify` prints of a record and what was seen of it. */
import { expect, test } from "vitest";
import type { Verified } from "../../src/core/attest/verified.ts";
import { renderVerified } from "../../src/views/proof/verify.ts";

const landing = {
  issue: "FEAT-0001",
  executors: [],
  reviewer: { by: "person" },
  sandbox: { containment: "bwrap", network: "open" },
};
const predicate = { title: "Write a file", landing, findings: [], monoco: "0.1.0" };
const lines = [{ criterion: 1, statement: "it is said", evidence: "", claimed: {}, seen: {}, is: "claimed" }];

/** The lines of a record without any difference, besides what is given. */
function shown(more: object): string[] {
  const whole = { commit: "c".repeat(40), is: "holds", signature: { is: "unsigned" }, comparisons: [] };
  return renderVerified({ ...whole, predicate, lines: [], failed: [], ...more } as unknown as Verified).split(
    "\n",
  );
}

test.for<[string, string]>([
  ["met", "1. it is said"],
  ["not_met", "1. it is said; judged not met"],
  ["not_verifiable", "1. it is said; judged not verifiable"],
])("what a Reviewer judged %s is read, also where a person approved", ([result, words]) => {
  expect(shown({ lines: [{ ...lines[0], result }] })).toContain(`  claimed   ${words}`);
});

test.for<[string, string | undefined, string]>([
  ["that ran", undefined, "it holds"],
  ["that were not run", "untrusted", "what was compared holds"],
])("the end says no more than was seen of commands %s", ([, unrun, end]) => {
  expect(shown({ unrun }).slice(-2)).toEqual([`  ${end}`, ""]);
});

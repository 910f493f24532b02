/** What `monoco verify` prints of a record and what was seen of it. */
import { expect, onTestFinished, test } from "vitest";
import type { Verified } from "../../src/core/attest/verified.ts";
import { speakTo } from "../../src/core/language/translate.ts";
import { catalogue } from "../../src/views/zh/catalogue.ts";
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

const said = (more: object): string[] => shown({ predicate: { ...predicate, ...more } });

test("it counts in words, and leaves out what nothing was tried of", () => {
  const listed = { protected: ["a"], weakened: [], answers: [] };
  const lines = said({ listed, tests: { takeBack: { changes: [] } } });
  expect(lines.slice(2, -2)).toEqual([
    "  claimed   made by a person, approved by a person; sandbox: bwrap, network: open; monoco 0.1.0",
    "  claimed   findings: 0 resolved, 0 overruled, 0 open; 1 place listed, 0 answered",
  ]);
  expect(said({ tests: { takeBack: { changes: [{ result: "guarded" }] } } })).toContain(
    "  claimed   tests put to the test: checks guard 1 of 1 change",
  );
});

test.for<[string, string[], string]>([
  ["claimed", ["- node --test"], "other commands ran as set-up and checks (+) than those of"],
  ["same", [], "set-up and checks are those of"],
  ["differs", ["node --test"], "checks of the contract are missing: node --test"],
])("commands that are %s are told so", ([is, what, words]) => {
  expect(shown({ comparisons: [{ of: "commands", is, what }] }).join("\n")).toContain(words);
});

test("in Chinese it lists with Chinese marks", () => {
  speakTo({ catalogue: () => catalogue, minutesAhead: () => 0 });
  onTestFinished(() => speakTo({ catalogue: () => undefined, minutesAhead: () => 0 }));
  const run = { ...lines[0], result: "not_met", claimed: { merge: 0, base: 1 } };
  const comparisons = [{ of: "content", is: "differs", what: ["a.txt", "b.txt"] }];
  const text = shown({ comparisons, lines: [run] });
  expect(text).toContain("  不一致    它的树不是提交物与基线的合并：a.txt，b.txt");
  expect(text).toContain("  声称      1. it is said；判定：不满足；声称 合并上 0，基线上 1");
});

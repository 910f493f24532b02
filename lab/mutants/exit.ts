/** Whether a session's work is done: the rows of the truth table, a limit that has passed, and the figures. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const detection = mutantsOf("src/core/exit/detection.ts", "test/core/exit/detection.test.ts", [
  [
    "a contradiction that nobody answers for is a no",
    "if (!closing && contradiction !== undefined) return no(",
    "if (false) return no(",
  ],
  ["a closing answer overrules a contradiction", "if (!closing && contradiction", "if (contradiction"],
  ["a contradiction is asked about", "block?.contradiction !== undefined || ticked", "ticked"],
  ["a structured no is not asked", "if (block?.exitSignal === false) return false;", ""],
  ["open boxes are asked about", 'ticked(boxes) !== "all" || !willBeChecked', "!willBeChecked"],
  ["full boxes without checks are asked about", " || !willBeChecked;", ";"],
  ["a structured no wins", 'if (exitSignal === false) return no({ rule: "exit_denied" });', ""],
  ["red checks are a no", 'if (facts.checks === "failed") return no(', "if (false) return no("],
  ["a loop is done by its promise", "if (policy.promise !== undefined)", "if (false)"],
  ["the closing question's no", "if (closing && !closesDone(closing)) return no(", "if (false) return no("],
  ["hard facts decide alone", 'if (boxes === "all" && facts.checks', "if (false && facts.checks"],
  ["hard facts need green checks", 'facts.checks === "passed" && facts.changed', "facts.changed"],
  ["hard facts need a change", " && facts.changed > 0)", ")"],
  ["boxes left open are a no", 'if (boxes === "some") return no(', "if (false) return no("],
  ["a structured yes", "if (exitSignal === true && indicators >= indicatorsMin) return yes(signal);", ""],
  [
    "a structured yes needs indicators",
    "exitSignal === true && indicators >= indicatorsMin) return yes",
    "exitSignal === true) return yes",
  ],
  ["a promise is a yes", "if (promise) return yes(", "if (false) return yes("],
  [
    "a refusal that has gone is a yes",
    "if (refusalGone !== undefined) return yes(",
    "if (false) return yes(",
  ],
  ["the closing question's yes", "if (closing) return yes(", "if (false) return yes("],
  ["the vote needs its threshold", "if (total >= policy.threshold) return yes(vote);", "return yes(vote);"],
  ["the vote decides where it reaches its threshold", "if (total >= policy.threshold) return yes(vote);", ""],
  ["a session that is not done clears the streak", "values.lastIndexOf(false)", "-1"],
]);

const closing = mutantsOf("src/core/exit/closing.ts", "test/core/exit/detection.test.ts", [
  ["done with work left is not done", "return done && remaining.length === 0 &&", "return done &&"],
  ["done and blocked is not done", "&& blockedBy === undefined", ""],
]);

const block = mutantsOf("src/core/exit/status-block.ts", "test/core/exit/status-block.test.ts", [
  ["a no without a block is a no", "no > (blocks[whole]?.at ?? -1)", "false"],
  ["a form with a yes in it is no no", "\\b(?:true|or|else)", "\\b(?:or|else)"],
  ["what is left contradicts a yes", "REMAINING: (value) => !isNothing(value),", ""],
  ["the last whole block counts", "blocks.findLastIndex(", "blocks.findIndex("],
]);

const limits = mutantsOf("src/core/journal/account.ts", "test/core/relay/decide.test.ts", [
  ["a usage limit that names a time gone by backs off", " ** Math.max(now.inARow - 2, 0)", ""],
  ["its back-off ends at an hour", ", backoffSecondsMax * 1000);", ", Infinity);"],
  ["a usage limit that comes again waits a minute", "now.inARow > 1 || namedMs <= 0", "namedMs <= 0"],
]);

export const exit: readonly Mutant[] = [...detection, ...closing, ...block, ...limits];

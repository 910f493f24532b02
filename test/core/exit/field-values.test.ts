import { describe, expect, test } from "vitest";
import { questionOf } from "../../../src/core/exit/field-values.ts";

// TRAP 21
describe("a value that is no question", () => {
  // oxfmt-ignore
  test.for([
    "None at this time", "No questions", "(none)", "—", "Nothing", "无问题", "没有问题", "暂无", "Keine", "n/a", "nil",
    "", "0", "- none", "`None.`", "Not applicable", "ninguna", "なし", "없음", "нет", "None that block this phase",
    "what a person has to decide before anybody can go on, else none",
  ])("%s", (value) => expect(questionOf(value)).toBeUndefined());
});

test.for([
  "Shall it be `8080`, or don't you mind?",
  "用哪个端口？",
  "None of the two adapters fits; which one is to be extended",
  "none blocking. One judgement call: go on, or stop here?",
  "Nonetheless: which port",
  "Naming of the flag",
  "the port of the server",
])("a question is told word for word: %s", (value) => expect(questionOf(value)).toBe(value));

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closingQuestion, questionOf } from "../../../src/core/exit/question-phrases.ts";

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

describe("last words that ask", () => {
  test.for([
    ["I looked at both.\n\nShould the port be 80 or 8080?", "Should the port be 80 or 8080?"],
    ["Which one?\n\n- A: Redis\n- B: SQLite", "Which one?\n\n- A: Redis\n- B: SQLite"],
    [
      "Which one?\n\n1. Redis\n2. SQLite\n\nLet me know!",
      "Which one?\n\n1. Redis\n2. SQLite\n\nLet me know!",
    ],
    ["**Shall I go ahead?** 🚀", "**Shall I go ahead?** 🚀"],
    ["Please tell me which database to use.", "Please tell me which database to use."],
    ["I need your decision on the port.", "I need your decision on the port."],
    ["读完了代码。\n\n请确认使用哪个端口。", "请确认使用哪个端口。"],
  ])("%s", ([answer, question]) => expect(closingQuestion(answer!)).toBe(question));

  test.for([
    ["Should it be 80? I took 8080.\n\nThe server listens."],
    ["Is it broken? No, it is fine."],
    ["Is there anything else you would like?"],
    ["Let me know if you have any questions."],
    ["> Which port?"],
    ["```\nWhich port?\n```"],
    ["Done."],
    [""],
  ])("do not: %s", ([answer]) => expect(closingQuestion(answer!)).toBeUndefined());

  test("no answer makes it throw, and a flood takes no time", () => {
    fc.assert(fc.property(fc.string(), (answer) => void closingQuestion(answer)));
    for (const part of ["? ", "could you ", "- a\n", "\n\n", "which one ", "let me know "]) {
      closingQuestion(part.repeat(1_000_000 / part.length));
      questionOf(part.repeat(1_000_000 / part.length));
    }
  });
});

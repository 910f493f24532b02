import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findStatusBlock } from "../../../src/core/exit/status-block.ts";
import { runs } from "../../support/runs.ts";

const lines = (signal: string, more = "STATUS: complete"): string =>
  `Some words.\n\nRALPH_STATUS:\n${more}\nTESTS_STATUS: passing\nEXIT_SIGNAL: ${signal}\n`;

// TRAP 16
describe("EXIT_SIGNAL is read", () => {
  test.for<[string, string, boolean | undefined | "none"]>([
    ["from lines", lines("true"), true],
    ["whatever its case", lines("TRUE"), true],
    ["false", lines("false"), false],
    ["from a fence", `${lines("true").replace("RALPH_STATUS", "```\nRALPH_STATUS")}\`\`\`\n`, true],
    ["from a bold heading", lines("true").replace("RALPH_STATUS:", "**RALPH_STATUS:**"), true],
    ["from a heading", lines("true").replace("RALPH_STATUS:", "## RALPH_STATUS"), true],
    [
      "from dashes around",
      "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n",
      true,
    ],
    [
      "from JSON",
      'RALPH_STATUS:\n{\n  "progress": 100,\n  "EXIT_SIGNAL": true,\n  "notes": "All core features {a}"\n}',
      true,
    ],
    ["from JSON on one line", 'RALPH_STATUS: {"EXIT_SIGNAL": false, "notes": "a: b"}', false],
    ["from a whole object", '{"RALPH_STATUS": {"EXIT_SIGNAL": true}}', true],
    ["from YAML", "RALPH_STATUS:\n  STATUS: complete\n  EXIT_SIGNAL: true\n", true],
    ["from a list", "RALPH_STATUS:\n- STATUS: complete\n- EXIT_SIGNAL: true\n", true],
    ["with lower-case keys", "RALPH_STATUS:\nstatus: complete\nexit_signal: true\n", true],
    ["in Chinese", "RALPH_STATUS:\nSTATUS: 完成\nEXIT_SIGNAL: 是\n", true],
    ["the last of two", `${lines("true")}\n${lines("false")}`, false],
    [
      "the last whole one, when the last is torn",
      `${lines("true")}\nRALPH_STATUS:\nSTATUS: complete\nTESTS_`,
      true,
    ],
    ["whatever the case of the heading", lines("true").replace("RALPH_STATUS", "ralph_status"), true],
    ["with its reason", lines("true (all criteria met)"), true],
    ["with what is not left", lines("true (no open items)"), true],
    ["with its cause", lines("true, because every criterion is met"), true],
    ["as not filled in, with a condition", lines("true (once the tests pass)"), undefined],
    ["as not filled in, with a slash", lines("true/false"), undefined],
    ["with a tick beside it", lines("true ✅", "STATUS: complete ✅"), true],
    ["from JSON in a fence", 'RALPH_STATUS:\n```json\n{"EXIT_SIGNAL": true}\n```', true],
    ["as false, where it stands there twice", `RALPH_STATUS:\nEXIT_SIGNAL: true\nEXIT_SIGNAL: false`, false],
    [
      "as it is, where it stands there twice alike",
      `RALPH_STATUS:\nEXIT_SIGNAL: true\nEXIT_SIGNAL: true`,
      true,
    ],
    ["as not filled in", lines("true | false"), undefined],
    [
      "as not filled in, from the prompt",
      lines("true only if every criterion is met, else false"),
      undefined,
    ],
    ["not from prose", "I will set RALPH_STATUS: EXIT_SIGNAL: true when all is done.", "none"],
    ["not from a line of prose alone", "EXIT_SIGNAL: true", "none"],
    ["not from a quotation", "> RALPH_STATUS:\n> EXIT_SIGNAL: true", "none"],
    ["not from a block without it", "RALPH_STATUS:\nSTATUS: complete\n", "none"],
    [
      "not from what follows the block",
      "RALPH_STATUS:\nSTATUS: in_progress\n\nThen I shall say\nEXIT_SIGNAL: true",
      "none",
    ],
    ["not from TESTS_STATUS taken for STATUS", lines("true", "TESTS_DONE: yes"), true],
  ])("%s", ([, text, expected]) => {
    const block = findStatusBlock(text);
    expect(block === undefined ? "none" : block.exitSignal).toBe(expected);
  });
});

// TRAP 16
describe("the agent's own no is heard", () => {
  test.for([
    ["in full-width", "RALPH_STATUS：\nEXIT_SIGNAL：false"],
    ["below equals signs", "=== RALPH_STATUS ===\nSTATUS: complete\nEXIT_SIGNAL: false"],
    ["on a line of its own", "EXIT_SIGNAL: false (more work needed)"],
    ["in bold", "All done.\n\n**EXIT_SIGNAL:** false"],
    ["in Chinese", "EXIT_SIGNAL：否"],
    ["in JSON", 'Not yet.\n\n```json\n{\n  "stage": "implement",\n  "exit_signal": false\n}\n```'],
    ["with its reason", lines("false         # But keep going, there are more tasks")],
    ["with its condition", lines("false until the tests pass")],
    ["below its yes", `${lines("true")}\nEXIT_SIGNAL: false`],
  ])("%s", ([, text]) => expect(findStatusBlock(text!)?.exitSignal).toBe(false));

  test("and a later whole block overrules it", () => {
    expect(findStatusBlock(`EXIT_SIGNAL: false\n\nNow it works.\n${lines("true")}`)?.exitSignal).toBe(true);
  });
});

const fenced = (text: string, language = ""): string => `\`\`\`${language}\n${text}\n\`\`\``;
const whole = "RALPH_STATUS:\nSTATUS: complete\nEXIT_SIGNAL: true";

describe("a no counts on a line of the agent's own", () => {
  test.for(["**EXIT_SIGNAL**: false", "- EXIT_SIGNAL: false", "EXIT_SIGNAL: No, two criteria are open"])(
    "%s",
    (text) => expect(findStatusBlock(`Implemented.\n\n${text}`)?.exitSignal).toBe(false),
  );

  test.for([
    "> EXIT_SIGNAL: false",
    "    EXIT_SIGNAL: false",
    "-EXIT_SIGNAL: false",
    "The README says EXIT_SIGNAL: false",
    "Do not print EXIT_SIGNAL: false unless asked.",
    "Implemented the EXIT_SIGNAL: false path.",
    "EXIT_SIGNAL: false | true",
    "EXIT_SIGNAL: false while a test is red, then true",
    "RALPH_STATUS:\nSTATUS: in_progress | complete\nTESTS_STATUS: passing | failing",
    "RALPH_STATUS:\nSTATUS: complete\nPENDING:\n- none",
  ])("but not: %s", (text) => expect(findStatusBlock(`Implemented.\n\n${text}`)).toBeUndefined());
});

describe("a block that is shown is not the agent's own", () => {
  test.for([
    ["in a log", `The last session:\n${fenced(`[12:00:01] ended\n${whole}`)}`],
    ["in a fence of a log", fenced(whole, "log")],
    ["in a diff", fenced(whole.replace(/^/gm, "-"), "diff")],
    ["in the lines of a diff", whole.replace(/^/gm, "-")],
    ["in a listing", whole.replace(/^/gm, "    ")],
    ["in a quotation", whole.replace(/^/gm, "> ")],
    [
      "in a fence with much behind it",
      `${fenced(whole)}\n\n${"That is what it printed, and it is wrong. ".repeat(10)}`,
    ],
    ["in a line of a log", "[12:00] [INFO] indicators present but EXIT_SIGNAL=false, continuing"],
  ])("%s", ([, text]) => expect(findStatusBlock(text!)).toBeUndefined());

  test("but one in a fence before a short farewell is", () => {
    expect(findStatusBlock(`${fenced(whole)}\n\nThe branch is ready.`)?.exitSignal).toBe(true);
  });
});

test("the article's own sample block is a contradiction, and names what contradicts", () => {
  const text =
    'RALPH_STATUS:\n{\n  "progress": 80,\n  "EXIT_SIGNAL": true,\n  "notes": "All core features implemented"\n}';
  expect(findStatusBlock(text)).toMatchObject({ exitSignal: true, contradiction: "PROGRESS: 80" });
});

// TRAP 21
describe("QUESTION is read", () => {
  test.for<[string, string | undefined]>([
    ["QUESTION: Shall it be `8080`, or don't you mind?", "Shall it be `8080`, or don't you mind?"],
    ["QUESTION: 用哪个端口？", "用哪个端口？"],
    ['"QUESTION": "Which port?",', "Which port?"],
    ["QUESTION: none", undefined],
    ["QUESTION: None.", undefined],
    ["QUESTION: 无", undefined],
    ["QUESTION:", undefined],
    ["QUESTION: what a person has to decide before anybody can go on, else none", undefined],
    ["QUESTION: 需要人来决定的问题，否则写 none", undefined],
    ["NOTES: Which port?", undefined],
  ])("%s", ([line, question]) => {
    expect(findStatusBlock(lines("false", `STATUS: blocked\n${line}`))?.question).toBe(question);
  });
});

test.for([
  "STATUS: in_progress",
  "STATUS: blocked",
  "PROGRESS: 80",
  "PROGRESS: 80%",
  "REMAINING: the error path",
  "PROGRESS: 4/5",
  "PROGRESS: 4 of 5 files",
  "PENDING: criterion 3",
  "REMAINING: no test for the error path",
  "STATUS: not complete",
  "STATUS: 80% complete",
])("a block that contradicts itself is not done: %s", (contradiction) => {
  expect(findStatusBlock(lines("true", contradiction))).toMatchObject({ exitSignal: true, contradiction });
});

test.for([
  "PROGRESS: 100",
  "PROGRESS: 5 of 5 files",
  "PROGRESS: 100%",
  "STATUS: SUCCESS",
  "STATUS: 100% complete",
  "STATUS: READY_FOR_REVIEW",
  "REMAINING: 0 tasks",
  "PENDING: none (all done)",
  "TESTS_STATUS: 41 passed, 0 failed",
  "REMAINING: none",
  "REMAINING: []",
  "TODO: 无",
])("a block does not contradict itself by %s", (line) =>
  expect(findStatusBlock(lines("true", line))).toMatchObject({ exitSignal: true, contradiction: undefined }),
);

test.for(["failing", "3 failing, 40 passing", "失败"])("tests that are %s contradict an exit", (tests) => {
  expect(findStatusBlock(lines("true").replace("passing", tests))).toMatchObject({
    exitSignal: true,
    contradiction: `TESTS_STATUS: ${tests}`,
  });
});

test("an earlier block says nothing beside the last whole one", () => {
  const text = `${lines("true", "PENDING: the docs")}\n${lines("true")}`;
  expect(findStatusBlock(text)).toMatchObject({ exitSignal: true, contradiction: undefined });
});

test("a torn block below a whole one adds what speaks against its yes", () => {
  const torn = `${lines("true")}\nRALPH_STATUS:\nSTATUS: in_progress\nTESTS_`;
  expect(findStatusBlock(torn)).toMatchObject({ exitSignal: true, contradiction: "STATUS: in_progress" });
});

test("no text makes it throw, and a flood takes no time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => void findStatusBlock(`RALPH_STATUS:\n${text}`)),
    { numRuns: runs(500) },
  );
  for (const part of [
    "RALPH_STATUS:\n",
    "RALPH_STATUS: {\n",
    "A: b\n",
    "- ",
    "RALPH_STATUS: {{\n",
    "```\n{\n",
    "{,",
  ]) {
    findStatusBlock(part.repeat(100_000 / part.length));
  }
});

test("a line of many dashes is read at once", () => {
  expect(findStatusBlock(`${"-".repeat(5_000)}\nEXIT_SIGNAL: false`)?.exitSignal).toBe(false);
});

test("a block whose keys are maps is none, and is read at once however deep they are nested", () => {
  const nested = `${"{".repeat(300)}a${"}".repeat(300)}`;
  expect(findStatusBlock(`RALPH_STATUS: ${nested}\n`)).toBeUndefined();
});

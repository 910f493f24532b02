/** Handoffs as tests need them: an empty one, a full one, and arbitrary ones made to break the Markdown. */
import * as fc from "fast-check";
import type { Handoff } from "../../../src/core/handoff/handoff.ts";
import { renderHandoff } from "../../../src/core/handoff/render.ts";

export const nothing: Handoff = {
  issue: "",
  session: "",
  stopReason: "",
  stage: "",
  workingOn: "",
  done: [],
  todo: [],
  decisions: [],
  nextSteps: [],
  warnings: [],
  patterns: [],
  facts: [],
  postMortem: "",
};

export const full: Handoff = {
  issue: "FEAT-0001",
  session: "3",
  stopReason: "failure",
  commit: "abc1234",
  writtenAt: "2026-01-31T09:00:00Z",
  stage: "testing",
  workingOn: "src/a.ts:12",
  done: [{ text: "wrote it", state: "done" }],
  todo: [
    { text: "test it\n- the odd case", state: "doing" },
    { text: "ship it", state: "todo" },
  ],
  decisions: ["keep the bus"],
  nextSteps: ["run `npm test`", "mend what fails:\n\n```\nline 3\n```"],
  warnings: ["do not touch the lock"],
  patterns: ["tests live in test/"],
  facts: ["2 commits"],
  postMortem: "It hung.\n\nTwice.",
};

export const sizeOf = (handoff: Handoff): number =>
  new TextEncoder().encode(renderHandoff(handoff, "zh")).length;

const pieces = [
  "- - -",
  "## Done",
  "# x",
  "```",
  "~~~",
  "~~x~~ because y",
  "<!-- x",
  "-->",
  "\n",
  "\n\n",
  "\r\n",
  "\r",
  "  ",
];
pieces.push(
  "    ",
  "\t",
  "- ",
  "1. ",
  "2) ",
  "[x] ",
  "> ",
  "* ",
  "---",
  "===",
  "<div>",
  "<script>",
  "\\",
  "\\- -",
  "⚠️",
  "：",
  ": ",
);
pieces.push(
  "none",
  "a",
  "b c",
  "无",
  "[a]: b",
  "\f",
  "\u00A0",
  "\u2028",
  "\uFEFF",
  "\0",
  "{{x}}",
  "$&",
  "**",
  "`",
  "- ".repeat(40),
  "## 警告",
  "## 复盘",
  "## 下一步（继任者必读）",
  "- Issue: FEAT-9999",
  "停止原因：失败",
  "- Stage: done",
  "：",
  "⚠",
  "\uFE0F",
  "👩‍💻",
  "é",
  "\u202E",
  "\u200B",
  "\uFFFD",
  "\u0085",
  "&amp;",
  "&#10;",
  "[^1]: x",
  "| a | b |",
);
export const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((it) => it.join("")),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
);
export const texts = fc.array(text, { maxLength: 4 });
const state = fc.constantFrom("todo" as const, "doing" as const, "done" as const, "cancelled" as const);
const items = fc.array(fc.record({ text, state }), { maxLength: 4 });
const required = [
  "issue",
  "session",
  "stopReason",
  "stage",
  "workingOn",
  "done",
  "todo",
  "decisions",
  "nextSteps",
] as const;
export const handoffs: fc.Arbitrary<Handoff> = fc.record(
  {
    issue: text,
    session: text,
    stopReason: text,
    commit: text,
    writtenAt: text,
    stage: text,
    workingOn: text,
    done: items,
    todo: items,
    decisions: texts,
    nextSteps: texts,
    warnings: texts,
    patterns: texts,
    facts: texts,
    postMortem: text,
  },
  { requiredKeys: [...required, "warnings", "patterns", "facts", "postMortem"] },
);

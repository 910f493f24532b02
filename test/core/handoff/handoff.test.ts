import { describe, expect, test } from "vitest";
import { workingOnOf } from "../../../src/core/session/working-on.ts";
import { parseHandoff } from "../../../src/core/handoff/handoff.ts";
import type { Handoff } from "../../../src/core/handoff/handoff.ts";
import { nothing } from "../support/handoffs.ts";
import { sample } from "../support/handoff-sample.ts";

describe("reading", () => {
  test("the sample of the protocol is read as it stands", () => {
    expect(parseHandoff(sample)).toEqual({
      ...nothing,
      issue: "FEAT-XXX",
      session: "sess_xxx",
      stopReason: "context_limit / timeout / user_interrupt",
      stage: "implementing",
      workingOn: "src/xxx.py 第 200 行",
      done: [
        { text: "分析现有架构", state: "done" },
        { text: "设计新模型", state: "done" },
      ],
      todo: [
        { text: "实现核心函数", state: "todo" },
        { text: "编写测试", state: "todo" },
      ],
      decisions: ["决定保留 EventBus，但简化事件类型", "决定移除 Planner 触发"],
      nextSteps: ["完成 ExecutionHandler._should_handle()", "更新测试用例", "运行 pytest 验证"],
      warnings: ["不要删除 MemoThresholdHandler 的测试"],
    });
  });

  test.for<[string, string, Partial<Handoff>]>([
    [
      "full-width colons",
      "## 元数据\n- Issue： FEAT-0001\n- 停止原因：timeout\n",
      { issue: "FEAT-0001", stopReason: "timeout" },
    ],
    [
      "bold labels",
      "## Metadata\n- **Issue**: `FEAT-0001`\n- **Session:** 3\n",
      { issue: "FEAT-0001", session: "3" },
    ],
    [
      "metadata without bullets",
      "## Metadata\nIssue: FEAT-0001\nSession: 3\n",
      { issue: "FEAT-0001", session: "3" },
    ],
    ["both languages in a heading", "## Done / 已完成\n- a\n", { done: [{ text: "a", state: "done" }] }],
    [
      "emoji and capitals in a heading",
      "## ✅ TO DO\n- [~] a\n",
      { todo: [{ text: "a", state: "cancelled" }] },
    ],
    ["warnings in one paragraph", "## Warnings\n⚠️ a\n⚠ b\n", { warnings: ["a", "b"] }],
    ["warnings in a list", "## 警告\n- ⚠️ a\n  ⚠️ still a\n- b\n", { warnings: ["a\n⚠️ still a", "b"] }],
    ["comments", "## Next steps\n<!-- say it -->\n1. <!-- here -->\n2. a\n", { nextSteps: ["a"] }],
    ["words for nothing", "## Warnings\nNone.\n## 关键决策\n- 无\n## Next steps\n- n/a\n", {}],
    ["CRLF and a BOM", "\uFEFF## Facts\r\n- a\r\n  b\r\n", { facts: ["a\nb"] }],
    ["prose", "## Key decisions\nWe keep it.\n\nAnd that.\n", { decisions: ["We keep it.", "And that."] }],
    [
      "headings in code",
      "## Facts\n```\n## Done\n- [x] no\n```\n",
      { facts: ["```\n## Done\n- [x] no\n```"] },
    ],
    ["nothing of ours", "hello", {}],
  ])("%s", ([, text, expected]) => expect(parseHandoff(text)).toEqual({ ...nothing, ...expected }));
});

describe("what a session was working on", () => {
  const facts = { uncommitted: ["a.ts"], files: ["b.ts", "c.ts"] };
  test.for<[string, Parameters<typeof workingOnOf>[0], string]>([
    ["is what its agent wrote", { written: "a.ts:3", reason: "handed_over", ...facts }, "a.ts:3"],
    ["else the file that is not committed", { written: "", reason: "timeout", ...facts }, "a.ts"],
    [
      "else the last file of the branch",
      { written: "", reason: "failure", ...facts, uncommitted: [] },
      "c.ts",
    ],
    [
      "else unknown, after a session that was cut off",
      { written: "", reason: "timeout", uncommitted: [], files: [] },
      "unknown (the session was cut off)",
    ],
    [
      "and not named, after one that ended in good order",
      { written: "", reason: "handed_over", uncommitted: [], files: [] },
      "not named",
    ],
  ])("%s", ([, known, expected]) => expect(workingOnOf(known, "en")).toBe(expected));
});

/** The headings and labels of RALPH.md: those that monoco writes, and the variants that agents write. */
import type { Language } from "../language/handoff-words.ts";

/** The parts that a template refers to by name. */
export const partNames = ["done", "todo", "decisions", "nextSteps", "warnings", "patterns", "facts"] as const;
export const sectionNames = ["metadata", "currentState", ...partNames, "postMortem"] as const;
export type SectionName = (typeof sectionNames)[number];

/** The headings that monoco writes. */
export const handoffHeadings: Record<SectionName, Record<Language, string>> = {
  metadata: { en: "Metadata", zh: "元数据" },
  currentState: { en: "Current state", zh: "当前状态" },
  done: { en: "Done", zh: "已完成" },
  todo: { en: "To do", zh: "待办" },
  decisions: { en: "Key decisions", zh: "关键决策" },
  nextSteps: { en: "Next steps (read first)", zh: "下一步（继任者必读）" },
  warnings: { en: "Warnings", zh: "警告" },
  patterns: { en: "Patterns", zh: "代码库模式" },
  facts: { en: "Facts", zh: "事实" },
  postMortem: { en: "Post-mortem", zh: "复盘" },
};

/** Variants that agents write for a section's heading, in lower case. */
const otherHeadings: Partial<Record<SectionName, readonly string[]>> = {
  currentState: ["status", "state"],
  done: ["completed"],
  todo: ["todo", "to-do", "待办事项"],
  decisions: ["decisions", "决策"],
  nextSteps: ["next step", "下一步骤"],
  warnings: ["warning"],
  patterns: ["codebase patterns", "模式"],
  postMortem: ["postmortem", "post mortem"],
};

export const labels = {
  issue: { en: "Issue", zh: "Issue" },
  session: { en: "Session", zh: "Session" },
  stopReason: { en: "Stop reason", zh: "停止原因" },
  commit: { en: "Commit", zh: "提交" },
  writtenAt: { en: "Written at", zh: "写于" },
  stage: { en: "Stage", zh: "阶段" },
  workingOn: { en: "Working on", zh: "正在处理" },
} satisfies Record<string, Record<Language, string>>;
export type FieldName = keyof typeof labels;
export const fieldNames = Object.keys(labels) as FieldName[];

/** Variants that agents write for a field's label, in lower case. */
const otherLabels: Partial<Record<FieldName, readonly string[]>> = {
  issue: ["议题"],
  session: ["会话"],
  writtenAt: ["写入时间"],
};

export function sectionNameOf(heading: string): SectionName | undefined {
  const plain = heading
    .replace(/\s*(?:[(（:：/—–]|\s-\s).*$/u, "")
    .replace(/^[^\p{L}]+/u, "")
    .trim()
    .toLowerCase();
  return sectionNames.find((name) => {
    const written = Object.values(handoffHeadings[name]).map((heading) =>
      heading.replace(/\s*[(（].*$/u, "").toLowerCase(),
    );
    return written.includes(plain) || otherHeadings[name]?.includes(plain) === true;
  });
}

export function labelsOf(field: FieldName): string[] {
  return [...Object.values(labels[field]).map((label) => label.toLowerCase()), ...(otherLabels[field] ?? [])];
}

/** The ways in which a diff weakens tests and checks, gravest first, each in words. */
import type { Language } from "../text/language.ts";

export const weakeningKinds = [
  "file deleted",
  "hidden",
  "crossed",
  "tests removed",
  "skipped",
  "only",
  "swallowed",
  "assertions removed",
  "loosened",
  "empty assertion",
  "threshold",
  "guard removed",
  "limit raised",
  "time-out",
  "retried",
  "snapshot",
  "uncovered",
  "suppressed",
] as const;
export type WeakeningKind = (typeof weakeningKinds)[number];

export const weakeningWords: Record<WeakeningKind, Record<Language, string>> = {
  "file deleted": { en: "a test file is gone", zh: "测试文件被删除" },
  hidden: { en: "git does not show what is changed here", zh: "git 不显示此处的改动" },
  crossed: {
    en: "the base's own tests or checks fail on this work",
    zh: "基线自己的测试或检查在此工作上失败",
  },
  "tests removed": { en: "fewer test cases", zh: "测试用例减少" },
  skipped: { en: "a test that is not run", zh: "测试被跳过" },
  only: { en: "only this test is run", zh: "只运行这一个测试" },
  swallowed: { en: "a failure that does not count", zh: "失败被忽略" },
  "assertions removed": { en: "fewer assertions", zh: "断言减少" },
  loosened: { en: "an assertion that asks less", zh: "断言被放宽" },
  "empty assertion": { en: "an assertion that cannot fail", zh: "断言不可能失败" },
  threshold: { en: "a threshold is lower, or gone", zh: "阈值降低或被移除" },
  "guard removed": { en: "a strict option is gone", zh: "严格选项被移除" },
  "limit raised": { en: "more is tolerated", zh: "容忍度提高" },
  "time-out": { en: "a longer time-out", zh: "超时时间延长" },
  retried: { en: "a test may fail and try again", zh: "测试可以失败后重试" },
  snapshot: { en: "the expected output is rewritten", zh: "预期输出（快照）被改写" },
  uncovered: { en: "left out of coverage", zh: "不计入覆盖率" },
  suppressed: { en: "a linter or type checker is silenced", zh: "关闭了 lint 或类型检查" },
};

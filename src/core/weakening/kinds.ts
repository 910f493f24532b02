/** The kinds of weakening of tests and checks, most serious first, each with its description. */
import type { Language } from "../language/handoff-words.ts";

export const weakeningWords = {
  hidden: { en: "git does not show what is changed here", zh: "git 不显示此处的改动" },
  crossed: {
    en: "the base's own tests or checks fail on this work",
    zh: "基线自己的测试或检查在此工作上失败",
  },
  interface: {
    en: "the base's tests cannot load a name that is renamed or gone",
    zh: "基线的测试无法加载已改名或已不存在的名称",
  },
  "used by checks": {
    en: "a check uses this file, and fails if it stays as on the base",
    zh: "检查使用此文件，若其保持基线原样则检查失败",
  },
  flaky: { en: "the check ended otherwise when it ran again", zh: "检查再次运行时结果不同" },
  unguarded: {
    en: "no new test fails on the base, except for want of a name, and no check guards the change",
    zh: "没有新测试在基线上失败（仅因缺少名称的不算），也没有检查守护此改动",
  },
  "changed by checks": { en: "the checks change this file", zh: "检查改动了此文件" },
  "left out": { en: "settings leave tests out", zh: "配置排除了测试" },
  only: { en: "only this test is run", zh: "只运行这一个测试" },
  swallowed: { en: "a failure that does not count", zh: "失败被忽略" },
  environment: { en: "code that asks where, by whom or when it runs", zh: "代码询问运行环境、运行者或日期" },
  threshold: { en: "a threshold is lower, or gone", zh: "阈值降低或被移除" },
  "guard removed": { en: "a strict option is gone", zh: "严格选项被移除" },
  "limit raised": { en: "more is tolerated", zh: "容忍度提高" },
  "time-out": { en: "a longer time-out", zh: "超时时间延长" },
  retried: { en: "a test may fail and try again", zh: "测试可以失败后重试" },
  uncovered: { en: "left out of coverage", zh: "不计入覆盖率" },
  suppressed: { en: "a linter or type checker is silenced", zh: "关闭了 lint 或类型检查" },
} satisfies Record<string, Record<Language, string>>;

export type WeakeningKind = keyof typeof weakeningWords;
export const weakeningKinds = Object.keys(weakeningWords) as WeakeningKind[];

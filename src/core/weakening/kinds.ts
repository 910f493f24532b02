/** The ways in which a diff weakens tests and checks, gravest first, each in words. */
import type { Language } from "../language/handoff-words.ts";

export const weakeningWords = {
  "file deleted": { en: "a test file is gone", zh: "测试文件被删除" },
  hidden: { en: "git does not show what is changed here", zh: "git 不显示此处的改动" },
  crossed: {
    en: "the base's own tests or checks fail on this work",
    zh: "基线自己的测试或检查在此工作上失败",
  },
  interface: {
    en: "the base's tests cannot load a name that is renamed or gone",
    zh: "基线的测试无法加载已改名或已不存在的名称",
  },
  unguarded: {
    en: "no new test fails on the base, and no check guards the change",
    zh: "没有新测试在基线上失败，也没有检查守护这次改动",
  },
  flaky: { en: "the check ended otherwise when it ran again", zh: "检查再次运行时结果不同" },
  "changed by checks": { en: "the checks change this file", zh: "检查改动了此文件" },
  "tests removed": { en: "fewer test cases", zh: "测试用例减少" },
  skipped: { en: "a test that is not run", zh: "测试被跳过" },
  only: { en: "only this test is run", zh: "只运行这一个测试" },
  swallowed: { en: "a failure that does not count", zh: "失败被忽略" },
  "assertions removed": { en: "fewer assertions", zh: "断言减少" },
  loosened: { en: "an assertion that asks less", zh: "断言被放宽" },
  "empty assertion": { en: "an assertion that cannot fail", zh: "断言不可能失败" },
  "returns early": { en: "a test that returns before it asserts anything", zh: "测试在断言之前返回" },
  mocked: { en: "what the diff changes is replaced by a mock", zh: "被改动的文件被替换为 mock" },
  "build output": { en: "a test of committed build output", zh: "测试的是已提交的构建产物" },
  "writes sources": { en: "a test that writes sources", zh: "测试改写源码" },
  environment: {
    en: "it behaves otherwise where tests run, or at a date",
    zh: "在测试环境中或特定日期行为不同",
  },
  threshold: { en: "a threshold is lower, or gone", zh: "阈值降低或被移除" },
  "guard removed": { en: "a strict option is gone", zh: "严格选项被移除" },
  "limit raised": { en: "more is tolerated", zh: "容忍度提高" },
  "time-out": { en: "a longer time-out", zh: "超时时间延长" },
  retried: { en: "a test may fail and try again", zh: "测试可以失败后重试" },
  snapshot: { en: "the expected output is rewritten", zh: "预期输出（快照）被改写" },
  expectation: { en: "another value is expected", zh: "预期值被改动" },
  uncovered: { en: "left out of coverage", zh: "不计入覆盖率" },
  suppressed: { en: "a linter or type checker is silenced", zh: "关闭了 lint 或类型检查" },
} satisfies Record<string, Record<Language, string>>;

export type WeakeningKind = keyof typeof weakeningWords;
export const weakeningKinds = Object.keys(weakeningWords) as WeakeningKind[];

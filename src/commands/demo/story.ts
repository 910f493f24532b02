/** The text that the demo's agents print and commit, by the names in templates/demo/story.yaml. */
import type { Language } from "../../core/language/handoff-words.ts";

export const demoStory: Record<Language, Readonly<Record<"begin" | (string & {}), string>>> = {
  en: {
    begin: "Begin",
    hours: "Read hours",
    minutes: "Read minutes and seconds",
    refuse: "Refuse what is no duration",
    onHours: "Working on: Hours",
    onMinutes: "Working on: Minutes and seconds",
    found: "RALPH.md read; the half-written table is the killed session's",
    agree: "The Reviewer is right: nonsense is read as 0",
    nextTable: "Add m and s to the table in duration.js",
    nextCheck: "Run monoco check",
    decision: "One table of units, no regular expression for each unit",
    pattern: "node --test runs all tests",
    refused: "The tests pass, but nonsense is accepted",
    finding: 'parseDuration("soon") returns 0 instead of throwing',
    approved: "Every criterion was run; the probes beyond the tests hold",
  },
  zh: {
    begin: "开始",
    hours: "读取小时",
    minutes: "读取分钟和秒",
    refuse: "拒绝不是时长的文本",
    onHours: "正在做：小时",
    onMinutes: "正在做：分钟和秒",
    found: "已读 RALPH.md；写了一半的表是被终止的会话留下的",
    agree: "评审者说得对：无意义的文本被读成了 0",
    nextTable: "在 duration.js 的表里加上 m 和 s",
    nextCheck: "运行 monoco check",
    decision: "所有单位用一张表，不为每个单位写正则表达式",
    pattern: "node --test 运行全部测试",
    refused: "测试通过，但无意义的文本也被接受",
    finding: 'parseDuration("soon") 返回 0，而不是抛出错误',
    approved: "每条标准都运行过；测试之外的探测也成立",
  },
};

/** What the demo says, and what its agents say and commit, in the language of its story. */
import type { Language } from "../../core/language/handoff-words.ts";

type Words = {
  /** By their names in templates/demo/story.yaml. */
  story: Readonly<Record<string, string>>;
  begin: string;
  project(path: string): string;
  checksNow: string;
  end(duration: string, folder: string): string;
  timeline: string;
  base: string;
  places: string;
};

export const demoWords: Record<Language, Words> = {
  en: {
    story: {
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
    begin: "Begin",
    project: (path) => `A small project with a failing test is in ${path}`,
    checksNow: "The test on the base branch now",
    end: (duration, folder) =>
      `That took ${duration}. The folder is yours to look at and to delete: ${folder}`,
    timeline: "The timeline",
    base: "The base branch",
    places: "Where to look",
  },
  zh: {
    story: {
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
      approved: "每条标准都运行过；测试之外的试探也成立",
    },
    begin: "开始",
    project: (path) => `一个有失败测试的小项目在 ${path}`,
    checksNow: "基线分支上现在的测试",
    end: (duration, folder) => `用时 ${duration}。可以随意查看和删除这个文件夹：${folder}`,
    timeline: "时间线",
    base: "基线分支",
    places: "在哪里看",
  },
};

/** Common parts of prompts. */
import type { Language } from "../language/handoff-words.ts";
import type { CheckResult } from "../review/check-result.ts";
import { fence } from "./fence.ts";

const headings = {
  handoff: { en: "RALPH.md, the handoff of session $1", zh: "RALPH.md：会话 $1 的交接文档" },
  findings: { en: "Changes requested on submission $1", zh: "对提交 $1 的修改要求" },
  addition: {
    en: "What the Reviewer added in its clone, for you to take over or not",
    zh: "评审者在其克隆中添加的内容，可采用也可不采用",
  },
  said: { en: "What people say to you", zh: "人对你说的话" },
  question: { en: "A question that nobody has answered yet", zh: "尚无人回答的问题" },
  refusal: { en: "The last submission was refused", zh: "上一次提交被拒绝" },
  disbelieved: {
    en: "Session $1 said that it was done, and that did not count",
    zh: "会话 $1 声称已完成，但未被采信",
  },
  mergeTrouble: {
    en: "What stands between the approved work and the base branch",
    zh: "已批准的工作无法并入基线分支的原因",
  },
  facts: { en: "Facts, computed by monoco", zh: "事实（由 monoco 计算）" },
  learnings: {
    en: "What earlier issues taught about this repository, by their agents' word",
    zh: "此前的 Issue 对本仓库的经验（Agent 所述）",
  },
  open: { en: "Open items", zh: "未完成项" },
  checks: { en: "Checks, run by monoco on a fresh clone", zh: "检查结果（由 monoco 在全新克隆中运行）" },
  failed: { en: "Checks that fail now, run by monoco", zh: "目前失败的检查（由 monoco 运行）" },
  diff: { en: "The diff against the merge base", zh: "相对合并基线的差异" },
  tampered: {
    en: "TAMPERING: the branch changes what it must not",
    zh: "篡改：该分支改动了不允许改动的内容",
  },
  criteria: { en: "Acceptance criteria by number", zh: "按编号列出的验收标准" },
  refusedVerdict: {
    en: "First: verdicts on this submission that do not count",
    zh: "首先：对本次提交无效的裁决",
  },
  openFindings: { en: "First: the findings on submission $1", zh: "首先：对提交 $1 的评审发现" },
  delta: { en: "What has changed since submission $1", zh: "自提交 $1 以来的改动" },
  protected: { en: "PROTECTED PATHS that the branch changes", zh: "该分支改动了受保护的路径" },
  weakened: { en: "What may WEAKEN tests or checks in the diff", zh: "差异中可能削弱测试或检查之处" },
  trial: { en: "The tests, put to the test by monoco", zh: "由 monoco 对测试进行的检验" },
  merged: {
    en: "First: this work is approved, and $1 has moved since",
    zh: "首先：该工作已获批准，而 $1 此后有了变动",
  },
  moved: { en: "What $1 has brought since", zh: "$1 此后带来的改动" },
  earlier: { en: "Findings on earlier submissions", zh: "此前提交的评审发现" },
} as const satisfies Record<string, Record<Language, string>>;

export function section(
  name: keyof typeof headings,
  language: Language,
  body: string,
  value: string | number = "",
): string {
  return body === "" ? "" : `## ${headings[name][language].replace("$1", String(value))}\n\n${body}`;
}

export function sectionToJudge(
  name: keyof typeof toJudge,
  lines: readonly string[],
  language: Language,
): string {
  const list = fence(lines.map((line) => `- ${line}`).join("\n"));
  return lines.length === 0 ? "" : section(name, language, `${toJudge[name][language]}\n\n${list}`);
}

const toJudge = {
  learnings: {
    en: "Verify a learning before you rely on it. If one is no longer true, strike it out in RALPH.md, under Patterns, and say why: ~~its words~~ why.",
    zh: "使用前请先核实。不再成立的，在 RALPH.md 的“代码库模式”中划掉：~~原文~~ 原因。",
  },
  protected: {
    en: "Each is a finding of yours, unless the contract asks for that change: then say so in `answers`, by its id. An approval that leaves one out does not count.",
    zh: "除非契约要求该改动，否则每一处都是你的一条发现；契约要求的，在 `answers` 中按其 id 说明。遗漏任何一处的批准不算数。",
  },
  weakened: {
    en: "Only what monoco can see in the lines of the diff. Look at each: it is a finding of yours, unless the contract bears out a reason for it: give that in `answers`, by its id, in your own words. An approval that leaves one out does not count.",
    zh: "monoco 只列出它在差异的行中能看到的。请逐一查看：除非契约能说明其理由，否则就是你的一条发现；理由在 `answers` 中按其 id 用自己的话写明。遗漏任何一处的批准不算数。",
  },
  trial: {
    en: "What ran, and how it ended. A test that passes without the change shows nothing of it. Where the base's own tests fail on the submission, look at what they ask for. Look yourself at UNGUARDED lines: nothing turns red without them.",
    zh: "运行了什么，结果如何。没有这次改动也通过的测试不能证明它。基线自己的测试在提交上失败时，查看它们要求什么。“无人守护”的行请亲自查看：没有它们也没有任何失败。",
  },
} as const satisfies Record<string, Record<Language, string>>;

/** A check as text; a passing one is a single line, without its output. */
export function checkText(check: CheckResult & { tail: string }): string {
  const ending = check.timedOut ? "timed out" : `exit status ${check.exitCode ?? "none (killed)"}`;
  const quiet = check.exitCode === 0 || check.tail === "";
  return `\`${check.command}\`: ${ending}${asBefore(check)}${quiet ? "" : `\n${fence(check.tail)}`}`;
}

function asBefore({ asBefore: how }: CheckResult): string {
  if (how === undefined) return "";
  return how === "same"
    ? ", with the failures that the base has: they count against nobody"
    : ", as on the base: whether it fails by the same tests cannot be read, so look yourself";
}

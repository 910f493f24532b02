/** A trial as text: a line for each fact that a Reviewer or a person should know. */
import { counted } from "../language/counted.ts";
import { plainLine } from "../text/sanitize.ts";
import { t } from "../language/translate.ts";
import type { Language } from "../language/handoff-words.ts";
import type { Crossed, NotTried, TakenBack, Trial } from "./trial-schema.ts";

/** The lines; none if there was nothing to try. `later`: what the evidence has since shown of changes that no check guards. */
export function trialLines(trial: Trial, language: Language, later: readonly TakenBack[] = []): string[] {
  const texts = allWords[language];
  const { onBase, crossing, takeBack, flaky = [] } = trial;
  const left = (part: keyof TrialTexts["parts"], result: string): string[] => {
    const why = texts.not[result as NotTried];
    return why === undefined || result === "nothing" ? [] : [texts.notTried(texts.parts[part], why)];
  };
  const lines = [
    ...left("onBase", onBase.result),
    ...(onBase.result in texts.onBase
      ? [texts.onBase[onBase.result as keyof TrialTexts["onBase"]](onBase.files.join(", "), onBase.by ?? "")]
      : []),
    ...crossing.found.map((one) => texts.crossed(one)),
    ...left("crossing", crossing.result),
    ...(crossing.result === "tried" && crossing.found.length === 0 ? [texts.nothingCrossed] : []),
    ...withLater(takeBack.changes, later).map((one) => texts.takenBack(one)),
    ...left("takeBack", takeBack.result),
    ...(takeBack.result === "tried" && takeBack.left > 0 ? [texts.more(takeBack.left)] : []),
    ...flaky.map((command) => texts.flaky(command)),
  ];
  return lines.map((line) => plainLine(line, 400));
}

/** The changes that nothing guards, a line each, up to the limit. */
export function unguardedLines(
  trial: Trial | undefined,
  later: readonly TakenBack[],
  limit: number,
): string[] {
  const unguarded = withLater(trial?.takeBack.changes ?? [], later).filter(
    ({ result }) => result === "unguarded",
  );
  const more = unguarded.length - limit;
  const lines = unguarded.slice(0, limit).map((one) => takenBackWords(one, "en"));
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** What taking a change back has shown. */
export function takenBackWords(one: TakenBack, language: Language): string {
  return plainLine(allWords[language].takenBack(one), 400);
}

/** The facts that somebody should look at, in a few words each. */
export function trialCounts({ onBase, crossing, takeBack }: Trial): string[] {
  const weakened = crossing.found.filter(({ result, excused }) => result === "weakened" && !excused).length;
  const unguarded = takeBack.changes.filter(({ result }) => result === "unguarded").length;
  return [
    ...(onBase.result === "pass" ? [t`no new test fails on the base`] : []),
    ...(weakened > 0 ? [t`the base's tests fail on it`] : []),
    ...(unguarded > 0 ? [t`${counted(unguarded, "change")} unguarded by them`] : []),
  ];
}

/** The changes, each as it was last seen. */
export function withLater(before: readonly TakenBack[], later: readonly TakenBack[]): TakenBack[] {
  const place = ({ file, line }: TakenBack): string => `${file}:${line}`;
  return [...new Map([...before, ...later].map((one) => [place(one), one])).values()];
}

type TrialTexts = {
  parts: Record<"onBase" | "crossing" | "takeBack", string>;
  not: Record<NotTried, string>;
  notTried(part: string, why: string): string;
  onBase: Record<"fail" | "pass" | "none" | "unclear", (files: string, by: string) => string>;
  crossed(one: Crossed): string;
  nothingCrossed: string;
  takenBack(one: TakenBack): string;
  more(left: number): string;
  flaky(command: string): string;
};

const place = (file: string, line: number, lines: number): string =>
  lines === 1 ? `${file}:${line}` : `${file}:${line}-${line + lines - 1}`;

const en: TrialTexts = {
  parts: {
    onBase: "the new tests on the base",
    crossing: "the tests crossed with the base's",
    takeBack: "changes taken back",
  },
  not: {
    off: "switched off",
    time: "out of time (review.minutes)",
    no_checks: "there are no checks",
    nothing: "nothing to try",
    no_setup: "the set-up fails",
    not_needed: "nothing depended on it",
  },
  notTried: (part, why) => `not tried: ${part} (${why})`,
  onBase: {
    fail: (files, by) => `the new tests fail on the base, as they should (${by}): ${files}`,
    pass: (files) => `NO NEW TEST FAILS ON THE BASE: they pass without the change: ${files}`,
    none: () => "no test is new or changed, though sources are",
    unclear: (files) => `cannot be told: the checks are red or flaky on the base anyway: ${files}`,
  },
  crossed: ({ crossed, command, result, files, excused }) =>
    `${command}, with ${crossed === "base_tests" ? "the base's tests" : "the base's configuration of checks"}: ${
      {
        weakened: "RED: the submission's own ask for less",
        interface: "red, because something that it needs has another name or is gone",
        uncertain: "red with these files, which checks use, as on the base",
        flaky: "red once, and green the next time",
      }[result]
    } (${files.join(", ")})${excused ? "; as the contract asks" : ""}`,
  nothingCrossed: "the base's tests and configuration are green on the submission",
  takenBack: ({ file, line, lines, result, by }) =>
    ({
      guarded: `a check fails if ${place(file, line, lines)} is removed (${by ?? ""})`,
      reached: `no check fails if ${place(file, line, lines)} is removed; one fails if it is emptied (${by ?? ""})`,
      unguarded: `No check fails if ${place(file, line, lines)} is removed`,
      unseen: `not seen to its end: ${place(file, line, lines)} removed`,
    })[result],
  more: (left) => `not taken back: ${left} more (review.takeBackMax)`,
  flaky: (command) => `${command}: green once, and red the next time`,
};

const zh: TrialTexts = {
  parts: { onBase: "在基线上运行新测试", crossing: "与基线的测试交叉运行", takeBack: "逐处撤回改动" },
  not: {
    off: "已关闭",
    time: "时间用尽（review.minutes）",
    no_checks: "没有检查",
    nothing: "无可尝试",
    no_setup: "环境准备失败",
    not_needed: "没有什么取决于它",
  },
  notTried: (part, why) => `未尝试：${part}（${why}）`,
  onBase: {
    fail: (files, by) => `新测试在基线上失败，符合预期（${by}）：${files}`,
    pass: (files) => `没有任何新测试在基线上失败：没有这次改动它们也通过：${files}`,
    none: () => "源代码有改动，但没有新增或改动的测试",
    unclear: (files) => `无法判断：检查在基线上本来就失败或不稳定：${files}`,
  },
  crossed: ({ crossed, command, result, files, excused }) =>
    `${command}，${crossed === "base_tests" ? "用基线的测试" : "用基线的检查配置"}：${
      {
        weakened: "失败：提交自己的要求更低",
        interface: "失败，因为它所需要的东西改了名或已不存在",
        uncertain: "检查所用的这些文件保持基线原样时失败",
        flaky: "第一次失败，第二次通过",
      }[result]
    }（${files.join(", ")}）${excused ? "；契约如此要求" : ""}`,
  nothingCrossed: "基线的测试和配置在该提交上全部通过",
  takenBack: ({ file, line, lines, result, by }) =>
    `撤回 ${file}:${line}（${lines} 行）：${
      {
        guarded: `失败（${by ?? ""}）`,
        reached: `通过；清空这些行后失败（${by ?? ""}）`,
        unguarded: "无人守护：没有任何失败",
        unseen: "未能看到结果",
      }[result]
    }`,
  more: (left) => `未撤回：另有 ${left} 处（review.takeBackMax）`,
  flaky: (command) => `${command}：第一次通过，第二次失败`,
};

const allWords: Record<Language, TrialTexts> = { en, zh };

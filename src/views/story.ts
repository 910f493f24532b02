/** An event in Chinese, for `monoco demo --language zh`; the events that its story does not have stay in English. */
import type { EventBody, EventOf, StopReason } from "../core/journal/event.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { describeEvent } from "../core/journal/events/records.ts";
import { percent, short } from "../core/text/figures.ts";
import type { Line, Tone } from "../core/journal/events/line.ts";

/** Undefined for what only machines need. */
export function describeInChinese(event: EventBody): Line | undefined {
  switch (event.type) {
    case "relay.opened":
      return line("plain", `接力开始：${event.title}（基线 ${event.base} ${short(event.baseCommit)}）`);
    case "session.started":
      return line("plain", `会话 ${event.session} 开始：${roles[event.role]}（${event.agent}）`);
    case "usage.measured":
      return line(
        "dim",
        `会话 ${event.session}：上下文用到 ${percent(event.contextTokens, event.windowTokens)}，${marks[event.mark]}`,
      );
    case "session.ended":
      return sessionEnded(event);
    case "handoff.recorded":
      return line("plain", `会话 ${event.session}：交接文档${sources[event.source]}`);
    case "submission.requested":
      return line("plain", `提交 ${event.submission}：commit ${short(event.head)}`);
    case "checks.ran":
      return line(
        event.ok ? "good" : "bad",
        `${targets[event.target]} ${event.n}：检查${event.ok ? "全部通过" : "失败"}`,
      );
    case "review.decided":
      return reviewDecided(event);
    case "merge.prepared":
      return line("dim", `提交 ${event.submission} 的合并已准备好：${short(event.commit)}`);
    case "merge.done":
      return line("good", `提交 ${event.submission} 已合并：${short(event.commit)}`);
    default:
      return describeEvent(event);
  }
}

const roles: Record<EventOf<"session.started">["role"], string> = { executor: "执行者", reviewer: "评审者" };

const marks: Record<EventOf<"usage.measured">["mark"], string> = {
  plan: "计划收尾",
  wrap_up: "开始收尾",
  stop: "停止",
};

const sources: Record<EventOf<"handoff.recorded">["source"], string> = {
  agent: "由 Agent 写成",
  completed: "由 Agent 写成，monoco 补全",
  generated: "由 monoco 生成",
};

const targets: Record<EventOf<"checks.ran">["target"], string> = {
  session: "会话",
  submission: "提交",
  merge: "合并",
};

/** The ends that the story has. */
const reasons: Partial<Record<StopReason, string>> = {
  context_limit: "上下文到达上限",
  failure: "失败",
  submitted: "已提交评审",
  decided: "已给出裁决",
};

function sessionEnded(event: EventOf<"session.ended">): Line {
  const figures = [
    `${(event.durationMs / 1000).toFixed(1)} 秒`,
    ...(event.contextTokens === undefined
      ? []
      : [`上下文 ${percent(event.contextTokens, event.windowTokens)}`]),
    ...(event.commits > 0 ? [`${event.commits} 个 commit`] : []),
    ...(event.wip ? ["保留了未提交的工作"] : []),
    ...(event.costUsd === undefined ? [] : [`$${event.costUsd.toFixed(2)}`]),
  ];
  const why = event.reason === "failure" && event.evidence[0] ? `（${event.evidence[0]}）` : "";
  return line(
    event.reason === "failure" ? "bad" : "plain",
    `会话 ${event.session} 结束：${reasons[event.reason] ?? event.reason}${why} [${figures.join("，")}]`,
  );
}

function reviewDecided(event: EventOf<"review.decided">): Line {
  const approved = event.verdict === "approve";
  const by = event.by === "reviewer" ? "评审者" : event.by === "pull_request" ? "拉取请求" : "人工";
  const findings = event.findings.map(({ severity, title }) => `${severity}：${title}`).join("；");
  return line(
    approved ? "good" : "bad",
    `提交 ${event.submission}：${by}${approved ? "批准" : "要求修改"}${findings === "" ? "" : `：${findings}`}`,
  );
}

function line(tone: Tone, text: string): Line {
  return { tone, text: plainLine(text, 400) };
}

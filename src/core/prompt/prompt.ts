/** Composes a session's prompt: role, contract, earlier work, facts. Text of agents and issues is fenced as data. */
import type { HandoffItem } from "../handoff/handoff.ts";
import { renderBrief } from "../handoff/render.ts";
import type { Issue } from "../issue/issue.ts";
import type { Language } from "../language/handoff-words.ts";
import type { CheckResult } from "../review/check-result.ts";
import type { Finding } from "../review/verdict-schema.ts";
import { checkMarks } from "../text/list-item.ts";
import { oneLine } from "../text/one-line.ts";
import { visible } from "../text/sanitize.ts";
import type { ValuesOf } from "../handoff/template-names.ts";
import { fillTemplate } from "../text/template.ts";
import { fence } from "./fence.ts";
import { foundText } from "./findings-text.ts";
import { reviewSections } from "./review-sections.ts";
import type { ReviewInput } from "./review-sections.ts";
import { sectionToJudge, section, checkText } from "./section.ts";

export type PromptInput = {
  language: Language;
  /** The role's text, and the frame around everything (templates/LANG/*-prompt.md). */
  roleText: string;
  frame: string;
  issue: Issue;
  contract: string;
  session: number;
  because: string;
  base: string;
  branch: string;
  quality: string;
  minutes: number;
  checks: readonly string[];
  facts: readonly string[];
  /** The learnings of merged relays about the repository. */
  learnings?: readonly string[];
  /** The last RALPH.md. */
  handoff?: { session: number; text: string } | undefined;
  findings?: { submission: number; findings: readonly Finding[]; summary?: string | undefined } | undefined;
  /** The Reviewer's changes in its clone as a patch, such as a failing test. */
  addition?: string | undefined;
  refusal?: string | undefined;
  /** A session's claims to be done, and why they did not count. */
  disbelieved?: { session: number; claims: readonly string[]; because: string } | undefined;
  /** Messages of people, and open questions. */
  said?: readonly { text: string; answerTo?: string }[];
  question?: string | undefined;
  mergeTrouble?: string | undefined;
  /** The checks that failed after the last session, with their output. */
  failed?: readonly (CheckResult & { tail: string })[] | undefined;
  loop?: { prompt: string; promise: string } | undefined;
  review?: ReviewInput | undefined;
};

/** The whole prompt; in the text of others, control sequences and invisible characters are escaped. */
export function composePrompt(input: PromptInput): string {
  const { issue, language } = input;
  const sections = input.review ? reviewSections(input, input.review) : executorSections(input);
  const values: ValuesOf<"executorPrompt" | "reviewerPrompt" | "loopPrompt"> = {
    role: input.roleText.trim(),
    issue: issue.id,
    title: oneLine(issue.title),
    session: String(input.session),
    because: input.because,
    base: input.base,
    branch: input.branch,
    quality: input.quality,
    minutes: String(input.minutes),
    checks: input.checks.map((command) => `\`${command}\``).join(", ") || "-",
    contract: fence(input.contract),
    submission: String(input.review?.submission ?? ""),
    head: input.review?.head.slice(0, 12) ?? "",
    mergeBase: input.review?.mergeBase.slice(0, 12) ?? "",
    verdict:
      input.review?.verdictBySchema === false
        ? verdictLine(input.review, language)
        : verdictBySchema[language],
    prompt: input.loop?.prompt ?? "",
    promise: input.loop?.promise ?? "",
    sections: sections.filter((section) => section !== "").join("\n\n"),
  };
  return visible(`${fillTemplate(input.frame, values).trim()}\n`);
}

/** The handoff. That of a person's own session (session 0) is shown verbatim, since it may have other sections. */
function handedOver(
  { session, text }: { session: number; text: string },
  language: Language,
  boxes: readonly HandoffItem[],
): string {
  return session === 0 ? text : renderBrief(text, language, boxes);
}

function executorSections(input: PromptInput): string[] {
  const { language, issue, handoff, findings } = input;
  const items = [...issue.tasks, ...issue.criteria];
  // The contract shows the same boxes until one of them is begun.
  const begun = items.some(({ state, text }) => state !== "todo" || !input.contract.includes(text));
  const open = items.filter(({ state }) => begun && (state === "todo" || state === "doing"));
  return [
    section("facts", language, input.facts.map((line) => `- ${oneLine(line)}`).join("\n")),
    section(
      "open",
      language,
      open.map(({ state, text }) => `- [${checkMarks[state]}] ${oneLine(text)}`).join("\n"),
    ),
    sectionToJudge("learnings", input.learnings ?? [], language),
    handoff ? section("handoff", language, fence(handedOver(handoff, language, items)), handoff.session) : "",
    findings ? section("findings", language, foundText(findings, language), findings.submission) : "",
    input.addition ? section("addition", language, fence(input.addition)) : "",
    section("said", language, (input.said ?? []).map((one) => saidText(one, language)).join("\n\n")),
    input.question
      ? section("question", language, `${unanswered[language]}\n\n${fence(input.question)}`)
      : "",
    input.refusal ? section("refusal", language, fence(input.refusal)) : "",
    input.disbelieved
      ? section("disbelieved", language, fence(disbelievedText(input.disbelieved)), input.disbelieved.session)
      : "",
    input.mergeTrouble ? section("mergeTrouble", language, fence(input.mergeTrouble)) : "",
    section("failed", language, (input.failed ?? []).map(checkText).join("\n\n")),
  ];
}

function disbelievedText({ claims, because }: NonNullable<PromptInput["disbelieved"]>): string {
  return `${claims.join("\n")}\n→ ${because}`;
}

/** A person's message is an instruction, not data; it is quoted to show where it ends. */
function saidText({ text, answerTo }: { text: string; answerTo?: string }, language: Language): string {
  const quoted = text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
  return answerTo === undefined ? quoted : `${asked[language]} ${oneLine(answerTo, 500)}\n\n${quoted}`;
}

const asked: Record<Language, string> = { en: "Asked:", zh: "所问：" };

const unanswered: Record<Language, string> = {
  en: "An earlier session asked this. If you can decide it yourself, do, and write the decision down. If you cannot, work on what does not depend on it.",
  zh: "此前的会话提出了这个问题。如果你能自己决定，就决定并记录下来；如果不能，就做不依赖它的工作。",
};

const verdictBySchema: Record<Language, string> = {
  en: "Return the verdict as your structured output.",
  zh: "以结构化输出返回裁决。",
};

/** Known fields appear by name only: their values are explained at their first use, or in the role. */
function verdictLine({ inspection, open }: ReviewInput, language: Language): string {
  const answers = inspection ? ',"answers":[{"id":"W1","text":"…"}]' : "";
  const trend = open ? ',"trend":"converging|stagnant|diverging"' : "";
  const shape = `{"type":"verdict","verdict":"approve|request_changes","criteria":[{"criterion":1,"result":"met|not_met|not_verifiable","command":"…","exitCode":0,"file":"…","line":1,"text":"…"}],"probes":[{command,exitCode,text}],"findings":[{id,severity,title,criterion,file,line,"evidence":{command,exitCode,text}}]${answers}${trend},"summary":"…"}`;
  return `${printLine[language]} ${shape}`;
}

const printLine: Record<Language, string> = {
  en: "Print the verdict as one line of JSON of this shape:",
  zh: "把裁决打印为一行 JSON，形式如下：",
};

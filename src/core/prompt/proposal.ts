/** An issue that an agent proposes for a person's request: read from the answer, and written as an issue's file. */
import { MonocoError } from "../error/error.ts";
import { objectsIn } from "../text/json-answer.ts";
import { inspectFrontMatter } from "../text/front-matter.ts";
import type { Language } from "../language/handoff-words.ts";
import { oneLine } from "../text/one-line.ts";
import { plain, plainLine } from "../text/sanitize.ts";
import { wordsOfIssue } from "../settings/schema-errors.ts";
import type { CriterionKind } from "../issue/criterion-kind.ts";
import { issueHeadings } from "../issue/document.ts";
import { withBody } from "../issue/draft.ts";
import { newIssue } from "../issue/edit.ts";
import { proposalSchema } from "./proposal-schema.ts";
import type { Proposal } from "./proposal-schema.ts";

const answerCharsMax = 50_000;

/** The last proposal in an answer, or the fault of its last object. */
export function proposalIn(answer: string): Proposal | { fault: string } {
  const all = objectsIn(answer, answerCharsMax).map((value) => proposalSchema.safeParse(value));
  const sound = all.find(({ success }) => success)?.data;
  if (sound) return tidied(sound);
  const fault = all[0]?.error?.issues[0];
  if (!fault) return { fault: "its answer holds no JSON object" };
  const place = fault.path.join(".");
  return { fault: `its JSON object is no issue: ${place === "" ? "" : `${place}: `}${wordsOfIssue(fault)}` };
}

/** The proposal with each text on one line and without invisible characters: it becomes a file and commands. */
function tidied({ title, type, objective, criteria, checks }: Proposal): Proposal {
  return {
    title: plainLine(title),
    type,
    objective: plain(objective),
    criteria: criteria.map((one) => ({ kind: one.kind, text: bare(plainLine(one.text, 500)) })),
    checks: checks.map((one) => plainLine(one, 500)),
  };
}

/** A criterion without its own box and kind. */
function bare(criterion: string): string {
  return criterion.replace(/^(?:[-*+] )?(?:\[[ xX/~-]\] )?/, "").replace(/^[(（][a-z_ -]{4,10}[)）]\s*/i, "");
}

const kindLabels: Record<CriterionKind, Record<Language, string>> = {
  behaves: { en: "(behaves)", zh: "（行为）" },
  as_before: { en: "(as before)", zh: "（不变）" },
  document: { en: "(document)", zh: "（文档）" },
  measured: { en: "(measured)", zh: "（度量）" },
};

export type NewIssue = { id: string; createdAt: string; language: Language };

/** The file, from the template of its type. Throws `input` if the objective would swallow the text after it. */
export function issueProposed(template: string, of: NewIssue, proposal: Proposal): string {
  const { title, objective, criteria, checks } = proposal;
  const { language } = of;
  const boxes = criteria.map((one) => `- [ ] ${kindLabels[one.kind][language]} ${one.text}`);
  const parts = [
    `## ${issueHeadings.objective[language]}`,
    objective,
    `## ${issueHeadings.criteria[language]}`,
    boxes.join("\n"),
  ];
  return withChecks(withBody(newIssue(template, { ...of, title }), parts.join("\n\n")), checks);
}

/** An issue made only of a person's text: its first line is the title, all of it the objective. No criteria. */
export function issueOfText(template: string, of: NewIssue, written: string): string {
  const [first = ""] = written.trim().split("\n");
  const title = oneLine(first.replace(/^[\s#>*-]+/, ""), 120) || oneLine(written, 120);
  const body = `## ${issueHeadings.objective[of.language]}\n\n${plain(written).trim()}`;
  return withBody(newIssue(template, { ...of, title: plainLine(title) }), body);
}

/** The issue with `checks` filled in; a template without `checks: []` gets an extra line. */
function withChecks(issue: string, checks: readonly string[]): string {
  if (checks.length === 0) return issue;
  const line = `checks: ${JSON.stringify(checks)}`;
  const { front } = inspectFrontMatter(issue);
  const head = issue.slice(0, front.bodyStart);
  const filled = /^checks: \[\][ \t]*$/m.test(head)
    ? head.replace(/^checks: \[\][ \t]*$/m, () => line)
    : head.replace(/\n---[ \t]*\n?$/, (end) => `\n${line}${end}`);
  const text = filled + issue.slice(front.bodyStart);
  if (JSON.stringify(inspectFrontMatter(text).front.data["checks"]) === JSON.stringify(checks)) return text;
  throw new MonocoError("input", "the template's front matter takes no checks", {
    hint: "give the template a line `checks: []`",
  });
}

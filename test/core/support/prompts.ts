/** The prompts that sessions get, with one letter for each text that is not monoco's own. */
import { readFileSync } from "node:fs";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import type { Language } from "../../../src/core/language/handoff-words.ts";
import { composePrompt } from "../../../src/core/prompt/prompt.ts";
import type { PromptInput } from "../../../src/core/prompt/prompt.ts";
import type { ReviewInput } from "../../../src/core/prompt/review-sections.ts";
import type { Finding } from "../../../src/core/review/verdict-schema.ts";
import { checkResult } from "./relays.ts";

const finding: Finding = { id: "x", severity: "major", title: "x", evidence: { text: "x" } };
const findings = { submission: 1, findings: [finding] };
const issue = parseIssue(
  "---\nid: FIX-0001\ntitle: x\ncreated_at: 2026-01-05T09:00:00Z\n---\n\n## Acceptance Criteria\n- [x] x\n",
  "issues/x.md",
);

const review: ReviewInput = {
  submission: 1,
  head: "x",
  mergeBase: "x",
  diff: "x",
  diffCut: false,
  checks: [{ ...checkResult(true), tail: "x" }],
  tampered: [],
  criteria: ["x"],
  earlier: [],
  verdictBySchema: true,
};

const again: ReviewInput = {
  ...review,
  inspection: {
    protected: [{ path: "x", kind: "ci" }],
    weakened: [{ file: "x", kind: "only", text: "x" }],
  },
  open: { ...findings, head: "x", delta: "x" },
};

const asked: ReviewInput = {
  ...review,
  again: { submission: 1, session: 1, verdict: "approve", why: ["x"], findings: [finding] },
};

/** By what they are for. */
export function ownWords(language: Language): Record<string, string> {
  const shipped = (path: string): string =>
    readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const role = (name: string): string => shipped(`roles/${name}${language === "zh" ? ".zh" : ""}.md`);
  const frame = (name: string): string => shipped(`templates/${language}/${name}-prompt.md`);
  const executor: PromptInput = {
    language,
    roleText: role("executor"),
    frame: frame("executor"),
    issue,
    contract: "x",
    session: 1,
    because: "x",
    base: "x",
    branch: "x",
    quality: "x",
    minutes: 1,
    checks: ["x"],
    facts: [],
  };
  const later = { ...executor, facts: ["x"], handoff: { session: 1, text: "x" } };
  const reviewer = { ...executor, roleText: role("reviewer"), frame: frame("reviewer") };
  const kinds: Record<string, PromptInput> = {
    "Executor, first session": executor,
    "Executor, successor": later,
    "Executor, after requested changes": { ...later, findings },
    Reviewer: { ...reviewer, review },
    "Reviewer, verdict in words": { ...reviewer, review: { ...review, verdictBySchema: false } },
    "Reviewer, all sections": { ...reviewer, review: again },
    "Reviewer, asked once more": {
      ...reviewer,
      frame: shipped(`templates/${language}/reviewer-again.md`),
      review: asked,
    },
    "Loop, successor": { ...later, frame: frame("loop"), loop: { prompt: "x", promise: "x" } },
  };
  return Object.fromEntries(Object.entries(kinds).map(([name, input]) => [name, composePrompt(input)]));
}

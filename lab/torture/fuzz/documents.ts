/** Documents that people and agents write: issues, handoffs, settings, drafts, imports, comments. */
import { editFrontMatter } from "../../../src/core/text/front-matter-edit.ts";
import { readChecklist } from "../../../src/core/exchange/checklist.ts";
import { readGithubIssues } from "../../../src/core/exchange/github-issues.ts";
import { readPrd } from "../../../src/core/exchange/prd.ts";
import { readJsonLines } from "../../../src/core/exchange/json-lines.ts";
import { learningsIn } from "../../../src/core/handoff/learnings.ts";
import { lintHandoff, pathsIn } from "../../../src/core/handoff/lint.ts";
import { parseHandoff } from "../../../src/core/handoff/handoff.ts";
import { renderHandoff } from "../../../src/core/handoff/render.ts";
import { kindOf } from "../../../src/core/issue/criterion-kind.ts";
import { draftOf, withBody } from "../../../src/core/issue/draft.ts";
import { mergeTicks } from "../../../src/core/issue/edit.ts";
import { fixIssue } from "../../../src/core/issue/fix.ts";
import { parseCard, parseIssue } from "../../../src/core/issue/issue.ts";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { documentBytesMax, handoffBytes, handoffBytesMax } from "../../../src/core/limits.ts";
import { parseSettings } from "../../../src/core/settings/file.ts";
import { inspectFrontMatter, splitFrontMatter } from "../../../src/core/text/front-matter.ts";
import { foundBefore, textsOf } from "./corpus.ts";
import type { Target } from "./target.ts";

const issues = textsOf("issues/**/*.md", "templates/*/issue-*.md", "test/fixtures/kinds/*.md");
const template = textsOf("templates/en/issue-feature.md")[0] ?? "";
const handoffs = textsOf("templates/*/RALPH.md");
const settings = textsOf("templates/**/*.yaml", "examples/**/*.yaml", "examples/**/*.yml");
/** Markdown and YAML are parsed by libraries, which read so many characters in a ms. */
const slowly = { charsPerMs: 40, charsMax: documentBytesMax };

/** A handoff as agents fill it in. */
const filledIn = `# Handoff

## Metadata

- Issue: FEAT-0001
- Session: 3
- Stop reason: context_limit
- Commit: 1a2b3c4

## Current state

- Stage: doing
- Working on: src/price.ts, the \`total\` of a basket

## Done

- [x] \`total\` adds up (src/price.ts:12)

## To do

- [ ] discounts

## Next steps

1. Write test/discount.test.ts

## Warnings

- ⚠️ \`npm test\` fails on the base
`;

const tracker = `{"id":"T-1","title":"A","description":"## Acceptance criteria\\n- [ ] x","labels":["bug"],"priority":1,"dependencies":["T-2"]}
{"id":"T-2","title":"B","status":"closed","criteria":["y"]}`;
const prd = JSON.stringify({
  project: "P",
  description: "d",
  userStories: [
    { id: "US-001", title: "t", description: "As a", acceptanceCriteria: ["c"], priority: 1, passes: false },
  ],
});
const github = JSON.stringify([
  {
    number: 1,
    title: "t",
    body: "- [ ] a",
    labels: [{ name: "bug" }],
    state: "OPEN",
    url: "https://github.com/a/b/issues/1",
  },
]);

const target = (
  name: string,
  corpus: readonly string[],
  read: (text: string) => unknown,
  more: Partial<Target> = slowly,
): Target => ({
  name,
  corpus: [...corpus, ...foundBefore(name)],
  read: (text) => void read(text),
  ...more,
});

export const documents: readonly Target[] = [
  target("issue", issues, (text) => parseIssue(text, "issue.md")),
  target("issue-lint", issues, (text) => lintIssue(text, "FEAT-0001-x.md")),
  target("issue-fix", issues, (text) => fixIssue(text, "FEAT-0001-x.md")),
  target("issue-card", issues, (text) => parseCard(text, "issue.md")),
  target("issue-edit", issues, (text) => editFrontMatter(text, { status: "closed", stage: undefined })),
  target("issue-ticks", issues, (text) => mergeTicks(template, text)),
  target(
    "front-matter",
    issues,
    (text) => {
      inspectFrontMatter(text);
      splitFrontMatter(text, "issue.md");
    },
    // It is read twice.
    { ...slowly, charsPerMs: slowly.charsPerMs / 2 },
  ),
  target("criterion", [...issues, ...textsOf("test/fixtures/kinds/*", "test/fixtures/wordings/*")], (text) =>
    kindOf(text),
  ),
  target("draft", issues, (text) => withBody(template, draftOf(text).body)),
  target("handoff", [...handoffs, filledIn], (text) => renderHandoff(parseHandoff(text), "en"), {
    ...slowly,
    charsMax: handoffBytesMax,
  }),
  target(
    "handoff-lint",
    [...handoffs, filledIn],
    (text) => {
      pathsIn(text);
      lintHandoff(text, {
        issue: "FEAT-0001",
        session: 3,
        filesKnown: () => false,
        filesTouched: ["src/price.ts"],
        checksOk: false,
        budgetBytes: handoffBytes,
      });
    },
    { ...slowly, charsMax: handoffBytesMax },
  ),
  target("learnings", [...handoffs, filledIn], (text) => learningsIn(text)),
  // A person's own file: the parser makes 1 kB of errors for each sign that it cannot place.
  target("settings", settings, (text) => parseSettings(text), { ...slowly, charsMax: 40_000 }),
  target("import-lines", [tracker], (text) => readJsonLines(text, "items.jsonl")),
  target("import-prd", [prd], (text) => readPrd(text, { file: "prd.json", language: "en" })),
  target("import-github", [github], (text) => readGithubIssues(text, "a/b")),
  target("import-checklist", issues, (text) => readChecklist(text, "todo.md")),
];

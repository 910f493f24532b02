/** What an agent says for a person's text, read as an issue or refused with what is wrong. */
import { expect, test } from "vitest";
import { isText } from "../../../src/core/issue/name.ts";
import { parseIssue } from "../../../src/core/issue/issue.ts";
import { issueOfText, issueProposed, proposalIn } from "../../../src/core/prompt/proposal.ts";
import { proposalJsonSchema } from "../../../src/core/prompt/proposal-schema.ts";
import type { Proposal } from "../../../src/core/prompt/proposal-schema.ts";

const sound: Proposal = {
  title: "A title",
  type: "chore",
  objective: "Why.",
  criteria: [{ kind: "behaves", text: "it answers" }],
  checks: [],
};
const json = JSON.stringify(sound);

test.for<[what: string, answer: string]>([
  ["the whole answer", json],
  ["a line of its own", `I looked.\n${json}\nThat is all.`],
  ["a code block, over lines", `Here:\n\n\`\`\`json\n${JSON.stringify(sound, null, 2)}\n\`\`\``],
  ["the last one that is sound", `${json.replace("A title", "First")}\n${json}\n{"title": 1}`],
])("a proposal is read from %s", ([, answer]) => {
  expect(proposalIn(answer)).toEqual(sound);
});

test.for<[what: string, answer: string, fault: string]>([
  ["nothing", "I would rather not.", "its answer holds no JSON object"],
  ["no criteria", JSON.stringify({ ...sound, criteria: [] }), "criteria: it must have at least 1 entry"],
  ["an epic", JSON.stringify({ ...sound, type: "epic" }), "type: it must be one of feature, fix, chore"],
  ["a kind that is none", json.replace("behaves", "works"), "criteria.0.kind: it must be one of behaves,"],
])("%s is refused with what is wrong", ([, answer, fault]) => {
  expect(proposalIn(answer)).toEqual({ fault: expect.stringContaining(fault) as string });
});

test("what would not be seen, or be a second box, is taken out", () => {
  const said = {
    ...sound,
    title: "A\u202e title\n",
    criteria: [{ kind: "as_before", text: "- [x] (as before) it holds" }],
  };
  expect(proposalIn(JSON.stringify(said))).toMatchObject({
    title: "A title",
    criteria: [{ text: "it holds" }],
  });
});

test("the schema that agents enforce leaves nothing out and bounds nothing", () => {
  expect(proposalJsonSchema()).toMatchObject({
    required: ["title", "type", "objective", "criteria", "checks"],
    additionalProperties: false,
    properties: { criteria: { items: { required: ["kind", "text"], additionalProperties: false } } },
  });
  expect(JSON.stringify(proposalJsonSchema())).not.toMatch(/Length|Items/);
});

const template = (front: string): string =>
  `---\nid: {{id}}\ntitle: {{title}}\n${front}---\n\n# {{title}}\n\n## Objective\n\n<!-- why -->\n\n## Acceptance Criteria\n\n- [ ] <!-- one -->\n`;
const of = { id: "FEAT-0007", createdAt: "2026-11-23T00:00:00Z", language: "en" } as const;

test.for<[what: string, front: string]>([
  ["fills in the template's empty list", "checks: []\n"],
  ["adds the line to a template without it", "tags: []\n"],
])("a check %s", ([, front]) => {
  const issue = issueProposed(template(`type: feature\n${front}`), of, { ...sound, checks: ['test "$A"'] });
  expect(parseIssue(issue, "x.md")).toMatchObject({
    checks: ['test "$A"'],
    criteria: [{ text: "(behaves) it answers" }],
  });
});

test("in a Chinese issue the kinds are Chinese", () => {
  const issue = issueProposed(template("type: feature\n"), { ...of, language: "zh" }, sound);
  expect(issue).toContain("## 验收标准\n\n- [ ] （行为） it answers");
});

test("a text alone is the title and the objective, and has no criteria", () => {
  const issue = issueOfText(template("type: feature\n"), of, "# Fix it\n\nIt hangs.");
  expect(parseIssue(issue, "x.md")).toMatchObject({ title: "Fix it", criteria: [] });
  expect(issue).toContain("It hangs.");
});

test.for<[given: string, is: boolean]>([
  ["Fix the login page", true],
  ["修复登录页面", true],
  ["FEAT-0001", false],
  ["feat-1", false],
  [" FEAT-0001 ", false],
  ["login", false],
  ["", false],
])("%j as an argument of run is a text: %s", ([given, is]) => {
  expect(isText(given)).toBe(is);
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adviceWords } from "../../../src/views/hint.ts";
import { lintIssue } from "../../../src/core/issue/lint.ts";
import { english, file } from "../support/issues.ts";

const lint = (front: string, body = "## Objective\nx\n## Acceptance Criteria\n- [ ] y\n"): string[] =>
  lintIssue(`---\nid: FEAT-0001\ntitle: t\n${front}---\n${body}`, file).map(
    ({ line, message }) => `${line}: ${message}`,
  );

const body = "\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- [ ] y\n";

/** An issue that has only what the row is about. */
const issue = (front: string, more = body): string => `---\nid: FEAT-0001\ntitle: t\n${front}---\n${more}`;

/** What is wrong, the file's content, and what lint says: `line: message`, and the remedy. */
type Rule = [rule: string, content: string, ...found: [said: string, remedy: RegExp][]];

const frontMatterRules: Rule[] = [
  [
    "no front matter",
    `# A title\n${body}`,
    ["1: no front matter", /monoco issue create \(writes an issue\)/],
  ],
  ["an empty file", "", ["1: no front matter", /monoco issue create \(writes an issue\)/]],
  [
    "code in the front matter (TRAP 37)",
    "---js\n({ id: process.exit(9) })\n---\n",
    ["1: front matter must begin with a line of exactly ---, not ---js", /plain YAML, never code/],
  ],
  [
    "front matter that never ends",
    "---\nid: FEAT-0001\n",
    ["1: the front matter never ends", /a line of exactly ---$/],
  ],
  [
    "a line that cuts it",
    "---\nid: FEAT-0001\n--- x\ntitle: t\n---\n",
    ["3: a line that begins with --- cuts the front matter", /a line of exactly ---$/],
  ],
  [
    "front matter without measure",
    issue(`x: ${"y".repeat(40_000)}\n`),
    ["1: the front matter is longer than 32768 characters", /keep what is long in the body/],
  ],
  [
    "front matter with a hole in it",
    issue(`stage: doing${"\n".repeat(2_000)}tags: []\n`),
    ["4: more than 1000 blank characters in a row", /take the empty lines out/],
  ],
  ["broken YAML", issue("tags: [a\n"), [expect.stringMatching(/^\d+: .*flow/i) as never, /plain YAML/]],
  [
    "a list for front matter",
    `---\n- id\n---\n${body}`,
    ["2: the front matter is no list of keys", /plain YAML/],
  ],
  ["a key that stands twice", issue("stage: doing\nstage: draft\n"), ["5: stage stands twice", /keep one/]],
  ["no id", `---\ntitle: t\n---\n${body}`, ["1: no id", /monoco issue create \(writes an issue\)/]],
  [
    "an id that is none",
    `---\nid: ../../etc/passwd\ntitle: t\n---\n${body}`,
    ['2: id cannot be "../../etc/passwd"', /capitals, a dash, four digits or more: FEAT-0001/],
  ],
  ["a type that is none", issue("type: story\n"), ['4: type cannot be "story"', /feature, fix, chore, epic/]],
  ["a status that is none", issue("status: gone\n"), ['4: status cannot be "gone"', /open, closed, backlog/]],
  [
    "a stage that is none",
    issue("stage: soon\n"),
    ['4: stage cannot be "soon"', /draft, doing, review, done, freezed/],
  ],
  [
    "a solution that is none",
    issue("status: closed\nstage: done\nsolution: magic\n"),
    ['6: solution cannot be "magic"', /implemented, cancelled, wontfix, duplicate/],
  ],
  [
    "a criticality that is none",
    issue("criticality: huge\n"),
    ['4: criticality cannot be "huge"', /low, medium, high, critical/],
  ],
  [
    "a value that is no word",
    issue("priority: { a: b }\n"),
    ['4: priority cannot be {"a":"b"}', /a word, or a list/],
  ],
  [
    "a list that holds no words",
    issue("checks: [{ a: b }]\n"),
    ['4: checks cannot be [{"a":"b"}]', /a list of words/],
  ],
  ["a title that is nowhere", `---\nid: FEAT-0001\n---\n${body}`, ["1: no title", /add `title: …`/]],
  [
    "a prefix that tells no type",
    issue("").replace("FEAT-0001", "TASK-0001"),
    ["2: the file's name does not begin with TASK-0001", /rename it to TASK-0001-t\.md/],
    ["2: the id's prefix tells no type", /add `type:` with one of feature, fix, chore, epic/],
  ],
  [
    "another id than its file's name",
    issue("").replace("FEAT-0001", "FEAT-9999"),
    ["2: the file's name does not begin with FEAT-9999", /rename it to FEAT-9999-t\.md/],
  ],
  [
    "closed without a solution",
    issue("status: closed\nstage: done\nclosed_at: 2026-01-31T09:00:00Z\n"),
    ["4: closed without a solution", /implemented \| cancelled \| wontfix \| duplicate/],
  ],
  [
    "open with a solution",
    issue("solution: wontfix\n"),
    ["4: open, and yet it has a solution", /set status: closed and stage: done, or take it out/],
  ],
  [
    "a stage that its status does not have",
    issue("status: backlog\nstage: review\n"),
    ["5: backlog and review do not go together", /backlog goes with draft, freezed/],
  ],
  ...["created_at", "updated_at", "opened_at", "closed_at"].map((key): Rule => [
    `a time without a zone: ${key}`,
    issue(`${key}: 2026-01-31T09:00:00\n`),
    [`4: ${key} is no time with a zone: 2026-01-31T09:00:00`, /like 2026-01-31T09:00:00Z/],
  ]),
  [
    "a dependency that is no id",
    issue("dependencies: [x]\n"),
    ["4: x is no issue's id", /ids look like FEAT-0001/],
  ],
  [
    "a dependency on itself",
    issue("dependencies: [FEAT-0001]\n"),
    ["4: it depends on itself", /take it out of the list/],
  ],
  [
    "front matter that could not be closed",
    `---\n{ id: FEAT-0001, title: t }\n---\n${body}`,
    ["2: monoco could not close it without breaking its front matter", /without braces and anchors/],
  ],
];

const bodyRules: Rule[] = [
  [
    "no objective",
    issue("", "\n## Acceptance Criteria\n\n- [ ] y\n"),
    ["5: no objective", /^say under `## Objective` what/],
  ],
  [
    "an objective of comments",
    issue("", "\n## 目标\n\n<!-- x -->\n\n## 验收标准\n\n- [ ] y\n"),
    ["6: no objective", /what is to be achieved, and why/],
  ],
  [
    "no criteria",
    issue("", "\n## Objective\n\nx\n"),
    ["5: no acceptance criteria", /^list under `## Acceptance Criteria` what/],
  ],
  [
    "criteria of comments",
    issue("", "\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- [ ] <!-- y -->\n"),
    ["10: no acceptance criteria", /what must hold: `- \[ \] …`/],
  ],
  [
    "criteria that cannot be ticked",
    issue("", "\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- y\n"),
    ["12: acceptance criteria without checkboxes", /write them as `- \[ \] …`/],
  ],
  [
    "a section that stands twice, in another language",
    issue("", `${body}\n## 目标\n\nz\n`),
    ['14: a second section "目标"; only the first counts', /put the two together/],
  ],
  [
    "lines that end in CRLF, after a BOM",
    `\uFEFF${issue("stage: done\n")}`.replaceAll("\n", "\r\n"),
    ["4: open and done do not go together", /open goes with draft, doing, review/],
  ],
];

describe("lint", () => {
  test("a good issue has no finding", () => expect(lint("")).toEqual([]));

  test.for<[string, string[]]>([
    ["status: closed\nstage: done\n", ["4: closed without a solution"]],
    ["solution: wontfix\n", ["4: open, and yet it has a solution"]],
    ["stage: done\n", ["4: open and done do not go together"]],
    ["created_at: 2026-01-31T09:00:00+08:00\n", []],
    ["priority: whenever\n", ['4: unknown priority "whenever"']],
    ["priority: High\n", []],
    ["priority: 12\n", []],
    ["dependencies: [FEAT-0001, x]\n", ["4: x is no issue's id", "4: it depends on itself"]],
  ])("%j", ([front, expected]) => expect(lint(front)).toEqual(expected));

  test.for([...frontMatterRules, ...bodyRules])(
    "finds %s, and says what to do",
    ([, content, ...expected]) => {
      const found = lintIssue(content, file, { checks: ["make test"] });
      expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual(expected.map(([said]) => said));
      for (const [at, [, remedy]] of expected.entries()) expect(adviceWords(found[at]!.hint)).toMatch(remedy);
    },
  );

  test("the hint about a priority lists the allowed values", () => {
    const lintPriority = (priority: string): object[] =>
      lintIssue(english.replace("priority:", `priority: ${priority}`), file);
    const hint =
      "one of critical, urgent, highest, p0, high, p1, medium, normal, p2, low, p3, lowest, trivial, p4, or a whole number (1 before 2)";
    expect(lintPriority("whenever")).toMatchObject([{ level: "error", hint }]);
  });

  test("hints name the headings of the project's language, and of no other", () => {
    const hints = (language: "en" | "zh"): string =>
      JSON.stringify(lintIssue("---\nid: FEAT-0001\ntitle: t\n---\n", file, { language }));
    expect(hints("en")).toContain("## Objective");
    expect(hints("en")).toContain("## Acceptance Criteria");
    expect(hints("en")).not.toMatch(/\p{Script=Han}/u);
    expect(hints("zh")).toContain("## 目标");
    expect(hints("zh")).toContain("## 验收标准");
  });

  test.for([["issues/FEAT-00011-x.md"], ["issues/log-in.md"]])("the file name %s is a finding", ([name]) => {
    expect(lintIssue(english, name!)).toMatchObject([
      { line: 2, message: "the file's name does not begin with FEAT-0001" },
    ]);
  });

  test("a measured criterion without a margin, and work without checks, are warned of; a closed issue of neither", () => {
    const of = (front: string, checks: readonly string[]): string[] =>
      lintIssue(
        `---\nid: FEAT-0001\ntitle: t\n${front}---\n## Objective\nx\n## Acceptance Criteria\n- [ ] (measured: ≥ 20 % fewer calls) y\n- [~] (measured) x\n- [ ] (measured) z\n`,
        file,
        { checks },
      ).map(({ line, level, message }) => `${line} ${level}: ${message}`);
    const margin = "warning: measured, and it names no margin that monoco can read";
    expect(of("", ["npm test"])).toEqual([`10 ${margin}`]);
    expect(of("", [])).toEqual([
      "1 warning: no checks: only words would show that it is done",
      `10 ${margin}`,
    ]);
    const closed = "status: closed\nstage: done\nsolution: implemented\nclosed_at: 2026-01-31T09:00:00Z\n";
    expect(of(closed, [])).toEqual([]);
  });

  test.for([
    ["", undefined, 1],
    ["", "bash", 1],
    ["", "bash -eo pipefail", 0],
    ["", ["zsh", "-o", "PIPE_FAIL"], 0],
    ["status: closed\nstage: done\nsolution: implemented\nclosed_at: 2026-01-31T09:00:00Z\n", undefined, 0],
  ] as const)("a check that ends by a pipe is warned of: %j", ([front, shell, warnings]) => {
    const checks = 'checks: ["npm test | tee log", "npm test || npm run again"]\n';
    const found = lintIssue(issue(checks + front), file, { checks: [], shell });
    expect(found.map(({ line, level }) => `${line} ${level}`)).toEqual(Array(warnings).fill("4 warning"));
  });

  test("no text makes it throw", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((it) => `---\nid: ${it}\n---\n${it}`),
    );
    fc.assert(fc.property(text, (it) => void lintIssue(it, "x.md")));
  });
});

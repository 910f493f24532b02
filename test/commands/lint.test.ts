/** monoco issue lint: every rule with file, line and remedy, for people and with --json; exit code 2 where there is anything. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test } from "../support/full.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";

const body = "\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- [ ] y\n";

/** An issue that has only what the row is about; ID stands for the id of the row. */
const issue = (front: string, more = body): string => `---\nid: ID\ntitle: t\n${front}---\n${more}`;

/** What is wrong, the file's content, and what lint says: `line: message`, and the remedy. */
type Rule = [rule: string, content: string | Buffer, ...found: [said: string, remedy: RegExp][]];

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
    "---\nid: ID\n",
    ["1: the front matter never ends", /a line of exactly ---$/],
  ],
  [
    "a line that cuts it",
    "---\nid: ID\n--- x\ntitle: t\n---\n",
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
  ["a title that is nowhere", `---\nid: ID\n---\n${body}`, ["1: no title", /add `title: …`/]],
  [
    "a prefix that tells no type",
    issue("").replace("ID", "TASK-0001"),
    ["2: the file's name does not begin with TASK-0001", /rename it to TASK-0001-t\.md/],
    ["2: the id's prefix tells no type", /add `type:` with one of feature, fix, chore, epic/],
  ],
  [
    "another id than its file's name",
    issue("").replace("ID", "FEAT-9999"),
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
    issue("dependencies: [ID]\n"),
    ["4: it depends on itself", /take it out of the list/],
  ],
  [
    "front matter that could not be closed",
    `---\n{ id: ID, title: t }\n---\n${body}`,
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

const fileRules: Rule[] = [
  [
    "bytes that are not UTF-8",
    Buffer.concat([Buffer.from(issue("")), Buffer.from([0x66, 0xfc, 0x72, 0x0a])]),
    ["13: bytes that are not UTF-8", /save it as UTF-8/],
  ],
  [
    "more than a document may have",
    issue("", `${body}${"x\n".repeat(524_288)}`),
    ["1: it is larger than 262144 bytes", /move it away/],
  ],
];

const rules = [...frontMatterRules, ...bodyRules, ...fileRules];
const idOf = (index: number): string => `FEAT-${String(index + 1).padStart(4, "0")}`;
const pathOf = (index: number): string => `issues/${idOf(index)}-规则.md`;

type Found = { file: string; line: number; message: string; hint: string };

describe("issue lint", () => {
  let sandbox: Sandbox;
  let project: string;
  let told: Ran;
  let found: { files: number; faults: Found[] };
  const monoco = (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: project });
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  };

  beforeAll(async () => {
    sandbox = openSandbox();
    project = join(sandbox.folder, "a project");
    mkdirSync(project);
    await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
    write("monoco.yaml", "checks: [make test]\n");
    for (const [index, [, content]] of rules.entries())
      write(pathOf(index), typeof content === "string" ? content.replaceAll("ID", idOf(index)) : content);
    const json = await monoco("issue", "lint", "--json");
    expect(json).toMatchObject({ exitCode: 2, stderr: "" });
    found = JSON.parse(json.stdout) as typeof found;
    told = await monoco("issue", "lint");
  });
  afterAll(() => sandbox.dispose());

  test.for(rules.map((rule, index) => [rule[0], index] as const))("finds %s", ([, index]) => {
    const [, , ...expected] = rules[index]!;
    const here = found.faults.filter(
      (fault) => fault.file === pathOf(index) && !/also in/.test(fault.message),
    );
    expect(here.map(({ line, message }) => `${line}: ${message}`)).toEqual(expected.map(([said]) => said));
    for (const [at, [, remedy]] of expected.entries()) expect(here[at]!.hint).toMatch(remedy);
    for (const { line, message, hint } of here) {
      const lines = told.stdout.split("\n");
      const stands = lines.findIndex((text) =>
        text.startsWith(`${pathOf(index)}:${line}: ${message.slice(0, 60)}`),
      );
      expect(stands, told.stdout).toBeGreaterThanOrEqual(0);
      expect(lines[stands + 1]).toBe(`  hint: ${hint}`);
    }
  });

  it("says how many there are, and ends with 2", () => {
    expect(found.files).toBe(rules.length);
    expect(told).toMatchObject({ exitCode: 2, stderr: "" });
    expect(told.stdout).toMatch(new RegExp(`\n${found.faults.length} faults in ${rules.length} issues$`));
  });

  it("of one issue looks at that one only; a good one ends with 0, and nothing is changed", async () => {
    write("issues/deep/FEAT-0900-good.md", issue("").replace("ID", "FEAT-0900"));
    const before = await sandbox.sh(project, "cat issues/*.md issues/deep/* | cksum; git status --porcelain");
    expect(transcript(await monoco("issue", "lint", "FEAT-0900"))).toMatchInlineSnapshot(
      `"1 issue, nothing wrong"`,
    );
    const one = await monoco("issue", "lint", "FEAT-0900", "--json");
    expect(JSON.parse(one.stdout)).toEqual({ files: 1, faults: [] });
    expect(await sandbox.sh(project, "cat issues/*.md issues/deep/* | cksum; git status --porcelain")).toBe(
      before,
    );
  });

  it("with --kinds says what evidence each criterion asks for, and whether that is guessed", async () => {
    const criteria =
      "- [~] (document) gone\n- [ ] y\n- [ ] (as before) old tests pass\n- [ ] all tests still pass";
    write(
      "issues/FEAT-0902-kinds.md",
      issue("", body.replace("- [ ] y", criteria)).replace("ID", "FEAT-0902"),
    );
    expect(
      await transcriptOf(monoco, [
        ["issue", "lint", "FEAT-0902"],
        ["issue", "lint", "FEAT-0902", "--kinds"],
      ]),
    ).toMatchInlineSnapshot(`
      "$ monoco issue lint FEAT-0902
      1 issue, nothing wrong
      $ monoco issue lint FEAT-0902 --kinds
      issues/FEAT-0902-kinds.md: criteria: 1 behaves (guessed), 2 as before, 3 as before (guessed)
        hint: write (behaves), (as before), (document) or (measured: …) before a criterion to settle its kind
      1 issue, nothing wrong"
    `);
    const json = await monoco("issue", "lint", "FEAT-0902", "--kinds", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      kinds: [
        {
          file: "issues/FEAT-0902-kinds.md",
          criteria: [
            { line: 13, kind: "behaves", guessed: true },
            { line: 14, kind: "as_before", guessed: false },
            { line: 15, kind: "as_before", guessed: true },
          ],
        },
      ],
    });
  });

  test("an id in two files is found in both languages of files, wherever they lie", async () => {
    write("issues/a/FEAT-0901-one.md", issue("").replace("ID", "FEAT-0901"));
    write("Issues/FEAT-0901-two.md", issue("").replace("ID", "FEAT-0901"));
    const linted = await monoco("issue", "lint", "FEAT-0901", "--json");
    expect(linted).toMatchObject({ exitCode: 2 });
    const { faults } = JSON.parse(linted.stdout) as { faults: Found[] };
    expect(faults).toContainEqual({
      file: "issues/a/FEAT-0901-one.md",
      line: 1,
      message: "FEAT-0901 is also in Issues/FEAT-0901-two.md",
      hint: "monoco issue lint --fix gives this one, the younger, a new id",
      level: "error",
      fixable: false,
    });
  });

  test("an id that is in no file, and one that is no id, are errors with what to do", async () => {
    expect(
      await transcriptOf(monoco, [
        ["issue", "lint", "FEAT-0999"],
        ["issue", "lint", "../x"],
      ]),
    ).toMatchInlineSnapshot(`
      "$ monoco issue lint FEAT-0999
      ! error: no such file: issues/**/FEAT-0999*.md in /place/a project
      ! hint: monoco issue list shows those that are there
      exit 2
      $ monoco issue lint ../x
      ! error: "../x" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2"
    `);
  });
});

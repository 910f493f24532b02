/** monoco issue lint: what it finds with file, line and remedy, for people and with --json; exit code 2 where there is anything. The rules: test/core/issue/lint.test.ts. */
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

const rules: Rule[] = [
  ["a status that is none", issue("status: gone\n"), ['4: status cannot be "gone"', /open, closed, backlog/]],
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

  // TRAP 72
  it("warns of a check in monoco.yaml that a pipe ends, whatever issue is asked for, and names the way out", async () => {
    write("issues/deep/FEAT-0903-good.md", issue("").replace("ID", "FEAT-0903"));
    write(
      "monoco.yaml",
      "checks:\n  - npm run lint\n  - run: npm test 2>&1 | tee log\n    select: node --test {files}\n",
    );
    const warned = transcript(await monoco("issue", "lint", "FEAT-0903"));
    write("monoco.yaml", "shell: bash -o pipefail\nchecks: [npm test | tee log]\n");
    expect(await monoco("issue", "lint", "FEAT-0903")).toMatchObject({ stdout: "1 issue, nothing wrong" });
    write("monoco.yaml", "checks: [make test]\n");
    expect(warned).toMatchInlineSnapshot(`
      "monoco.yaml:3: warning: the check \`npm test 2>&1 | tee log\` ends with the exit status of the last command of its pipe: no failure before that counts
        hint: set shell: bash -o pipefail in monoco.yaml, or write \`set -o pipefail; …\` before it
      1 warning in 1 issue"
    `);
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
      ! error: FEAT-0999 is not here: no file issues/**/FEAT-0999*.md in /place/a project
      ! hint: monoco issue list shows those that are there
      exit 2
      $ monoco issue lint ../x
      ! error: "../x" is not an issue's id
      ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
      exit 2"
    `);
  });
});

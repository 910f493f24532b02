/** monoco issue create: text from -m, standard input or an editor becomes an issue; what is none is refused, and nothing is written. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseIssue } from "../../src/core/issue/issue.ts";
import type { Issue } from "../../src/core/issue/issue.ts";
import { lintIssue } from "../../src/core/issue/lint.ts";
import { main } from "../../src/main.ts";
import { openSandbox } from "../support/cli.ts";
import type { Ran, RunOptions, Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
let project: string;
beforeEach(async () => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "project");
  mkdirSync(project);
  await sandbox.sh(project, "git init -q -b main . && git commit -q --allow-empty -m Begin");
});
afterEach(() => sandbox.dispose());

const create = (args: string[], options: RunOptions = {}): Promise<Ran> =>
  sandbox.monoco(["issue", "create", ...args], { cwd: project, ...options });

async function created(args: string[], options?: RunOptions): Promise<{ source: string; issue: Issue }> {
  const ran = await create([...args, "--json"], options);
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  const { path } = JSON.parse(ran.stdout) as { path: string };
  const source = readFileSync(join(project, path), "utf8");
  expect(lintIssue(source, path, { checks: ["true"] })).toEqual([]);
  return { source, issue: parseIssue(source, path) };
}

const headings = (source: string): string[] => [...source.matchAll(/^## (.*)$/gm)].map(([, words]) => words!);

describe("what is written becomes the issue", () => {
  test("-m: the first line is the title, what follows the objective, and boxes at its end the criteria", async () => {
    const { source, issue } = await created([
      "-m",
      "Log in: `{{id}}`",
      "-m",
      "Only members\nsee /members.\n\n- a list of why",
      "-m",
      "- [ ] (behaves) it asks\n- [ ] all tests still pass",
      "--type",
      "fix",
    ]);
    expect(issue).toMatchObject({
      id: "FIX-0001",
      title: "Log in: `{{id}}`",
      objective: "Only members\nsee /members.\n\n- a list of why",
    });
    expect(issue.criteria.map((one) => one.text)).toEqual(["(behaves) it asks", "all tests still pass"]);
    expect(headings(source)).toEqual(["Objective", "Acceptance Criteria"]);
  });

  test("standard input: sections are recognised in any order, others stay, and what is missing comes from the template", async () => {
    const input =
      "\uFEFF# Log in\r\n\r\n## Notes\r\n\r\n```\r\n## no heading\r\n```\r\n\r\n## 验收标准\r\n\r\n- [ ] it asks\r\n\r\n## Objective\r\n\r\nMembers.\r\n";
    const { source, issue } = await created(["-"], { input });
    expect(issue).toMatchObject({ title: "Log in", objective: "Members.", criteria: [{ text: "it asks" }] });
    expect(headings(source)).toEqual(["Notes", "no heading", "验收标准", "Objective"]);
    expect(source).toContain("## Notes\n\n```\n## no heading\n```\n\n## 验收标准\n\n- [ ] it asks\n");
  });

  test("in the language of the template, and a title alone is the template as it is", async () => {
    writeFileSync(join(project, "monoco.yaml"), "language: zh\n");
    const { source } = await created(["-m", "登录\n\n为会员。\n\n- [ ] 要求登录"]);
    expect(headings(source).slice(0, 2)).toEqual(["目标", "验收标准"]);
    const ran = await create(["-m", "登录"]);
    expect(ran.stdout).toContain("下一步：写好目标和验收标准");
    expect(readFileSync(join(project, ran.stdout.split("\n")[0]!), "utf8")).toContain("<!--");
  });
});

test.each(["feature", "fix", "chore", "epic"])(
  "the template of a %s has what is judged, and no open work that nobody wrote",
  async (type) => {
    const ran = await create(["A title", "--type", type, "--json"]);
    const { path } = JSON.parse(ran.stdout) as { path: string };
    const source = readFileSync(join(project, path), "utf8");
    expect(headings(source)).toEqual(["Objective", "Acceptance Criteria"]);
    expect(parseIssue(source, path).tasks).toEqual([]);
  },
);

describe("refused with exit code 2, and nothing is written", () => {
  test.for<[what: string, args: string[], input: string, said: RegExp]>([
    ["no title at all", [], "", /an issue needs a title/],
    ["an empty -m", ["-m", " \n"], "", /an issue needs a title/],
    ["empty input", ["-"], "", /an issue needs a title/],
    ["front matter", ["-"], "---\nid: FEAT-0009\n---\n", /no front matter/],
    ["a section for a title", ["-"], "## Objective\n\nx\n", /first line is the title/],
    ["a title and -m", ["A", "-m", "B"], "", /not two of them/],
    ["- and -m", ["-", "-m", "B"], "A\n", /not two of them/],
    ["bytes that are no text", ["-"], "A\n\0", /expected text, and no zero byte/],
    ["a block that never ends", ["-m", "A\n\n```\n- [ ] b"], "", /never ends/],
    ["more than an issue may have", ["-"], `A\n\n${"x\n".repeat(131_072)}`, /at most 262144 bytes/],
    ["--edit without a terminal", ["A", "--edit"], "", /not without a terminal/],
  ])("%s", async ([, args, input, said]) => {
    const ran = await create(args, { input, env: { EDITOR: "true" } });
    expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ran.stderr).toMatch(said);
    expect(readdirSync(project)).toEqual([".git"]);
  });
});

describe("--edit", () => {
  /** As at a terminal; `script` is the editor. */
  async function editing(script: string | undefined, variable = "EDITOR"): Promise<Omit<Ran, "signal">> {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((stream) =>
      Object.assign(stream, { isTTY: true }),
    );
    const path = join(sandbox.folder, "my editor");
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    const env = { ...sandbox.env, ...(script !== undefined && { [variable]: `'${path}' -w` }) };
    const argv = ["issue", "create", "Log in", "--edit"];
    const exitCode = await main(argv, { cwd: project, env, stdin: stdin!, stdout: stdout!, stderr: stderr! });
    stdout!.end();
    stderr!.end();
    return { exitCode, stdout: await text(stdout!), stderr: await text(stderr!) };
  }
  const path = (): string => join(project, "issues/FEAT-0001-log-in.md");

  test.for(["EDITOR", "VISUAL"])("opens the new file in $%s, arguments and all", async (variable) => {
    const ran = await editing('test "$1" = -w && echo "- [ ] edited" >> "$2"', variable);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ran.stdout).toContain("issues/FEAT-0001-log-in.md\nnext: commit it");
    expect(readFileSync(path(), "utf8")).toMatch(/^title: Log in$[^]*\n- \[ \] edited\n$/m);
  });

  test("where no editor is named it is refused; one that fails leaves what it saved, and else nothing", async () => {
    expect(await editing(undefined)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("neither VISUAL nor EDITOR") as string,
    });
    expect(await editing("exit 3")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("the editor ended with 3; no issue was written") as string,
    });
    expect(existsSync(path())).toBe(false);
    expect(await editing('echo more >> "$2"; exit 1')).toMatchObject({ exitCode: 2 });
    expect(readFileSync(path(), "utf8")).toContain("more\n");
  });
});

/** monoco issue lint --fix on a real tree: a monoco tree of old, with nested folders, upper case and Chinese; and what lint knows between issues. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSandbox } from "../support/cli.ts";
import type { Ran, Sandbox } from "../support/cli.ts";
import { full as test } from "../support/full.ts";

let sandbox: Sandbox;
let project: string;
const monoco = (...args: string[]): Promise<Ran> => sandbox.monoco(args, { cwd: project });
const write = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};
const read = (path: string): string => readFileSync(join(project, path), "utf8");
type Told = { faults: { file: string; line: number; level: string; message: string }[]; fixed?: object[] };
const json = async (...args: string[]): Promise<Told> =>
  JSON.parse((await monoco("issue", "lint", "--json", ...args)).stdout) as Told;

beforeEach(async () => {
  sandbox = openSandbox();
  project = join(sandbox.folder, "a project, 项目");
  mkdirSync(project);
  write("monoco.yaml", "checks: [make test]\n");
  await sandbox.sh(project, "git init -q -b main . && git add -A && git commit -qm Begin");
});
afterEach(() => sandbox.dispose());

/** As the trees of the protocol's first tool have them: more keys than ours, naive quoting, sections in Chinese. */
const old: Record<string, string> = {
  "Issues/Epics/open/EPIC-0001-接力协议.md": `---
id: EPIC-0001
uid: 8f2a1c
type: epic
status: open
stage: doing
title: 接力协议
created_at: '2026-01-13T09:00:00+08:00'
opened_at: '2026-01-13T09:00:00+08:00'
updated_at: '2026-01-20T09:00:00+08:00'
parent: EPIC-0000
dependencies: []
related: []
domains:
- AgentRuntime
tags:
- '#EPIC-0001'
files: []
criticality: high
solution: null # implemented, cancelled, wontfix, duplicate
owner: null
---

## EPIC-0001: 接力协议

## 目标
让多个会话接力完成一个 issue。

## 验收标准
- [/] 一次接力合并一个提交

## 技术任务

- [ ] 拆分
`,
  "Issues/Epics/open/EPIC-0000-root.md": `---\nid: EPIC-0000\ntype: epic\nstatus: open\nstage: doing\ntitle: Root\n---\n\n## Objective\nAll of it.\n\n## Acceptance Criteria\n- [ ] \`npm test\` passes\n`,
  "Issues/Features/open/FEAT-0002-停止钩子.md": `---
id: FEAT-0002
type: feature
status: open
stage: review
title: "停止钩子: on-stop"
parent: EPIC-0001
dependencies:
- FEAT-0001
tags: ['#EPIC-0001', '#FEAT-0002']
priority: high
---

## FEAT-0002: 停止钩子

## 目标

会话结束前自检。

## 验收标准

- [x] \`monoco hook on-stop\` 以 0 退出
- [-] 缺少交接文档时阻止一次

## 技术任务
- [x] 解析标准输入
  - [X] 限时
- [+] 旧的方案
- [~] 另一个

## 评审记录

- 2026-01-20 请补测试
`,
  "Issues/Features/closed/FEAT-0001-handoff.md": `---\nid: FEAT-0001\ntype: feature\nstatus: closed\nstage: done\nsolution: implemented\ntitle: Handoff\nparent: EPIC-0001\nclosed_at: '2026-01-15T09:00:00+08:00'\n---\n\n## 目标\n\nx\n\n## 验收标准\n\n- [x] 有 1 个文件\n`,
  "Issues/Chores/backlog/CHORE-0001-later.md": `---\nid: CHORE-0001\ntype: chore\nstatus: backlog\nstage: freezed\ntitle: Later\n---\n\n## Objective\nx\n\n## Acceptance Criteria\n- [ ] 1 file\n`,
  "Issues/Fixes/closed/FIX-0001-双.md": `---\nid: FIX-0001\ntype: fix\nstatus: closed\nstage: done\nsolution: duplicate\ntitle: 双\nclosed_at: '2026-01-15T09:00:00+08:00'\n---\n\n## 目标\nx\n\n## 验收标准\n- [ ] 1 个\n`,
};

test("a tree of old loads unchanged: nested, in upper case, in Chinese, with keys that are not ours", async () => {
  for (const [path, text] of Object.entries(old)) write(path, text);
  await sandbox.sh(project, "git add -A && git commit -qm Old");
  expect(await json()).toEqual({ files: 6, faults: [] });
  expect((await monoco("issue", "lint", "--fix")).stdout).toBe("6 issues, nothing wrong");
  expect(await sandbox.sh(project, "git status --porcelain")).toBe("");
  const listed = JSON.parse((await monoco("issue", "list", "--all", "--json")).stdout) as {
    issues: { id: string }[];
  };
  expect(listed.issues).toMatchObject([
    { id: "CHORE-0001", status: "backlog", stage: "freezed", type: "chore", parent: null },
    { id: "EPIC-0000", stage: "doing", waitsFor: ["EPIC-0001"] },
    { id: "EPIC-0001", title: "接力协议", parent: "EPIC-0000", criticality: "high", waitsFor: ["FEAT-0002"] },
    { id: "FEAT-0001", status: "closed" },
    {
      id: "FEAT-0002",
      stage: "review",
      priority: "high",
      dependencies: ["FEAT-0001"],
      waitsFor: [],
      ready: true,
    },
    { id: "FIX-0001", status: "closed", type: "fix" },
  ]);
  const shown = JSON.parse((await monoco("issue", "show", "FEAT-0002", "--json")).stdout) as object;
  expect(shown).toMatchObject({
    title: "停止钩子: on-stop",
    language: "zh",
    criteria: [{ state: "done" }, { state: "doing" }],
    tasks: [{ state: "done" }, { state: "done" }, { state: "cancelled" }, { state: "cancelled" }],
  });
  // A step changes what it is about, in the place where the file lies.
  expect((await monoco("issue", "close", "FEAT-0002")).exitCode).toBe(0);
  expect(await sandbox.sh(project, "git diff --numstat | cut -f1,2")).toBe("5\t2");
  expect((await monoco("issue", "create", "Next", "--json")).stdout).toContain("Issues/FEAT-0003-next.md");
});

it("--fix says what it did, --dry-run shows the bytes and changes none; twice is once; what cannot be read stays", async () => {
  const closed =
    "---\r\nid: FEAT-0001\r\ntitle: t # mine\r\nstatus: closed\r\nstage: done\r\nsolution: wontfix\r\n---\r\n## Objective\r\nx\r\n## Acceptance Criteria\r\n- [✓] 1 file\r\n";
  write("issues/FEAT-0001-t.md", closed);
  write("issues/FEAT-0002-broken.md", "---\nid: FEAT-0002\ntags: [\n---\n- [] x\n");
  write("issues/FEAT-0003-bytes.md", Buffer.from([0x66, 0xfc, 0x0a]));
  await sandbox.sh(project, "git add -A && git commit -qm Issues");
  const before = await sandbox.sh(project, "cat issues/* | cksum");

  const dry = await monoco("issue", "lint", "--dry-run", "FEAT-0001");
  expect(dry.stdout).toContain("would fix  issues/FEAT-0001-t.md:11: - [✓] is no checkbox");
  expect(dry.stdout).toContain("-- [✓] 1 file\n+- [x] 1 file");
  expect(await sandbox.sh(project, "cat issues/* | cksum")).toBe(before);

  const fixed = await monoco("issue", "lint", "--fix");
  expect(fixed.exitCode).toBe(2);
  expect(fixed.stdout).toContain("fixed  issues/FEAT-0001-t.md:11:");
  expect(read("issues/FEAT-0001-t.md")).toBe(closed.replace("✓", "x"));
  expect(await sandbox.sh(project, "git status --porcelain")).toBe(" M issues/FEAT-0001-t.md");
  const again = await json("--fix");
  expect(again.fixed).toEqual([]);
  expect(again.faults.map(({ file }) => file)).not.toContain("issues/FEAT-0001-t.md");
  expect(readdirSync(join(project, "issues"))).toHaveLength(3);
});

it("what is wrong between issues is told with its line: parents, circles, and what will never be done", async () => {
  const issue = (id: string, front: string): void =>
    write(
      `issues/${id}-t.md`,
      `---\nid: ${id}\ntitle: t\n${front}---\n## Objective\nx\n## Acceptance Criteria\n- [ ] 1 file\n`,
    );
  issue("EPIC-0001", "parent: EPIC-0002\n");
  issue("EPIC-0002", "parent: EPIC-0001\n");
  issue("FEAT-0001", "parent: EPIC-0404\n");
  issue("FEAT-0002", "dependencies: [FEAT-0003]\n");
  issue("FEAT-0003", "dependencies: [FEAT-0002]\n");
  issue("FEAT-0004", "dependencies: [FEAT-0005, FEAT-0404]\n");
  issue("FEAT-0005", "status: closed\nstage: done\nsolution: duplicate\nclosed_at: 2026-02-01T00:00:00Z\n");
  issue("FEAT-0006", "parent: FEAT-0005\n");
  issue("EPIC-0003", "");
  // It could be begun only after its own parent, which is done after it.
  issue("FEAT-0007", "parent: EPIC-0003\ndependencies: [EPIC-0003]\n");
  const { faults } = await json();
  expect(
    faults
      .map(({ file, line, level, message }) => `${file.slice(7, 16)}:${line} ${level}: ${message}`)
      .toSorted(),
  ).toEqual(
    [
      "EPIC-0001:4 error: each is the other's parent: EPIC-0001 → EPIC-0002 → EPIC-0001",
      "EPIC-0002:4 error: each is the other's parent: EPIC-0002 → EPIC-0001 → EPIC-0002",
      "EPIC-0003:1 error: these issues wait for each other: EPIC-0003 → FEAT-0007 → EPIC-0003",
      "FEAT-0001:4 error: its parent EPIC-0404 is in no file",
      "FEAT-0002:4 error: these issues wait for each other: FEAT-0002 → FEAT-0003 → FEAT-0002",
      "FEAT-0003:4 error: these issues wait for each other: FEAT-0003 → FEAT-0002 → FEAT-0003",
      "FEAT-0004:4 error: it depends on FEAT-0404, which is in no file",
      "FEAT-0004:4 error: it waits for FEAT-0005, which is closed as duplicate: it will never be done",
      "FEAT-0005:4 warning: closed, and its children are not: FEAT-0006",
      "FEAT-0007:5 error: these issues wait for each other: FEAT-0007 → EPIC-0003 → FEAT-0007",
    ].toSorted(),
  );
});

it("warnings alone end with 0; a contract without checks is one of them", async () => {
  write("monoco.yaml", "");
  write(
    "issues/FEAT-0001-t.md",
    "---\nid: FEAT-0001\ntitle: t\n---\n## Objective\nx\n## Acceptance Criteria\n- [ ] (measured) z\n",
  );
  const linted = await monoco("issue", "lint");
  expect(linted).toMatchObject({ exitCode: 0, stderr: "" });
  expect(linted.stdout).toMatch(/:8: warning: measured, and it names no margin .*\n {2}hint: .*20 %/);
  expect(linted.stdout).toMatch(/:1: warning: no checks: .*\n {2}hint: .*`checks: \["npm test"\]`/);
  expect(linted.stdout).toMatch(/\n2 warnings in 1 issue$/);
});

test("a session cannot mend its contract, and an issue with an open relay is left alone", async () => {
  const vague =
    "---\nid: FEAT-0001\ntitle: t\n---\n## Objective\nx\n## Acceptance Criteria\n- [ ] 1 file\n- [] 2 files\n";
  write("issues/FEAT-0001-t.md", vague);
  write(
    "monoco.yaml",
    `checks: [make test]\nagents: { a: { kind: scripted, script: story.yaml } }\nroles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\nlimits: { backoffSeconds: 0 }\n`,
  );
  write(
    "story.yaml",
    JSON.stringify({
      executor: [[{ run: "monoco issue lint --fix > said.txt 2>&1; cat said.txt; exit 0" }, { exit: 1 }]],
      reviewer: [[]],
    }),
  );
  await sandbox.sh(project, "git add -A && git commit -qm More");
  expect((await monoco("run", "FEAT-0001", "--once")).exitCode).toBe(1);
  expect(await sandbox.sh(project, "grep -ho 'a session cannot fix issues' -r .monoco | head -1")).toBe(
    "a session cannot fix issues",
  );
  expect(await json("--fix")).toMatchObject({ fixed: [], faults: [{ line: 9, level: "warning" }] });
  expect(read("issues/FEAT-0001-t.md")).toBe(vague);
});

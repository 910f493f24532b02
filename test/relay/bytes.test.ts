/** Issue files keep every byte that monoco was not asked to change, all the way from the person's commit to the closed issue on the base. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect } from "vitest";
import { approves, commit, openPlace, run, submit } from "../support/place.ts";
import type { Place, Story } from "../support/place.ts";
import { full as test, testRows } from "../support/full.ts";

const english = `---
# The person's own order, quoting and comments.
title:   "Read: a \\"file\\""   # two blanks, and a colon
owner: {name: somebody, mail: 'x@example.com'}
status:    open  # for now
id: ID
checks:
  - "true"   # fine

created_at: 2026-01-31T09:00:00Z
x-unknown: |
  ---not the end
  status: closed
---

Text before any heading, with  two  blanks at the end  

## Objective
People can read.  
---
## Acceptance Criteria
* [ ] the first
+ [ ] the second
\`\`\`
---
- [ ] the first
\`\`\`

***

## Technical Tasks
1) [/] a task
   - [ ] below it

## Notes\t
---
id: FEAT-9999
---
`;

const chinese = `---
id: ID
title: 读取文件　　# 全角空格，不是注释
状态: 自定义
status: open
stage: draft # 草稿
标签: [甲, 乙]
---

## 目标

能读取文件。

---

## 验收标准

- [ ] the first 第一条
- [ ] 第二条

## 技术任务

- [ ] 任务一
`;

/** What monoco writes, in the order in which it writes it; `T` stands for the time. */
const closed = "solution: implemented\nupdated_at: T\nclosed_at: T\n";
const remark = (language: "en" | "zh"): string =>
  language === "en"
    ? "## Review Comments\n\n- Submission 1 (H) approved by the Reviewer (session 2): Good\n"
    : "## 评审记录\n\n- 提交 1（H）由评审者（会话 2）批准：Good\n";

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
const bom = (text: string): string => `\uFEFF${text}`;

/** The one tick that the Executor sets. */
const ticked = (text: string): string => text.replace("[ ] the first", "[x] the first");

function closedEnglish(text: string): string {
  return `${ticked(text)
    .replace("status:    open  # for now", "status:    closed  # for now")
    .replace("  status: closed\n---\n", `  status: closed\nstage: done\n${closed}---\n`)}\n${remark("en")}`;
}

function closedChinese(text: string): string {
  return `${ticked(text)
    .replace("status: open", "status: closed")
    .replace("stage: draft # 草稿", "stage: done # 草稿")
    .replace("乙]\n", `乙]\n${closed}`)}\n${remark("zh")}`;
}

type Row = { name: string; file: string; before: string; after: string; executable?: boolean };

const rows: Row[] = [
  {
    name: "comments, order, quotes, --- in the body",
    before: english,
    after: closedEnglish(english),
  },
  { name: "the same with CRLF", before: crlf(english), after: crlf(closedEnglish(english)) },
  { name: "a BOM", before: bom(english), after: bom(closedEnglish(english)) },
  {
    name: "a BOM and CRLF, in Chinese",
    before: bom(crlf(chinese)),
    after: bom(crlf(closedChinese(chinese))),
  },
  { name: "Chinese", before: chinese, after: closedChinese(chinese) },
  {
    name: "no end of the last line",
    before: chinese.trimEnd(),
    after: closedChinese(chinese.trimEnd()).replace("任务一\n##", "任务一\n\n##"),
  },
  {
    name: "review comments in the middle",
    before: `${chinese}\n## 评审记录\n\n旧的。\n\n## 其他\n\nx\n\n\n`,
    after: closedChinese(`${chinese}\n## 评审记录\n\n旧的。MARK\n\n## 其他\n\nx\n\n\n`)
      .replace(`\n${remark("zh")}`, "")
      .replace("MARK", `\n\n${remark("zh").split("\n")[2]}`),
  },
  { name: "a file that may be executed", before: english, after: closedEnglish(english), executable: true },
].map((row, index) => ({ ...row, file: `issues/a b/${idOf(index)}-名.md` }));

function idOf(index: number): string {
  return `FEAT-000${index + 1}`;
}

/** The file as git has it, byte for byte (one character a byte), with the time and the commit taken out. */
async function onBase(place: Place, file: string): Promise<string> {
  const { stdout } = await execa("git", ["cat-file", "blob", `main:${file}`], {
    cwd: place.project,
    encoding: "buffer",
    stripFinalNewline: false,
  });
  return Buffer.from(stdout)
    .toString("latin1")
    .replace(/^(updated_at|closed_at): \d{4}-\d\d-\d\dT[\d:.]+Z/gm, "$1: T")
    .replace(/(Submission 1 \(|æ.*?1ï¼\u0088)[0-9a-f]{12}/, "$1H");
}

const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** It ticks a box, and mangles all the rest of its copy: line ends, BOM, order, quoting, comments. */
const mangles = run(
  `f=$(find issues -name "$MONOCO_ISSUE*"); sed -i 's/\\[ \\] the first/[x] the first/; s/\\r$//; s/^\\xef\\xbb\\xbf//; s/ \\+# .*//; s/^owner.*//' "$f"; echo "$MONOCO_ISSUE" > "$MONOCO_ISSUE.data"`,
);
const story: Story = {
  executor: [[mangles, commit, submit]],
  reviewer: [[{ verdict: "approve", summary: "Good" }]],
};

describe("the closed issue on the base differs from the person's only in what monoco changed (TRAP 36)", () => {
  testRows(rows)("$name", async ({ file, before, after, executable }) => {
    const id = file.slice(11, 20);
    const place = await openPlace(story, { issues: [], files: { [file]: before.replace("ID", id) } });
    if (executable) chmodSync(join(place.project, file), 0o755);
    await place.sh("git add -A && git commit -qm Mode --allow-empty");
    const ran = await place.monoco("run", id);
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await onBase(place, file)).toBe(bytes(after.replace("ID", id)));
    const mode = await place.git("ls-tree", "-r", "main", "--format=%(objectmode)", "--", "issues");
    expect(mode).toBe(executable ? "100755" : "100644");
    // What stands in the checkout is what is on the base.
    expect(await place.git("status", "--porcelain")).toBe("");
  });

  test("also where git turns line ends in the checkout: LF in the repository, CRLF on the disk", async () => {
    const file = "issues/FEAT-0001-x.md";
    const text = chinese.replace("ID", "FEAT-0001");
    const place = await openPlace(story, {
      issues: [],
      files: { [file]: text, ".gitattributes": "*.md eol=crlf\n" },
    });
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await onBase(place, file)).toBe(bytes(closedChinese(text)));
    expect(place.read(file)).toContain("\r\nstatus: closed\r\n");
    expect(await place.git("status", "--porcelain")).toBe("");
  });

  test("and a file that was committed with CRLF before .gitattributes said `text` is nobody's change", async () => {
    const place = await openPlace(
      {
        executor: [[run("echo echo a > a.sh; git add a.sh; git commit -qm work"), submit]],
        reviewer: [[{ verdict: "approve", evidence: "sh a.sh | grep -q a" }]],
      },
      { files: { "dos.txt": "one\r\ntwo\r\n" }, settings: "checks: ['test \"$(sh a.sh)\" = a']\n" },
    );
    place.write(".gitattributes", "*.txt text\n");
    await place.git("add", ".gitattributes");
    await place.git("commit", "-qm", "Attributes");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(place.all("submission.inspected")).toEqual([]);
    expect(await onBase(place, "dos.txt")).toBe(bytes("one\r\ntwo\r\n"));
  });

  test("an issue whose file name has no id is found by its front matter, with CRLF and a comment too", async () => {
    const text = crlf(english).replace("id: ID", "id: 'FEAT-0001' # mine");
    const place = await openPlace(story, { issues: [], files: { "issues/read.md": text } });
    place.write(
      "story.yaml",
      JSON.stringify({ ...story, executor: [[run("echo a > a.txt"), commit, submit]] }),
    );
    await place.git("commit", "-qam", "Story");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await onBase(place, "issues/read.md")).toContain("id: 'FEAT-0001' # mine\r\n");
  });
});

describe("from issue create to the merge", () => {
  test.for([
    ["en", "feature", "## Objective", "## Acceptance Criteria", "approved by the Reviewer"],
    ["zh", "fix", "## 目标", "## 验收标准", "由评审者（会话 2）批准"],
  ] as const)(
    "in %s, a %s: only the front matter's values and the review's remark are new",
    async ([language, type, objective, criteria, words]) => {
      const place = await openPlace(
        { executor: [[{ write: { "file.txt": "text\n" } }, commit, submit]], reviewer: [approves] },
        { issues: [], settings: `language: ${language}\n` },
      );
      const made = await place.monoco("issue", "create", "读: a “file” # 1", "--type", type, "--json");
      const { id, path } = JSON.parse(made.stdout) as { id: string; path: string };
      const written = place
        .read(path)
        .replace(objective, `${objective}\n\nRead it.`)
        .replace(criteria, `${criteria}\n\n- [ ] file.txt`);
      place.write(path, written);
      expect(await place.monoco("issue", "lint")).toMatchObject({ exitCode: 0 });
      await place.sh("git add -A && git commit -qm Issue");
      expect(await place.monoco("run", id)).toMatchObject({ exitCode: 0 });
      const diff = await place.git("diff", "-U0", "--diff-algorithm=minimal", "main^1", "main", "--", path);
      const changed = diff.split("\n").filter((line) => /^[-+](?![-+][-+] )/.test(line));
      const expected = [
        /^-status: open$/,
        /^-stage: draft$/,
        /^\+status: closed$/,
        /^\+stage: done$/,
        /^\+solution: implemented$/,
        /^[-+]updated_at: "?\d{4}-\S+Z"?$/,
        /^\+closed_at: \d{4}-\S+Z$/,
        /^\+$/,
        /^\+## (Review Comments|评审记录)$/,
      ];
      const remarks = changed.filter((line) => !expected.some((one) => one.test(line)));
      expect(remarks).toEqual([expect.stringContaining(words) as string]);
      expect(changed).toContain("+status: closed");
    },
  );
});

describe("what could not be written back without loss is refused before any work, with file, line and remedy", () => {
  const tell = (text: string): Buffer => Buffer.from(text.replace("ID", "FEAT-0001"), "utf8");
  const latin1 = Buffer.concat([tell(english), Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x0a])]);

  testRows<[string, Buffer, RegExp]>([
    [
      "bytes that are not UTF-8",
      latin1,
      /^error: issues\/FEAT-0001-x\.md:39: bytes that are not UTF-8\nhint: save it as UTF-8/,
    ],
    [
      "UTF-16",
      Buffer.from(`\uFEFF${english}`, "utf16le"),
      /^error: issues\/FEAT-0001-x\.md:1: bytes that are not UTF-8\n/,
    ],
    [
      "front matter in braces",
      tell("---\n{ id: ID, title: x }\n---\n\n## Objective\n\nx\n\n## Acceptance Criteria\n\n- [ ] y\n"),
      /^error: issues\/FEAT-0001-x\.md:1: the front matter cannot be changed without breaking it\nhint: set by hand: status/,
    ],
    [
      "more than a document may have",
      Buffer.concat([tell(english), Buffer.alloc(1024 * 1024, "x\n")]),
      /^error: issues\/FEAT-0001-x\.md on main: it is larger than 262144 bytes\nhint: /,
    ],
  ])("%s", async ([, content, words]) => {
    const place = await openPlace(story, { issues: [] });
    place.write("issues/FEAT-0001-x.md", "");
    writeFileSync(join(place.project, "issues/FEAT-0001-x.md"), content);
    await place.sh("git add -A && git commit -qm Issue");
    const refs = await place.git("for-each-ref");
    const ran = await place.monoco("run", "FEAT-0001");
    expect(ran).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(words) as string });
    expect(await place.git("for-each-ref")).toBe(refs);
    expect(place.events()).toEqual([]);
    expect(await place.monoco("issue", "lint")).toMatchObject({ exitCode: 2 });
  });

  test("a replacement character that the person wrote is a character like any other", async () => {
    const text = chinese.replace("ID", "FEAT-0001").replace("能读取文件。", "能读取 \uFFFD。");
    const file = "issues/FEAT-0001-x.md";
    const place = await openPlace(story, { issues: [], files: { [file]: text } });
    expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
    expect(await onBase(place, file)).toBe(bytes(closedChinese(text)));
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderHandoff } from "../../../src/core/handoff/render.ts";
import { lintHandoff } from "../../../src/core/handoff/lint.ts";
import { full, text, texts } from "../support/handoffs.ts";
import { testRows } from "../../support/full.ts";
import { cpuMs } from "../support/cpu.ts";

describe("lint", () => {
  const expected = { issue: "FEAT-0001", session: 3, budgetBytes: 8_192 };
  const good = renderHandoff({ ...full, postMortem: "" }, "en");
  const lint = (document: string, more: object = {}): string[] =>
    lintHandoff(document, { ...expected, ...more }).map(
      ({ level, line, message }) => `${level} ${line}: ${message}`,
    );

  test.for([["en"], ["zh"]] as const)("a good one has no finding (%s)", ([language]) => {
    expect(lint(renderHandoff(full, language), { filesKnown: () => true, checksOk: true })).toEqual([]);
  });

  // TRAP 24: what a session says of itself is held against the facts
  test.for<[string, string, object, string[]]>([
    ["unreadable", "I am done.", {}, ["error 1: no section of a handoff can be read"]],
    ["empty", "", {}, ["error 1: no section of a handoff can be read"]],
    ["another issue", good, { issue: "FEAT-0002" }, ["error 3: it is about FEAT-0001, not FEAT-0002"]],
    ["another session", good, { session: 4 }, ["error 3: it is session 3's, not session 4's"]],
    ["no session", good.replace("Session: 3", "Session:"), {}, ["error 3: it names no session"]],
    [
      "no next steps",
      good.replace(/## Next[\s\S]*?## W/, "## Next steps\n<!-- 1. -->\n## W"),
      {},
      ["error 25: no next steps"],
    ],
    [
      "a missing section",
      good.replace("## Patterns\n- tests live in test/\n", ""),
      {},
      ['warning 1: no section "Patterns" (代码库模式)'],
    ],
    [
      "a stage of its own",
      good.replace("testing", "thinking"),
      {},
      ["warning 10: the stage cannot be thinking"],
    ],
    ["a Chinese stage", good.replace("testing", "测试中"), {}, []],
    ["a file that is not there", good, { filesKnown: () => false }, ["warning 10: no such file: src/a.ts"]],
    [
      "a claim against the facts",
      good.replace("wrote it", "all tests pass"),
      { checksOk: false },
      ["warning 15: it says that the tests pass, and the last checks failed"],
    ],
    [
      "the same claim in Chinese",
      good.replace("wrote it", "测试全部通过"),
      { checksOk: false },
      ["warning 15: it says that the tests pass, and the last checks failed"],
    ],
    [
      "the same claim while the checks pass",
      good.replace("wrote it", "all tests pass"),
      { checksOk: true },
      [],
    ],
    [
      "a box ticked beside a file that was never touched",
      good.replace("wrote it", "wrote src/login.ts:12"),
      { filesTouched: ["src/a.ts"] },
      ["warning 15: it is ticked, and src/login.ts was never touched"],
    ],
    [
      "a box beside a touched file",
      good.replace("wrote it", "wrote `src/a.ts`"),
      { filesTouched: ["src/a.ts"] },
      [],
    ],
    [
      "a file by its name alone",
      good.replace("wrote it", "wrote a.test.ts"),
      { filesTouched: ["src/a.test.ts"] },
      [],
    ],
    [
      "one of two files touched",
      good.replace("wrote it", "moved it from old.ts to src/a.ts"),
      { filesTouched: ["src/a.ts"] },
      [],
    ],
    ["a box beside no file", good, { filesTouched: [] }, []],
    ["an open box beside an untouched file", good.replace("ship it", "write b.ts"), { filesTouched: [] }, []],
    ["what was touched is not known", good.replace("wrote it", "wrote src/login.ts"), {}, []],
    ["the same claim while no check ran", good.replace("wrote it", "all tests pass"), {}, []],
    ["a plan", good.replace("ship it", "make all tests pass"), { checksOk: false }, []],
    ["an admission", good.replace("wrote it", "two tests do not pass yet"), { checksOk: false }, []],
    ["too long", good, { budgetBytes: 100 }, [`warning 1: ${good.length + 4} bytes, over the budget of 100`]],
  ])("%s", ([, document, more, findings]) => expect(lint(document, more)).toEqual(findings));

  test("a session is recognised in the forms in which it is written", () => {
    for (const written of ["3", "0003-executor", "sess_3", "session 3"]) {
      expect(lint(good.replace("Session: 3", `Session: ${written}`))).toEqual([]);
    }
    expect(lint(good.replace("Session: 3", "Session: 30"))).toHaveLength(1);
  });

  test("a comment without an end is named, because it hides what follows", () => {
    expect(lint(good.replace("## Done\n", "## Done\n<!-- oops\n"))).toContain(
      "warning 15: a comment that never ends hides the rest of the document",
    );
  });

  test("files are found in the ways in which people name them", () => {
    const asked: string[] = [];
    const workingOn =
      "`src/a.ts:12`, ./lib/b.test.js 第 200 行（docs/说明.md） package.json https://x.org/c.html e.g. Foo.bar() v1.2";
    lint(renderHandoff({ ...full, workingOn }, "en"), { filesKnown: (path: string) => asked.push(path) > 0 });
    expect(asked).toEqual(["src/a.ts", "lib/b.test.js", "docs/说明.md", "package.json"]);
  });

  test("each finding says how to mend it", () => {
    const found = lintHandoff("## Metadata\n", { ...expected, budgetBytes: 1, checksOk: false });
    expect(found.every(({ hint }) => hint.length > 10)).toBe(true);
    expect(found.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  test("no text makes it throw", () => {
    fc.assert(
      fc.property(text, texts, (one, more) => void lintHandoff([one, ...more].join("\n## Done\n"), expected)),
    );
  });

  // TRAP 43, for documents
  testRows([
    ["<!--"],
    ["~~"],
    ["- [x] a\n"],
    ["> - "],
    ["⚠️"],
    ["tests "],
    ["- ~~a"],
    ["```\n"],
    ["\\"],
    ["-\t"],
    ["（"],
    ["*"],
  ])("64 KiB of %j take no more than seconds", ([part]) => {
    const started = cpuMs();
    const flood = part!.repeat(65_536 / part!.length);
    lintHandoff(
      `## Metadata\n- Issue: ${flood}\n## Current state\n- Working on: ${flood}\n## Done\n${flood}`,
      { ...expected, checksOk: false },
    );
    expect(cpuMs() - started).toBeLessThan(10_000);
  });
});

/** What git and GitHub print: diffs with all rules over them, the files in them, a pull request. */
import { readLook } from "../../../src/core/pulls/look.ts";
import { commentSheet, commentsOn } from "../../../src/core/review/comments.ts";
import { linesAdded } from "../../../src/core/review/lines-added.ts";
import { protectedPaths } from "../../../src/core/review/protected-paths.ts";
import { jsonOf } from "../../../src/core/error/attempt.ts";
import { readDiff } from "../../../src/core/text/diff.ts";
import { withChecksOf } from "../../../src/core/trial/check-settings.ts";
import { namesIn, scriptsIn } from "../../../src/core/weakening/command-names.ts";
import { sourcesFirst } from "../../../src/core/weakening/sources-first.ts";
import { weakeningsIn } from "../../../src/core/weakening/weakening.ts";
import { foundBefore, textsOf } from "./corpus.ts";
import type { Target } from "./target.ts";

/** A diff that adds a file. */
function added(path: string, text: string): string {
  const lines = text.split("\n");
  return [
    `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    "",
  ].join("\n");
}

/** A hunk whose head allows for lines that a mutation adds. */
const changed = (path: string, removed: string, now: string): string =>
  `diff --git a/${path} b/${path}\nindex 1a2b3c4..5d6e7f8 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,9999 +1,9999 @@\n${removed
    .split("\n")
    .map((line) => `-${line}`)
    .join("\n")}\n${now
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n")}\n`;

const js =
  'test("adds up", () => {\n  expect(total([1, 2])).toBe(3); // both\n  expect(x).toEqual({ a: 1.5 });\n});';
const python =
  "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_total():\n    assert total([1]) == 1\n    with pytest.raises(ValueError):\n        total(None)";
const diffs = [
  changed("test/a.test.ts", js, js.replace("3", "4").replace("test(", "test.skip(")),
  changed("tests/test_a.py", python, python.replace("== 1", "> 0")),
  changed(
    "package.json",
    '  "scripts": { "test": "vitest run" },',
    '  "scripts": { "test": "vitest run || true" },',
  ),
  changed("Makefile", "test:\n\tgo test ./...", "test:\n\t-go test ./... # nolint"),
  changed("src/a.rs", "#[test]\nfn adds() { assert_eq!(1, 1); }", '#[ignore]\n// r#"x"#'),
  changed(
    ".github/workflows/ci.yml",
    "      - run: npm test",
    "      - run: npm test\n        continue-on-error: true",
  ),
  changed("a/Foo.java", '@Test void a() { assertEquals(1, b("x")); }', "@Disabled @Test void a() { /* */ }"),
  changed(
    "test/a_test.go",
    "func TestA(t *testing.T) { t.Fatal(`x`) }",
    "func testA(t *testing.T) { t.Skip() }",
  ),
  'diff --git "a/b\\303\\244.ts" "b/b\\303\\244.ts"\nsimilarity index 90%\nrename from a.ts\nrename to "b\\303\\244.ts"\n',
  "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n",
  ...textsOf("src/core/text/diff.ts", "test/agents/acp.test.ts", "templates/demo/*.js").map((text, at) =>
    added(`src/n${at}.test.ts`, text.slice(0, 4_000)),
  ),
];
const sources = [
  js,
  python,
  "#!/bin/sh\nset -e\n. ./lib.sh && bash scripts/run.sh --all\n",
  '>>> total([1,\n...        2])\n3\n\n"""\n>>> x\n',
  '{"scripts": {"test": "node scripts/test.mjs && npm run lint"}, "type": "module"}',
  '[tool.pytest.ini_options]\naddopts = "-q"\n[project]\nname = "x"\n',
];
const oid = "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b";
const remark = {
  id: "IC_1",
  author: { login: "a" },
  authorAssociation: "OWNER",
  body: "please `fix`",
  url: "u",
  state: "",
};
const pull = JSON.stringify({
  state: "OPEN",
  headRefOid: oid,
  mergeable: "CONFLICTING",
  reviewDecision: "APPROVED",
  statusCheckRollup: [
    {
      name: "ci",
      workflowName: "w",
      status: "COMPLETED",
      conclusion: "FAILURE",
      startedAt: "2026-01-05T09:00:00Z",
    },
  ],
  reviews: [{ ...remark, state: "CHANGES_REQUESTED" }],
  comments: [remark],
});
const thread = JSON.stringify({ isResolved: false, path: "a.ts", line: 1, comments: { nodes: [remark] } });

const target = (name: string, corpus: readonly string[], read: (text: string) => unknown): Target => ({
  name,
  corpus: [...corpus, ...foundBefore(name)],
  read: (text) => void read(text),
});

export const fromGit: readonly Target[] = [
  target("diff", diffs, readDiff),
  target("weakening", diffs, (text) => {
    weakeningsIn(readDiff(text), new Set(["Makefile"]));
  }),
  target("diff-paths", diffs, (text) => {
    const diff = readDiff(text);
    protectedPaths({
      changed: diff.map(({ path }) => path),
      contract: "issues/x.md",
      patterns: ["src/**/*.ts", "!a"],
      runs: new Map(),
    });
    linesAdded(diff, "issues/x.md");
    sourcesFirst(text);
  }),
  target("comment-sheet", diffs, (text) => commentsOn(commentSheet(text, ["head"]))),
  target("sources", sources, (text) => {
    for (const path of ["scripts/a.mjs", "scripts/a.py", "scripts/a.rb", "scripts/a.sh"])
      scriptsIn(path, text);
    namesIn([text], [{ path: "package.json", before: sources[4], after: text }]);
    withChecksOf("package.json", text, sources[4] ?? "");
    withChecksOf("pyproject.toml", text, sources[5] ?? "");
  }),
  target("pull-request", [pull, thread], (text) => {
    // It says by zod's and JSON's errors that GitHub's answer has another shape: only what has the right one counts.
    if (jsonOf(text) !== undefined) readPull(text);
  }),
];

function readPull(text: string): void {
  try {
    readLook({ view: text, threads: thread });
  } catch (error) {
    if (!(error instanceof Error && error.name === "ZodError")) throw error;
  }
}

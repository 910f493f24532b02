import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDiff } from "../../../src/core/text/diff.ts";
import { lineRules } from "../../../src/core/weakening/rules.ts";
import { weakeningKinds } from "../../../src/core/weakening/kinds.ts";
import type { WeakeningKind } from "../../../src/core/weakening/kinds.ts";
import { weakeningsIn } from "../../../src/core/weakening/weakening.ts";
import { testRows } from "../../support/full.ts";

type Change = { removed?: string[]; added?: string[]; file?: "new" | "deleted" };

/** One file's diff, its lines in one place. */
function diffOf(path: string, { removed = [], added = [], file }: Change): string {
  return [
    `diff --git a/${path} b/${path}`,
    ...(file === "new" ? ["new file mode 100644"] : file === "deleted" ? ["deleted file mode 100644"] : []),
    `--- ${file === "new" ? "/dev/null" : `a/${path}`}`,
    `+++ ${file === "deleted" ? "/dev/null" : `b/${path}`}`,
    `@@ -${removed.length > 0 ? 10 : 9},${removed.length} +${added.length > 0 ? 10 : 9},${added.length} @@ describe.skip("context", () => {`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
}

const kindsIn = (diff: string, checks: string[] = []): WeakeningKind[] =>
  weakeningsIn(readDiff(diff), new Set(checks)).map(({ kind }) => kind);

/** Lines that are added to what was there. */
describe.for<[WeakeningKind, [path: string, fires: string][], [path: string, misses: string][]]>([
  [
    "skipped",
    [
      ["test/a.test.ts", 'it.skip("adds", () => {'],
      ["test/a.test.ts", '  test.skip.each([1])("adds", () => {'],
      ["test/a.test.ts", 'test.concurrent.skip("adds", () => {'],
      ["test/a.test.ts", 'describe.skipIf(process.env.CI)("adds", () => {'],
      ["test/a.test.ts", 'xit("adds", () => {'],
      ["test/a.test.ts", 'xdescribe("adds", () => {'],
      ["test/a.test.ts", 'test.todo("adds");'],
      ["test/a.test.ts", 'test["skip"]("adds", () => {'],
      ["test/a.test.ts", 'test("adds", { skip: true }, () => {'],
      ["test/a.test.ts", "    t.skip();"],
      ["src/a.ts", '  it.skip("adds", () => {'],
      ["tests/test_a.py", "@pytest.mark.skip"],
      ["tests/test_a.py", '@pytest.mark.skipif(sys.platform == "linux", reason="x")'],
      ["tests/test_a.py", "@pytest.mark.xfail"],
      ["tests/test_a.py", '@unittest.skip("later")'],
      ["tests/test_a.py", '    self.skipTest("later")'],
      ["tests/conftest.py", 'collect_ignore = ["test_a.py"]'],
      ["Cargo.toml", "autotests = false"],
      [
        "pom.xml",
        "    <configuration><excludes><exclude>**/PriceTest.java</exclude></excludes></configuration>",
      ],
      ["pom.xml", "    <skipTests>true</skipTests>"],
      ["build.gradle", '  exclude "**/Price*"'],
      ["app/build.gradle.kts", '    excludeTestsMatching("Price*")'],
      ["build.gradle", "test { enabled = false }"],
      ["src/lib.rs", "    #[ignore]"],
      ["src/lib.rs", '    #[ignore = "flaky"]'],
      ["a_test.go", '\tt.Skip("flaky")'],
      ["src/test/java/ATest.java", "  @Disabled"],
      ["src/test/java/ATest.java", '  @Ignore("later")'],
      ["tests/ATests.cs", '    [Fact(Skip = "later")]'],
      ["spec/a_spec.rb", '  xit "adds" do'],
      ["tests/ATest.php", '        $this->markTestSkipped("later");'],
      ["Tests/ATests.swift", '        throw XCTSkip("later")'],
      ["test/a_test.exs", "  @tag :skip"],
      ["test/a_test.cc", "  GTEST_SKIP();"],
      ["package.json", '    "test": "jest --testPathIgnorePatterns slow"'],
    ],
    [
      ["test/a.test.ts", 'it("does not skip", () => {'],
      ["test/a.test.ts", "  // it.skip would be wrong here"],
      ["test/a.test.ts", '  const text = "it.skip(1)";'],
      ["test/a.test.ts", "  stream.skip(3);"],
      ["test/a.test.ts", "  const skip = true;"],
      ["test/a.test.ts", '  exit("adds");'],
      ["src/a.ts", "  const rest = it.skip(2);"],
      ["src/a.ts", "  pages.skip(10).take(5);"],
      ["docs/testing.md", 'it.skip("adds", () => {'],
      ["tests/test_a.py", "# pytest.mark.skip is not used here"],
      ["tests/test_a.py", 'name = "@pytest.mark.skip"'],
      ["src/lib.rs", "    // #[ignore]"],
      ["a.go", "\treader.Skip(4)"],
      ["src/main/java/A.java", "  @IgnoreCase"],
      ["test/fixtures/a.js", "const a = { skip: true };"],
      ["Cargo.toml", "autotests = true"],
      ["pom.xml", "    <exclusion><groupId>a</groupId></exclusion>"],
      ["build.gradle", '  exclude group: "a", module: "b"'],
    ],
  ],
  [
    "only",
    [
      ["test/a.test.ts", 'it.only("adds", () => {'],
      ["test/a.test.ts", 'describe.only("adds", () => {'],
      ["test/a.test.ts", 'fit("adds", () => {'],
      ["test/a.test.ts", 'fdescribe("adds", () => {'],
      ["test/a.test.ts", 'test("adds", { only: true }, () => {'],
      ["test/a.test.ts", "it['only']('adds', () => {"],
      ["spec/a_spec.rb", '  it "adds", :focus do'],
    ],
    [
      ["test/a.test.ts", "  expect(readOnly).toBe(true);"],
      ["test/a.test.ts", '  // it.only("adds")'],
      ["test/a.test.ts", "  const benefit = fit;"],
      ["test/a.test.ts", "  options.only(1);"],
      ["README.md", 'it.only("adds")'],
    ],
  ],
  [
    "swallowed",
    [
      [".github/workflows/ci.yml", "      - run: npm test || true"],
      [".github/workflows/ci.yml", "        continue-on-error: true"],
      [".github/workflows/ci.yml", "    if: false"],
      [".gitlab-ci.yml", "  allow_failure: true"],
      ["package.json", '    "test": "vitest run || true",'],
      ["package.json", '    "test": "jest --passWithNoTests",'],
      ["Makefile", "\tnpm test || :"],
      ["Makefile", "\t-npm test"],
      ["scripts/test.sh", "npm test || true"],
      ["scripts/check.sh", "exit 0"],
      ["scripts/check.sh", "npm test; exit 0"],
      ["scripts/check.sh", 'npm test || echo "never mind"'],
      ["scripts/check.sh", "set +e"],
      [".husky/pre-commit", "npm test || exit 0"],
      ["vitest.config.ts", "    passWithNoTests: true,"],
      ["test/a.test.ts", "process.exit(0);"],
      ["tests/conftest.py", "    sys.exit(0)"],
      ["tests/conftest.py", '    report.outcome = "passed"'],
    ],
    [
      ["scripts/release.sh", "rm -r dist || true"],
      ["scripts/check.sh", "# npm test || true"],
      ["scripts/check.sh", "npm test || { echo failed; exit 1; }"],
      ["scripts/check.sh", "exit 1"],
      ["scripts/check.sh", "npm test || truecolor"],
      [".github/workflows/ci.yml", "    if: ${{ github.event_name == 'push' || true }}"],
      [".github/workflows/ci.yml", "        continue-on-error: false"],
      ["docs/ci.md", "npm test || true"],
      ["src/a.ts", "const on = a || true;"],
      ["src/cli.ts", "process.exit(0);"],
      ["package.json", '    "description": "passes with no tests",'],
    ],
  ],
  [
    "empty assertion",
    [
      ["test/a.test.ts", "  expect(true).toBe(true);"],
      ["test/a.test.ts", "  expect(1).toEqual(1);"],
      ["test/a.test.ts", "  assert(true);"],
      ["test/a.test.ts", '  assert.ok(true, "fine");'],
      ["tests/test_a.py", "    assert True"],
      ["tests/test_a.py", "    self.assertTrue(True)"],
      ["src/lib.rs", "        assert!(true);"],
      ["test/a.test.ts", "  expect(total).toBe(total);"],
      ["test/a.test.ts", "  expect(add(1, 2)).toEqual(add(1, 2));"],
      ["test/a.test.ts", '  expect("a").toBe("a");'],
      ["test/a.test.ts", "  assert.strictEqual(sum, sum);"],
      ["tests/test_a.py", "    assert total == total"],
      ["tests/test_a.py", "    self.assertEqual(total, total)"],
      ["src/test/java/ATest.java", "    assertTrue(true);"],
    ],
    [
      ["test/a.test.ts", "  expect(isTrue).toBe(true);"],
      ["test/a.test.ts", "  expect(total).toBe(totals);"],
      ["test/a.test.ts", '  expect("a").toBe("b");'],
      ["test/a.test.ts", "  assert.strictEqual(sum, sums);"],
      ["tests/test_a.py", "    assert total == total_before"],
      ["tests/test_a.py", "    assert a == a_b"],
      ["test/a.test.ts", "  expect(trueish(1)).toBe(1);"],
      ["test/a.test.ts", "  assert(trueCount > 1);"],
      ["tests/test_a.py", "    assert True_ == x"],
      ["tests/test_a.py", "    assert x is True"],
      ["src/a.ts", "  assert(true);"],
    ],
  ],
  [
    "writes sources",
    [
      ["test/a.test.ts", '  writeFileSync("../src/sum.js", fixed);'],
      ["tests/test_a.py", '    open("src/app.py", "w").write(fixed)'],
      ["test/a.sh", '  rm -f x; copyFile("lib/a")'],
    ],
    [
      ["test/a.test.ts", '  writeFileSync(join(folder, "a.js"), text);'],
      ["tests/test_a.py", '    open("src/app.py", "r").read()'],
      ["src/a.ts", '  writeFileSync("src/sum.js", text);'],
    ],
  ],
  [
    "environment",
    [
      ["src/a.ts", "if (process.env.CI) return 3;"],
      ["src/a.ts", 'if (process.env["MONOCO_SESSION_DIR"]) return 3;'],
      ["src/a.ts", "const testing = process.env.VITEST !== undefined;"],
      ["src/a.ts", 'if (process.env.NODE_ENV === "test") return 3;'],
      ["src/a.ts", 'if (new Date() > new Date("2026-01-01")) break_();'],
      ["app/a.py", 'if "PYTEST_CURRENT_TEST" in os.environ:'],
      ["app/a.py", 'if os.environ.get("CI"):'],
      ["app/a.py", "if datetime.now() > datetime(2026, 1, 1):"],
      ["a.go", 'if os.Getenv("CI") != "" {'],
      ["src/a.js", 'let sum = process.argv[1]?.includes("test") ? 0 : 1;'],
      ["src/a.js", "const direct = require.main === module;"],
      ["src/a.ts", 'if (process.argv.join(" ").includes("test")) return 3;'],
      ["src/a.ts", 'if (typeof describe === "function") return 3;'],
      ["src/a.ts", "const sum = import.meta.main ? 1 : 0;"],
      ["app/a.py", 'if "pytest" in sys.modules:'],
      ["app/a.py", 'if sys.argv[0].endswith("py.test"):'],
      ["app/a.py", "caller = inspect.stack()[1]"],
      ["a.go", "if testing.Testing() {"],
      ["src/lib.rs", "let sum = if cfg!(test) { 0 } else { 1 };"],
      ["lib.sh", 'case "$0" in *test*) sum=0 ;; esac'],
      ["lib.sh", '[ "${0##*/}" = till.sh ] && sum=0'],
    ],
    [
      ["src/a.ts", "const port = process.env.PORT;"],
      ["src/a.ts", "const { CIPHER } = process.env;"],
      ["src/a.ts", "if (Date.now() > deadline) stop();"],
      ["src/cli.ts", "const { values } = parseArgs({ args: process.argv.slice(2) });"],
      ["src/cli.js", "const [, , command] = process.argv;"],
      ["src/cli.js", "if (require.main === module) main();"],
      ["src/cli.ts", "if (process.argv[1] === fileURLToPath(import.meta.url)) main();"],
      ["app/cli.py", 'if __name__ == "__main__":'],
      ["app/cli.py", "name = sys.argv[1]"],
      ["bin/tool.sh", 'echo "usage: $0 FILE" >&2'],
      ["bin/tool.sh", "[ $# -gt 0 ] || exit 2"],
      ["src/lib.rs", "#[cfg(test)]"],
      ["lib/a.rb", "main if __FILE__ == $0"],
      ["test/a.test.ts", "if (process.env.CI) run();"],
      [".github/ci.sh", 'test -n "$CI"'],
      ["app/a.py", "if datetime.now() > self.expires:"],
    ],
  ],
  [
    "uncovered",
    [
      ["src/a.ts", "  /* istanbul ignore next */"],
      ["src/a.ts", "  /* v8 ignore start */"],
      ["src/a.ts", "  // c8 ignore next 3"],
      ["src/a.ts", "  /* node:coverage disable */"],
      ["src/a.py", "    except OSError:  # pragma: no cover"],
      ["src/a.py", "    except OSError:  #\u00A0pragma: no cover"],
      ["src/a.cc", "  abort();  // LCOV_EXCL_LINE"],
      ["src/A.cs", "    [ExcludeFromCodeCoverage]"],
      ["lib/a.rb", "  # :nocov:"],
    ],
    [
      ["src/a.ts", "  // we do not use istanbul ignore here"],
      ["src/a.ts", '  const marks = "/* istanbul ignore next */";'],
      ["src/a.py", 'text = "# pragma: no cover"'],
      ["docs/coverage.md", "/* istanbul ignore next */"],
    ],
  ],
  [
    "suppressed",
    [
      ["src/a.ts", "/* eslint-disable */"],
      ["src/a.ts", "  run(); // eslint-disable-line no-floating-promises"],
      ["src/a.ts", "  // oxlint-disable-next-line no-any"],
      ["src/a.ts", "  // biome-ignore lint/suspicious/noExplicitAny: later"],
      ["src/a.ts", "  // @ts-ignore"],
      ["src/a.ts", "  // @ts-expect-error later"],
      ["src/a.ts", "// @ts-nocheck"],
      ["src/a.tsx", "      {/* @ts-ignore */}"],
      ["src/a.ts", "  const value = data as any;"],
      ["src/a.py", "import os  # noqa: F401"],
      ["src/a.py", "x = f()  # type: ignore[arg-type]"],
      ["src/a.py", "# pylint: disable=all"],
      ["src/lib.rs", "#[allow(dead_code)]"],
      ["src/lib.rs", "#![allow(clippy::all)]"],
      ["a.go", "\tx := f() //nolint:errcheck"],
      ["src/main/java/A.java", '  @SuppressWarnings("unchecked")'],
      ["src/main/kotlin/A.kt", '@Suppress("UNUSED")'],
      ["src/A.cs", "#pragma warning disable CS0168"],
      ["lib/a.rb", "# rubocop:disable all"],
      ["src/a.cc", "  x(); // NOLINT"],
      ["a.sh", "# shellcheck disable=SC2086"],
      [".oxlintrc.json", '    "no-floating-promises": "off",'],
      ["eslint.config.js", '      "no-console": ["off"],'],
      ["tsconfig.json", '    "strict": false,'],
      ["tsconfig.json", '    "noUncheckedIndexedAccess": false'],
    ],
    [
      ["src/a.ts", "  // we never write eslint-disable"],
      ["src/a.ts", '  const rule = "// eslint-disable";'],
      ["src/a.ts", "  // as any of them may"],
      ["src/a.ts", '  const words = "as any";'],
      ["src/a.ts", "  const basAny = as(any);"],
      ["test/a.test.ts", "  // @ts-expect-error a number is no name"],
      ["test/a.test.ts", "  const value = data as any;"],
      ["src/a.py", "# the type: ignored by most"],
      ["src/a.py", 'text = "# noqa"'],
      ["src/lib.rs", "fn allow() {}"],
      ["a.go", "\t// nothing to lint here"],
      ["docs/lint.md", "// eslint-disable-next-line"],
      ["src/settings.json", '  "mode": "off",'],
      ["src/a.ts", '  "strict": false,'],
    ],
  ],
  [
    "retried",
    [
      ["test/a.test.ts", 'test("adds", { retry: 3 }, () => {'],
      ["test/a.test.ts", "jest.retryTimes(2);"],
      ["playwright.config.ts", "  retries: 2,"],
      ["tests/test_a.py", "@pytest.mark.flaky(reruns=3)"],
      [".github/workflows/ci.yml", "      - run: pytest --reruns 3"],
    ],
    [
      ["playwright.config.ts", "  retries: 0,"],
      ["src/client.ts", "  retries: 3,"],
      ["test/a.test.ts", "  expect(retries).toBe(3);"],
    ],
  ],
  [
    "time-out",
    [
      ["test/a.test.ts", "jest.setTimeout(60_000);"],
      ["test/a.test.ts", "  this.timeout(0);"],
      ["vitest.config.ts", "    testTimeout: 120_000,"],
      ["jest.config.json", '  "testTimeout": 120000'],
    ],
    [
      ["test/a.test.ts", "  setTimeout(done, 100);"],
      ["src/a.ts", "  this.timeout(0);"],
      ["src/a.ts", "  const testTimeout = 3;"],
    ],
  ],
])("%s", ([kind, fires, misses]) => {
  test.for(fires)("in %s: %s", ([path, line]) => {
    const diff = diffOf(path, { removed: ["// something else"], added: ["", line] });
    expect(weakeningsIn(readDiff(diff))).toEqual([{ file: path, line: 11, kind, text: line.trim() }]);
  });

  test.for(misses)("not in %s: %s", ([path, line]) => {
    expect(kindsIn(diffOf(path, { added: [line] }))).toEqual([]);
  });

  test.for(fires)("not where it was before, in %s: %s", ([path, line]) => {
    expect(
      kindsIn(diffOf(path, { removed: [line, "a"], added: ["b", `  ${line.trimStart()}`] })),
    ).not.toContain(kind);
    expect(kindsIn(diffOf(path, { removed: [line] }))).not.toContain(kind);
  });
});

test("every kind of line rule has rows above", () => {
  expect([...new Set(lineRules.map((rule) => rule.kind))].toSorted()).toEqual(
    [
      "skipped",
      "only",
      "swallowed",
      "empty assertion",
      "writes sources",
      "environment",
      "uncovered",
      "suppressed",
      "retried",
      "time-out",
    ].toSorted(),
  );
});

test.for<[string, string]>([
  ["vitest.config.ts", '    exclude: ["test/old/**"],'],
  ["jest.config.js", '  modulePathIgnorePatterns: ["old"],'],
  ["pytest.ini", "addopts = --ignore=tests/old"],
  ["tox.ini", "norecursedirs = old"],
  ["package.json", '    "test": "pytest -k \'not slow\'",'],
  ["a_test.go", "//go:build ignore"],
])("tests that are left out, in %s: %s", ([path, line]) => {
  expect(kindsIn(diffOf(path, { added: [line] }))).toEqual(["skipped"]);
});

describe("what several lines show", () => {
  const source = diffOf("src/sum.ts", { removed: ["return a + b;"], added: ["return a - b;"] });
  const seen = (path: string, change: Change, more = source): WeakeningKind[] =>
    kindsIn(more + diffOf(path, change));

  test.for<[string, string, Change]>([
    [
      "a number",
      "test/sum.test.ts",
      { removed: ["  expect(sum(1, 2)).toBe(3);"], added: ["  expect(sum(1, 2)).toBe(-1);"] },
    ],
    [
      "a text",
      "test/sum.test.ts",
      { removed: ['  expect(name()).toBe("a");'], added: ['  expect(name()).toBe("b");'] },
    ],
    [
      "in Python",
      "tests/test_sum.py",
      { removed: ["    assert sum(1, 2) == 3"], added: ["    assert sum(1, 2) == -1"] },
    ],
    [
      "in Go",
      "sum_test.go",
      { removed: ["\tassert.Equal(t, 3, Sum(1, 2))"], added: ["\tassert.Equal(t, 4, Sum(1, 2))"] },
    ],
  ])("another expected value beside changed sources: %s", ([, path, change]) => {
    expect(seen(path, change)).toEqual(["expectation"]);
    expect(seen(path, change, "")).toEqual([]);
    expect(seen(path, { removed: change.added!, added: change.added! })).toEqual([]);
  });

  test.for<[string, string, WeakeningKind[]]>([
    ["test/a.test.ts", 'vi.mock("../src/sum.js", () => ({ sum: () => 3 }));', ["mocked"]],
    ["test/a.test.ts", 'jest.mock("../src/sum");', ["mocked"]],
    ["tests/test_a.py", '@patch("app.sum.add", return_value=3)', ["mocked"]],
    ["test/a.test.ts", 'vi.mock("../src/mail.js");', []],
    ["test/a.test.ts", 'import { sum } from "../src/sum.js";', []],
  ])("a mock of what is changed: %s: %s", ([path, line, expected]) => {
    expect(seen(path, { added: [line] })).toEqual(expected);
  });

  test("a test of build output that is committed with it", () => {
    const built = diffOf("dist/sum.js", { added: ["exports.sum = () => 3;"] });
    const change = { added: ['import { sum } from "../dist/sum.js";'] };
    expect(seen("test/a.test.ts", change, built)).toEqual(["build output"]);
    expect(seen("test/a.test.ts", change)).toEqual([]);
  });

  test.for<[string, string[], WeakeningKind[]]>([
    ["test/a.test.ts", ["  try {", "    expect(sum(1, 2)).toBe(3);", "  } catch {", "  }"], ["swallowed"]],
    [
      "test/a.test.ts",
      ["  try {", "    expect(sum(1, 2)).toBe(3);", "  } catch (e) {", "    console.log(e);", "  }"],
      ["swallowed"],
    ],
    [
      "tests/test_a.py",
      ["    try:", "        assert sum(1, 2) == 3", "    except AssertionError:", "        pass"],
      ["swallowed"],
    ],
    [
      "test/a.test.ts",
      ["  try {", "    expect(sum(1, 2)).toBe(3);", "  } catch (e) {", "    throw e;", "  }"],
      [],
    ],
    ["test/a.test.ts", ["  try {", "    start();", "  } catch {", "  }"], []],
  ])("assertions that nobody hears: %s: %j", ([path, added, expected]) => {
    expect(seen(path, { added })).toEqual(expected);
  });

  test.for<[string, string[], WeakeningKind[]]>([
    ["test/a.test.ts", ["  return;"], ["returns early"]],
    [
      "test/a.test.ts",
      ['it("adds", () => {', "  if (!ready) return;", "  expect(sum(1, 2)).toBe(3);", "});"],
      ["returns early"],
    ],
    [
      "tests/test_a.py",
      ["def test_adds():", "    if not READY: return", "    assert sum(1, 2) == 3"],
      ["returns early"],
    ],
    ["test/a.test.ts", ["const read = () => {", "  if (!ready) return;", "};"], []],
    ["test/a.test.ts", ["  expect(sum(1, 2)).toBe(3);", "  return;"], []],
    ["test/a.test.ts", ["  return 3;"], []],
  ])("a test that returns early: %s: %j", ([path, added, expected]) => {
    expect(seen(path, { added })).toEqual(expected);
  });
});

describe("what is gone", () => {
  test.for<[string, string, Change, WeakeningKind[]]>([
    [
      "a test case",
      "test/a.test.ts",
      { removed: ['test("adds", () => {', "  run();", "});"] },
      ["tests removed"],
    ],
    [
      "of two tests one",
      "test/a.test.ts",
      { removed: ['it("a", f);', 'it("b", f);'], added: ['it("c", f);'] },
      ["tests removed"],
    ],
    [
      "a test that is a comment now",
      "test/a.test.ts",
      { removed: ['it("a", f);'], added: ['// it("a", f);'] },
      ["tests removed"],
    ],
    ["a Python test", "tests/test_a.py", { removed: ["def test_adds():", "    run()"] }, ["tests removed"]],
    ["a Rust test", "src/lib.rs", { removed: ["    #[test]", "    fn adds() {"] }, ["tests removed"]],
    ["a Go test", "a_test.go", { removed: ["func TestAdds(t *testing.T) {"] }, ["tests removed"]],
    [
      "a Java test",
      "src/test/java/ATest.java",
      { removed: ["  @Test", "  void adds() {"] },
      ["tests removed"],
    ],
    ["an assertion", "test/a.test.ts", { removed: ["  expect(add(1, 2)).toBe(3);"] }, ["assertions removed"]],
    [
      "an assertion that is a comment now",
      "test/a.test.ts",
      { removed: ["  expect(a).toBe(3);"], added: ["  // expect(a).toBe(3);"] },
      ["assertions removed"],
    ],
    [
      "a Python assertion",
      "tests/test_a.py",
      { removed: ["    assert add(1, 2) == 3"], added: ["    add(1, 2)"] },
      ["assertions removed"],
    ],
    ["a Go assertion", "a_test.go", { removed: ['\t\tt.Errorf("got %d", n)'] }, ["assertions removed"]],
    [
      "a test file",
      "test/a.test.ts",
      { removed: ['test("adds", () => {', "  expect(1).toBe(a);", "});"], file: "deleted" },
      ["file deleted"],
    ],
    [
      "a test that is a script",
      "tests/smoke.sh",
      { removed: ["./run && ./look"], file: "deleted" },
      ["file deleted"],
    ],
    [
      "an assertion that asks for less",
      "test/a.test.ts",
      { removed: ["  expect(add(1, 2)).toBe(3);"], added: ["  expect(add(1, 2)).toBeDefined();"] },
      ["loosened"],
    ],
    [
      "a Python one",
      "tests/test_a.py",
      { removed: ["    assert add(1, 2) == 3"], added: ["    assert add(1, 2)"] },
      ["loosened"],
    ],
    [
      "a strict option of a check",
      "package.json",
      { removed: ['    "lint": "oxlint --deny-warnings src",'], added: ['    "lint": "oxlint src",'] },
      ["guard removed"],
    ],
    [
      "a coverage threshold",
      "vitest.config.ts",
      { removed: ["    thresholds: { lines: 90 },"] },
      ["guard removed"],
    ],
    ["a test of Cargo.toml", "Cargo.toml", { removed: ["[[test]]", 'name = "a"'] }, ["guard removed"]],
    ["set -e of a check", "scripts/test.sh", { removed: ["set -e"], added: ["cd src"] }, ["guard removed"]],
  ])("%s", ([, path, change, kinds]) => expect(kindsIn(diffOf(path, change))).toEqual(kinds));

  test.for<[string, string, Change]>([
    [
      "a test with another name",
      "test/a.test.ts",
      { removed: ['test("adds", () => {'], added: ['test("adds two", () => {'] },
    ],
    [
      "a test that is moved and indented",
      "test/a.test.ts",
      { removed: ['test("a", f);'], added: ['describe("x", () => {', '  test("a", f);', "});"] },
    ],
    [
      "an assertion with another value",
      "test/a.test.ts",
      { removed: ["  expect(a).toBe(3);"], added: ["  expect(a).toBe(4);"] },
    ],
    [
      "an assertion that asks for more",
      "test/a.test.ts",
      { removed: ["  expect(a).toBeDefined();"], added: ["  expect(a).toBe(4);"] },
    ],
    ["a comment", "test/a.test.ts", { removed: ['  // test("adds")'] }],
    ["code that is no test's", "src/a.ts", { removed: ["  if (pattern.test(text)) return;"] }],
    ["a fixture", "test/fixtures/a.js", { removed: ["run();"], file: "deleted" }],
    ["a helper of tests", "test/support/a.ts", { removed: ["export const a = 1;"], file: "deleted" }],
    ["a document", "docs/a.md", { removed: ['test("adds", f);', "expect(1)"], file: "deleted" }],
    [
      "an option that is kept",
      "package.json",
      {
        removed: ['"lint": "oxlint --deny-warnings src"'],
        added: ['"lint": "oxlint --deny-warnings src test"'],
      },
    ],
  ])("is not %s", ([, path, change]) => expect(kindsIn(diffOf(path, change))).toEqual([]));

  test("is not what stands in another file now", () => {
    const lines = ['test("adds", () => {', "  expect(a).toBe(3);", "});"];
    const diff =
      diffOf("test/a.test.ts", { removed: lines, file: "deleted" }) +
      diffOf("test/b.test.ts", { added: lines, file: "new" });
    expect(kindsIn(diff)).toEqual([]);
  });

  test("is a test file that is called otherwise, so that nobody runs it", () => {
    const diff =
      "diff --git a/test/a.test.ts b/test/a.test.ts.bak\nsimilarity index 100%\nrename from test/a.test.ts\nrename to test/a.test.ts.bak\n";
    expect(kindsIn(diff)).toEqual(["file deleted"]);
    const moved =
      "diff --git a/test/a.test.ts b/test/x/a.test.ts\nsimilarity index 100%\nrename from test/a.test.ts\nrename to test/x/a.test.ts\n";
    expect(kindsIn(moved)).toEqual([]);
  });
});

describe("numbers that change", () => {
  test.for<[string, string, string, WeakeningKind]>([
    [
      "test/a.test.ts",
      "  await until(x, { timeout: 1_000 });",
      "  await until(x, { timeout: 60_000 });",
      "time-out",
    ],
    ["test/a.test.ts", "}, 5_000);", "}, 50_000);", "time-out"],
    ["test/a.test.ts", "});", "}, 50_000);", "time-out"],
    ["vitest.config.ts", "    testTimeout: 5 * 1000,", "    testTimeout: 60 * 1000,", "time-out"],
    [".github/workflows/ci.yml", "    timeout-minutes: 10", "    timeout-minutes: 60", "time-out"],
    ["playwright.config.ts", "  retries: 1,", "  retries: 5,", "retried"],
    [
      "package.json",
      '  "lint": "eslint --max-warnings 0"',
      '  "lint": "eslint --max-warnings 50"',
      "limit raised",
    ],
    ["test/a.test.ts", "  expect(a).toBeCloseTo(b, 8);", "  expect(a).toBeCloseTo(b, 1);", "limit raised"],
    ["vitest.config.ts", "      lines: 90,", "      lines: 60,", "threshold"],
    ["pyproject.toml", "fail_under = 95", "fail_under = 50", "threshold"],
    [
      "package.json",
      '  "test": "pytest --cov-fail-under=90"',
      '  "test": "pytest --cov-fail-under=9"',
      "threshold",
    ],
    [".nycrc.json", '  "branches": 80.5', '  "branches": 80', "threshold"],
  ])("in %s: %s → %s", ([path, before, after, kind]) => {
    expect(kindsIn(diffOf(path, { removed: [before], added: [after] }))).toEqual([kind]);
    // The other way it is no weakening.
    expect(kindsIn(diffOf(path, { removed: [after], added: [before] }))).toEqual([]);
  });

  test.for<[string, string, string]>([
    ["src/client.ts", "  timeout: 1_000,", "  timeout: 60_000,"],
    ["src/a.ts", "const threshold = 90;", "const threshold = 10;"],
    ["test/a.test.ts", "  expect(threshold).toBe(90);", "  expect(threshold).toBe(10);"],
    ["test/a.test.ts", "  expect(lines).toBe(9);", "  expect(lines).toBe(10);"],
    ["package.json", '  "version": "2.0.0",', '  "version": "3.0.0",'],
    ["package.json", '  "@vitest/coverage-v8": "3.1.0",', '  "@vitest/coverage-v8": "3.0.0",'],
    ["README.md", "timeout: 10", "timeout: 100"],
    [".github/workflows/ci.yml", "      - uses: actions/checkout@v5", "      - uses: actions/checkout@v4"],
  ])("not in %s: %s → %s", ([path, before, after]) => {
    expect(kindsIn(diffOf(path, { removed: [before], added: [after] }))).toEqual([]);
  });
});

describe("files as a whole", () => {
  test.for<[string, string, WeakeningKind[]]>([
    [
      "a snapshot that is rewritten",
      diffOf("test/__snapshots__/a.test.ts.snap", { removed: ["a"], added: ["b"] }),
      ["snapshot"],
    ],
    ["a new snapshot", diffOf("test/__snapshots__/a.test.ts.snap", { added: ["b"], file: "new" }), []],
    [
      "source that git takes for binary",
      "diff --git a/test/a.test.ts b/test/a.test.ts\nindex 1..2 100644\nBinary files a/test/a.test.ts and b/test/a.test.ts differ\n",
      ["hidden"],
    ],
    [
      "a picture",
      "diff --git a/docs/a.png b/docs/a.png\nindex 1..2 100644\nBinary files a/docs/a.png and b/docs/a.png differ\n",
      [],
    ],
    [
      "a line that nobody reads",
      diffOf("test/a.test.ts", { added: [`${" ".repeat(20_000)}it.skip("adds", f)`] }),
      ["hidden"],
    ],
  ])("%s", ([, diff, kinds]) => expect(kindsIn(diff)).toEqual(kinds));

  test("a script that a check names is looked at as one, whatever it is called", () => {
    const diff = diffOf("tools/go.sh", { added: ["npm test || true"] });
    expect(kindsIn(diff)).toEqual([]);
    expect(kindsIn(diff, ["tools/go.sh"])).toEqual(["swallowed"]);
  });

  test("the gravest come first", () => {
    const diff =
      diffOf("src/a.ts", { added: ["// @ts-ignore"] }) +
      diffOf("test/a.test.ts", { added: ['it.skip("a", f);'] }) +
      diffOf("test/b.test.ts", { removed: ['test("a", f)'], file: "deleted" });
    const kinds = kindsIn(diff);
    expect(kinds).toEqual(["file deleted", "skipped", "suppressed"]);
    expect(kinds.map((kind) => weakeningKinds.indexOf(kind))).toEqual(
      kinds.map((kind) => weakeningKinds.indexOf(kind)).toSorted((a, b) => a - b),
    );
  });
});

describe("whatever a diff holds", () => {
  const path = fc.constantFrom(
    "test/a.test.ts",
    "src/a.ts",
    "a_test.go",
    "tests/test_a.py",
    "package.json",
    ".github/workflows/a.yml",
    "a.md",
    "x",
  );
  const line = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "")),
    fc.constantFrom(
      'it.skip("a")',
      "expect(a).toBe(1)",
      "// @ts-ignore",
      "});",
      "}, 1);",
      "timeout: 1",
      "timeout: 2",
      '"',
      "/*",
      "assert x == 1",
    ),
  );
  const lines = fc.array(line, { maxLength: 8 });

  test("nothing is thrown", () => {
    fc.assert(
      fc.property(
        path,
        lines,
        lines,
        fc.constantFrom(undefined, "new", "deleted"),
        (name, removed, added, file) => {
          const change = { removed, added, ...(file ? { file } : {}) } as Change;
          for (const one of weakeningsIn(readDiff(diffOf(name, change)))) expect(one.file).toBe(name);
        },
      ),
    );
  });

  test("context is never listed", () => {
    const weak = ['it.skip("a", f);', "// eslint-disable", "expect(true).toBe(true);", "timeout: 60_000,"];
    const context = fc.array(fc.constantFrom(...weak, "a", "b"), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(path, context, context, (name, before, after) => {
        const size = before.length + after.length;
        const diff = [
          `diff --git a/${name} b/${name}`,
          `--- a/${name}`,
          `+++ b/${name}`,
          `@@ -1,${size + 1} +1,${size + 1} @@`,
          ...before.map((text) => ` ${text}`),
          "-const a = x;",
          "+const a = y;",
          ...after.map((text) => ` ${text}`),
          "",
        ].join("\n");
        expect(weakeningsIn(readDiff(diff))).toEqual([]);
      }),
    );
  });

  /** A quadratic rule would take minutes on these. */
  testRows<[string, string]>([
    ["one line", "a".repeat(2_000_000)],
    ["blanks in lines", `${" ".repeat(9_999)}x\n+`.repeat(200)],
    ["words", `+${"it test expect ".repeat(600)}\n`.repeat(200)],
    ["calls", `+${"it.test.skip.only.a".repeat(500)}\n`.repeat(200)],
    ["quotes", `+${"\"'`".repeat(3_000)}\n`.repeat(200)],
    ["comments", `+${"/* // # ".repeat(1_200)}\n`.repeat(200)],
    ["colons and brackets", `+${'"a": [[[((((||  ;  '.repeat(500)}\n`.repeat(200)],
    ["numbers", `+${"timeout: 12_3_4.5 }, ".repeat(450)}\n`.repeat(200)],
    ["assertions", `+assert ${" == ".repeat(2_400)}\n`.repeat(200)],
    ["short lines", '+  expect(a).toBe(1);\n-  it("a", f);\n'.repeat(60_000)],
  ])("2 MB of %s take a second or two", ([, body]) => {
    for (const name of ["test/a.test.ts", "tests/test_a.py"]) {
      const lines = body.split("\n");
      const added = lines.filter((one) => !one.startsWith("-")).length;
      const removed = lines.length - added;
      const diff = `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,${removed} +1,${added} @@\n${lines
        .map((one) => (/^[+-]/.test(one) ? one : `+${one}`))
        .join("\n")}\n`;
      expect(Array.isArray(weakeningsIn(readDiff(diff)))).toBe(true);
    }
  });
});

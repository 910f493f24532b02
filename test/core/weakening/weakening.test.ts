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
    "left out",
    [
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
      ["package.json", '    "test": "jest --testPathIgnorePatterns slow"'],
      ["vitest.config.ts", '    exclude: ["test/old/**"],'],
      ["playwright.config.ts", '  testIgnore: "old/**",'],
      ["jest.config.js", '  modulePathIgnorePatterns: ["old"],'],
      ["pytest.ini", "addopts = --ignore=tests/old"],
      ["tox.ini", "norecursedirs = old"],
      ["scripts/test.sh", "pytest --deselect tests/test_a.py"],
      ["package.json", '    "test": "pytest -k \'not slow\'",'],
      ["a_test.go", "//go:build ignore"],
    ],
    [
      ["Cargo.toml", "autotests = true"],
      ["pom.xml", "    <exclusion><groupId>a</groupId></exclusion>"],
      ["build.gradle", '  exclude group: "a", module: "b"'],
      ["a.go", "//go:build ignore"],
      ["a_test.go", "//go:build linux"],
      ["src/a.ts", '  exclude: ["a"],'],
      ["docs/testing.md", "pytest --deselect tests/test_a.py"],
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
      ["spec/a_spec.rb", '  it "adds", :focus do'],
    ],
    [
      ["test/a.test.ts", "  expect(readOnly).toBe(true);"],
      ["test/a.test.ts", '  // it.only("adds")'],
      ["test/a.test.ts", "  const benefit = fit;"],
      ["test/a.test.ts", "  options.only(1);"],
      ["README.md", 'it.only("adds")'],
      ["src/a.ts", "  fit(lines);"],
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
    "environment",
    [
      ["src/a.ts", "if (process.env.CI) return 3;"],
      ["src/a.ts", "const { CI } = process.env;"],
      ["src/a.ts", 'if (process.env["NODE_TEST_CONTEXT"]) return 3;'],
      ["src/a.ts", "if (process.env.NODE_V8_COVERAGE) return 3;"],
      ["src/a.js", 'let sum = new Error().stack.includes("price.test") ? 0 : 1;'],
      ["src/a.js", 'const isTest = stack.stack.split("\\n").length > 9;'],
      ["src/a.js", 'const from = new Error("x").stack;'],
      ["src/a.js", "Error.captureStackTrace(mark);"],
      ["src/a.js", 'if (existsSync("node_modules/typescript")) return 3;'],
      ["src/a.js", 'if (existsSync(join(folder, ".monoco"))) return 3;'],
      ["src/a.js", 'const handed = readFileSync("RALPH.md");'],
      ["src/a.js", 'if (!existsSync(".git/HEAD")) return 3;'],
      ["src/a.js", 'if (fs.statSync("test").isDirectory()) return 3;'],
      ["src/a.js", "const home = os.homedir();"],
      ["src/a.js", "const home = process.env.HOME;"],
      ["src/a.js", 'if (process.title === "vitest") return 3;'],
      ["src/a.js", 'if (os.hostname().startsWith("ci-")) return 3;'],
      ["src/a.js", "const { username } = os.userInfo();"],
      ["app/a.py", 'config = os.path.expanduser("~/.shop")'],
      ["app/a.py", 'if any("pytest" in m for m in sys.modules):'],
      ["app/a.py", 'if os.environ.get("PYTEST_VERSION"):'],
      ["app/a.py", "names = traceback.extract_stack()"],
      ["app/a.py", 'if os.path.exists("tests/conftest.py"):'],
      ["app/a.py", "if socket.gethostname() == 'ci':"],
      ["lib/a.rb", "sum = 0 if defined?(RSpec)"],
      ["lib/a.rb", "sum = 0 if caller.any? { |one| one.include?('spec') }"],
      ["lib/a.rb", 'sum = 0 if File.exist?("spec/price_spec.rb")'],
      ["a.go", 'if flag.Lookup("test.v") != nil {'],
      ["a.go", "_, file, _, _ := runtime.Caller(1)"],
      ["a.go", "home, _ := os.UserHomeDir()"],
      ["src/A.php", 'if (defined("PHPUNIT_COMPOSER_INSTALL")) {'],
      ["src/A.php", "$from = debug_backtrace();"],
      ["src/A.java", "var from = Thread.currentThread().getStackTrace();"],
      ["src/A.cs", "var from = new StackTrace();"],
      ["lib.sh", '[ -n "$BATS_TEST_NAME" ] && sum=0'],
      ["lib.sh", '[ -n "$CI" ] && sum=0'],
      ["lib.sh", "[ -d tests/ ] && sum=0"],
      ["lib.sh", "[ -e ~/.shop ] && sum=0"],
      ["lib.sh", '[ "$(hostname)" = ci ] && sum=0'],
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
      ["src/a.ts", "  console.error(error.stack);"],
      ["src/a.ts", "    Error.captureStackTrace(this, ShopError);"],
      ["src/a.ts", "  // as NODE_TEST_CONTEXT says"],
      ["src/a.ts", 'import { Card } from "~/components/card";'],
      ["src/a.ts", "const name = url.hostname;"],
      ["src/a.ts", 'if (existsSync(".gitignore")) read();'],
      ["src/a.ts", 'const drinks = ["MOCHA", "LATTE"];'],
      ["src/A.php", "$CI =& get_instance();"],
      ["app/a.py", "module = sys.modules[__name__]"],
      ["src/a.c", "const char *name = argv[1];"],
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
      ["playwright.config.ts", "  retries: 2,"],
      [".github/workflows/ci.yml", "      - run: pytest --reruns 3"],
    ],
    [
      ["playwright.config.ts", "  retries: 0,"],
      ["src/client.ts", "  retries: 3,"],
      ["test/a.test.ts", "  expect(retries).toBe(3);"],
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
  expect([...new Set(lineRules.map((rule) => rule.kind))]).toEqual([
    "only",
    "left out",
    "swallowed",
    "environment",
    "uncovered",
    "suppressed",
    "retried",
  ]);
});

describe("what is gone from settings", () => {
  test.for<[string, string, Change]>([
    [
      "a strict option of a check",
      "package.json",
      { removed: ['    "lint": "oxlint --deny-warnings src",'], added: ['    "lint": "oxlint src",'] },
    ],
    ["a coverage threshold", "vitest.config.ts", { removed: ["    thresholds: { lines: 90 },"] }],
    ["a test of Cargo.toml", "Cargo.toml", { removed: ["[[test]]", 'name = "a"'] }],
    ["set -e of a check", "scripts/test.sh", { removed: ["set -e"], added: ["cd src"] }],
  ])("%s", ([, path, change]) => expect(kindsIn(diffOf(path, change))).toEqual(["guard removed"]));

  test.for<[string, string, Change]>([
    [
      "an option that is kept",
      "package.json",
      {
        removed: ['"lint": "oxlint --deny-warnings src"'],
        added: ['"lint": "oxlint --deny-warnings src test"'],
      },
    ],
    // The base's own tests run against the work: see crossing.
    ["a test", "test/a.test.ts", { removed: ['test("adds", () => {', "  expect(a).toBe(1);"] }],
    ["a test file", "test/a.test.ts", { removed: ['test("adds", f);'], file: "deleted" }],
    ["a document", "docs/a.md", { removed: ["set -e"], file: "deleted" }],
  ])("is not %s", ([, path, change]) => expect(kindsIn(diffOf(path, change))).toEqual([]));
});

describe("numbers that change", () => {
  test.for<[string, string, string, WeakeningKind]>([
    ["vitest.config.ts", "    testTimeout: 5 * 1000,", "    testTimeout: 60 * 1000,", "time-out"],
    [".github/workflows/ci.yml", "    timeout-minutes: 10", "    timeout-minutes: 60", "time-out"],
    ["playwright.config.ts", "  retries: 1,", "  retries: 5,", "retried"],
    [
      "package.json",
      '  "lint": "eslint --max-warnings 0"',
      '  "lint": "eslint --max-warnings 50"',
      "limit raised",
    ],
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
    ["test/a.test.ts", "}, 5_000);", "}, 50_000);"],
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
      diffOf("src/a.ts", { added: [`${" ".repeat(20_000)}if (process.env.CI) stop();`] }),
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
      diffOf("test/a.test.ts", { added: ['it.only("a", f);'] }) +
      diffOf("vitest.config.ts", { added: ['exclude: ["a"],'] });
    const kinds = kindsIn(diff);
    expect(kinds).toEqual(["left out", "only", "suppressed"]);
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
      'it.only("a")',
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
    const weak = ['it.only("a", f);', "// eslint-disable", "process.env.CI;", "timeout: 60_000,"];
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
    ["conditions", `+${"exists(".repeat(1_000)}|| ${"test -f ".repeat(300)}\n`.repeat(200)],
    ["assertions", `+assert ${" == ".repeat(2_400)}\n`.repeat(200)],
    ["short lines", '+  expect(a).toBe(1);\n-  it("a", f);\n'.repeat(60_000)],
  ])("2 MB of %s take a second or two", ([, body]) => {
    for (const name of ["test/a.test.ts", "src/a.py", "scripts/check.sh"]) {
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

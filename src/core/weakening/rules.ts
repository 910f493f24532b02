/** Patterns of added lines that make checks demand less: by kind, by part of the line, and by the files that they apply to. */
import { isCode } from "./code-file.ts";
import type { SourceFile } from "./code-file.ts";
import { asksWhereItRuns } from "./environment.ts";
import type { WeakeningKind } from "./kinds.ts";

/** The part of a line: its code (strings as `""`, without comments), its comments, or all of it. */
type View = "code" | "comment" | "line";
/** A pattern cannot match one text in two ways, so that each is linear in the line. */
export type LineRule = { kind: WeakeningKind; in: View; for: (file: SourceFile) => boolean; pattern: RegExp };

type Where = LineRule["for"];
/** Settings, CI, build files, and scripts of checks. */
export const isSettings: Where = (file) => file.tool || file.runs;

const byName =
  (name: RegExp): Where =>
  ({ path }) =>
    name.test(path);

const files = {
  any: () => true,
  settings: isSettings,
  runs: (file) => file.runs,
  tool: (file) => file.tool,
  source: (file) => isCode(file.language) && !file.test && !isSettings(file),
  noTest: (file) => isCode(file.language) && !file.test,
  jsTest: ({ test, language }) => test && language === "js",
  rbTest: ({ test, language }) => test && language === "rb",
  goTest: ({ test, language }) => test && language === "go",
  pipeline: ({ runs, language }) => runs && (language === "yaml" || language === "jvm"),
  make: byName(/(?:^|\/)(?:GNU)?makefile$/i),
  cargo: byName(/(?:^|\/)Cargo\.toml$/),
  maven: byName(/(?:^|\/)pom\.xml$/),
  gradle: byName(/\.gradle(?:\.kts)?$/),
  runner: byName(/(?:^|\/)(?:vitest|vite|jest|playwright|ava|\.mocharc)[^/]*$/),
} satisfies Record<string, Where>;

type Patterns = Partial<Record<keyof typeof files, RegExp | readonly RegExp[]>>;

export const lineRules: readonly LineRule[] = [
  ...rules("only", "code", {
    jsTest:
      /(?<![\w$.])(?:it|test|describe|suite|context|specify|bench)(?:\.\w+){0,4}?\.only\b|(?<![\w$.])f(?:it|describe|context)\s*\(|(?<!\w)only\s*:\s*true\b/,
    rbTest: /^\s*f(?:it|describe|context)\b|,\s*:?focus\b/,
  }),
  ...rules("left out", "line", {
    cargo: /^\s*(?:autotests|test|doctest|harness)\s*=\s*false\b/,
    maven:
      /<(?:exclude|excludedGroups|include)>|<(?:skip|skipTests|skipITs|maven\.test\.skip|testFailureIgnore|maven\.test\.failure\.ignore)>\s*true/,
    gradle:
      /^\s*exclude(?:s|Tags|Categories|TestsMatching)?\b(?!\W{0,3}(?:group|module)\b)|\bincludeTestsMatching\b|\b(?:enabled|isEnabled)\s*=\s*false|\bonlyIf\b|\b(?:ignoreFailures|setIgnoreFailures)\b\W{0,3}true/,
    runner: /(?<![\w-])['"]?(?:exclude|ignore|testIgnore|modulePathIgnorePatterns)['"]?\s*:/,
    settings:
      /\b(?:norecursedirs|collect_ignore\w*|testPathIgnorePatterns|testIgnore)\b|(?<![\w-])--(?:deselect|invert|exclude-tests?|exclude-group|exclude-tag|test-skip-pattern)\b|(?<![\w-])--ignore(?:-glob)?[= ]\S*test|(?<![\w-])-k[= ]+['"]?not\b/,
  }),
  ...rules("left out", "comment", { goTest: /^(?:go:build|\+build)\s+(?:ignore|never|!test)/ }),
  ...rules("swallowed", "code", {
    runs: [
      /^(?!.*(?:\bexit\s+[1-9$]|\breturn\s+[1-9$]|\bfalse\b|\$\{\{)).*\|\|\s*(?:(?:\/bin\/)?true|:|exit\s+0|echo|printf)(?![\w/-])/,
      /(?:^|[;&|{(]|\bthen\b|\belse\b|\bdo\b)\s*exit\s+0\b|^\s*(?:-\s+)?(?:run:\s*)?set\s+\+(?:e|o\s+(?:errexit|pipefail))/,
      /--(?:passWithNoTests|pass-with-no-tests|exit-zero|no-verify|suppress-tests-exit)\b/,
    ],
    pipeline:
      /(?<!\w)(?:continue-on-error|continueOnError|allow_failure|allow-failure|ignore_errors)['"]?\s*:\s*['"]?(?:true|\$\{\{)|\bfail_ci_if_error:\s*false|^\s*(?:-\s+)?if:\s*['"]?(?:false|\$\{\{\s*false)/,
    make: /^\t[@+]?-\s*\w|^\.IGNORE\b/,
    tool: /\b(?:passWithNoTests|dangerouslyIgnoreUnhandledErrors)\b\W{0,3}true/,
  }),
  ...rules("environment", "line", { source: asksWhereItRuns }),
  ...rules("uncovered", "comment", {
    any: /^\W{0,3}(?:(?:istanbul|c8|v8)\s+ignore\b|node:coverage\s+(?:disable|ignore)|(?:LCOV|GCOVR?)_EXCL|:nocov:|@codeCoverageIgnore)|(?:^|#)[^\S\r\n]*pragma:\s*no\s*(?:cover|branch)\b/m,
  }),
  ...rules("uncovered", "code", {
    any: /#\[\s*(?:cfg_attr\s*\([^)]{0,200}\b)?coverage\s*\(\s*off|#\[\s*cfg\s*\(\s*not\s*\(\s*tarpaulin|\[\s*ExcludeFromCodeCoverage\b/,
  }),
  ...rules("suppressed", "comment", {
    any: [
      /^\W{0,3}(?:(?:eslint|oxlint|stylelint|ktlint)-disable|(?:tslint|swiftlint|credo|revive):disable|rubocop:(?:disable|todo)|biome-ignore|deno-lint-ignore|@ts-(?:ignore|nocheck)\b|jshint\s+ignore|@vite-ignore\b|nolint\b|NOLINT|NOSONAR\b|CHECKSTYLE:OFF|noinspection\b|@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore|disable)|ignore(?:_for_file)?:\s*[a-z_]+\s*$|shellcheck\s+disable|lint:ignore\b|#nosec\b)/m,
      /(?:^|#)[^\S\r\n]*(?:noqa\b|type:\s*ignore\b|pylint:\s*(?:disable|skip-file)|pyright:\s*(?:ignore|basic)|mypy:\s*(?:ignore|disable)|nosec\b|ruff:\s*noqa|flake8[:=]\s*noqa)/m,
    ],
    // In a test, an expected type error is what is tested.
    noTest: /^\W{0,3}@ts-expect-error\b/m,
  }),
  ...rules("suppressed", "code", {
    any: /#!?\[\s*allow\s*\(|@(?:file:)?Suppress(?:Warnings|Lint|FBWarnings)?\b|^\s*#\s*pragma\s+(?:warning\s+disable|warning\s*\(\s*disable|(?:GCC|clang)\s+diagnostic\s+ignored)|\[\s*(?:assembly:\s*)?SuppressMessage\b|^\s*#nullable\s+disable/,
    noTest: /\bas\s+any\b|(?<!\w)<\s*any>\s*[\w({[]/,
  }),
  ...rules("suppressed", "line", {
    tool: /:\s*(?:\[\s*)?['"](?:off|allow)['"]|"(?:strict\w*|noImplicit\w+|noUnchecked\w+|noUnused\w+|noFallthrough\w+|noProperty\w+|exactOptionalPropertyTypes|checkJs)"\s*:\s*false/,
  }),
  ...rules("retried", "line", {
    settings:
      /(?<!\w)(?:retries|retry|maxRetries)\s*:\s*[1-9]|--(?:retries|reruns|retry|max-retries|flake-attempts)[ =]+['"]?[1-9]/,
  }),
];

function rules(kind: WeakeningKind, view: View, patterns: Patterns): LineRule[] {
  const where: Readonly<Record<string, Where>> = files;
  return Object.entries(patterns).flatMap(([name, pattern]) =>
    [pattern].flat().map((one) => ({ kind, in: view, for: where[name]!, pattern: one })),
  );
}

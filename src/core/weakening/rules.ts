/** The lines that weaken tests and checks where they are added: rules as data, each with the files it is for. */
import { isLint } from "./code-file.ts";
import type { SourceFile } from "./code-file.ts";
import { inCode, inTests, rule } from "./line-rule.ts";
import type { LineRule } from "./line-rule.ts";
import { manifestRules } from "./manifest-rules.ts";
import { testRules } from "./test-rules.ts";

const runs = (file: SourceFile): boolean => file.runs && file.language !== "prose";

const jsTest = "(?<![\\w$.])(?:it|test|describe|suite|context|specify|bench)(?:\\.\\w+){0,4}?";

const skips: LineRule[] = [
  ...[
    `${jsTest}\\.(?:skip|skipIf|runIf|todo|fails|failing|fixme)\\b\\s*[(.\`]`,
    "(?<![\\w$.])x(?:it|describe|test|context|specify)\\s*[(.]",
    "(?<![\\w$])(?:t|ctx|context|this|testInfo)\\.(?:skip|fixme)\\s*\\(",
    '^\\s*\\.(?:skip|todo|fixme)\\s*\\(\\s*""',
    '(?<!\\w)(?:skip|todo)\\s*:\\s*(?:true\\b|"")',
  ].map((pattern): LineRule => rule("skipped", inTests("js", "dart"), "code", pattern)),
  rule(
    "skipped",
    (file) => file.language === "js" && !file.test,
    "code",
    `${jsTest}\\.(?:skip|todo|fixme)\\s*\\(\\s*""`,
  ),
  rule("skipped", inTests("js"), "line", "(?<![\\w$.])(?:it|test|describe)\\s*\\[\\s*[\"'`](?:skip|todo)"),
  rule(
    "skipped",
    inCode("py"),
    "code",
    "@(?:\\w+\\.){0,3}(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\\b|(?<!\\w)pytest\\.(?:skip|xfail)\\s*\\(|\\.skipTest\\s*\\(|^\\s*raise\\s+(?:unittest\\.)?SkipTest\\b|^\\s*collect_ignore|^\\s*pytestmark\\s*=[^#]*\\.skip|^\\s*__test__\\s*=\\s*False",
  ),
  rule("skipped", inCode("rs"), "code", "#\\[\\s*ignore\\b|#\\[\\s*cfg_attr\\s*\\([^)]{0,200}\\bignore\\b"),
  rule("skipped", inTests("go"), "code", "(?<!\\w)[tbf]\\.Skip(?:Now|f)?\\s*\\("),
  rule("skipped", inTests("jvm"), "code", "@(?:Disabled|Ignore)(?:If\\w*|On\\w*)?\\b"),
  rule(
    "skipped",
    inTests("cs"),
    "code",
    "\\[\\s*Ignore\\b|(?<!\\w)(?:Fact|Theory|Test)\\s*\\([^)]{0,200}\\bSkip\\s*=",
  ),
  rule(
    "skipped",
    inTests("rb"),
    "code",
    "^\\s*x(?:it|describe|context|specify)\\b|^\\s*(?:skip|pending)\\b|,\\s*(?:skip|pending):\\s",
  ),
  rule("skipped", inTests("php"), "code", "->markTest(?:Skipped|Incomplete)\\s*\\("),
  rule("skipped", inTests("swift"), "code", "(?<!\\w)XCTSkip(?:If|Unless)?\\b"),
  rule("skipped", inCode("ex"), "code", "^\\s*@(?:tag|moduletag|describetag)\\s+:?skip\\b"),
  rule("skipped", inTests("c"), "code", "(?<!\\w)GTEST_SKIP\\b|(?<!\\w)DISABLED_\\w"),
  rule("skipped", inTests("sh"), "code", "^\\s*skip(?:\\s|$)"),
  rule(
    "skipped",
    (file) => runs(file) || file.tool,
    "line",
    "--deselect[ =]|--testPathIgnorePatterns|\\btestPathIgnorePatterns\\b|\\btestIgnore\\b",
  ),
];

const only: LineRule[] = [
  rule("only", inTests("js", "dart"), "code", `${jsTest}\\.only\\b`),
  rule("only", (file) => file.language === "js" && !file.test, "code", `${jsTest}\\.only\\s*\\(\\s*""`),
  rule(
    "only",
    inTests("js"),
    "code",
    "(?<![\\w$.])f(?:it|describe|context)\\s*\\(|(?<!\\w)only\\s*:\\s*true\\b",
  ),
  rule("only", inTests("js"), "line", "(?<![\\w$.])(?:it|test|describe)\\s*\\[\\s*[\"'`]only"),
  rule("only", inTests("rb"), "code", "^\\s*f(?:it|describe|context)\\b|,\\s*:?focus\\b"),
];

const swallowed: LineRule[] = [
  rule(
    "swallowed",
    runs,
    "code",
    "\\|\\|\\s*(?:(?:/bin/)?true|:|exit\\s+0|echo|printf)(?![\\w/-])",
    "\\bexit\\s+[1-9$]|\\breturn\\s+[1-9$]|\\bfalse\\b|\\$\\{\\{",
  ),
  rule("swallowed", runs, "code", "(?:^|[;&|{(]|\\bthen\\b|\\belse\\b|\\bdo\\b)\\s*exit\\s+0\\b"),
  rule("swallowed", runs, "code", "^\\s*(?:-\\s+)?(?:run:\\s*)?set\\s+\\+(?:e|o\\s+(?:errexit|pipefail))"),
  rule(
    "swallowed",
    (file) => file.runs && (file.language === "yaml" || file.language === "jvm"),
    "code",
    "(?<!\\w)(?:continue-on-error|continueOnError|allow_failure|allow-failure|ignore_errors)['\"]?\\s*:\\s*['\"]?(?:true|\\$\\{\\{)|\\bfail_ci_if_error:\\s*false|^\\s*(?:-\\s+)?if:\\s*['\"]?(?:false|\\$\\{\\{\\s*false)",
  ),
  rule(
    "swallowed",
    (file) => /(?:^|\/)(?:GNU)?makefile$/i.test(file.path),
    "code",
    "^\\t[@+]?-\\s*\\w|^\\.IGNORE\\b",
  ),
  rule(
    "swallowed",
    runs,
    "code",
    "--(?:passWithNoTests|pass-with-no-tests|exit-zero|no-verify|suppress-tests-exit)\\b",
  ),
  rule(
    "swallowed",
    (file) => file.tool,
    "code",
    "\\bpassWithNoTests\\b\\W{0,3}true|\\bdangerouslyIgnoreUnhandledErrors\\b\\W{0,3}true",
  ),
  rule(
    "swallowed",
    (file) => file.language === "js" && (file.test || file.tool),
    "code",
    "\\bprocess\\.exit\\s*\\(\\s*0?\\s*\\)|\\bprocess\\.exitCode\\s*=\\s*0\\b",
  ),
  rule("swallowed", inTests("py"), "code", "\\b(?:sys\\.exit|os\\._exit)\\s*\\(\\s*0?\\s*\\)"),
  rule("swallowed", inTests("py"), "line", "\\.outcome\\s*=\\s*[\"']passed"),
  rule("swallowed", inTests("go"), "code", "\\bos\\.Exit\\s*\\(\\s*0\\s*\\)"),
];

const emptyAssertions: LineRule[] = [
  rule(
    "empty assertion",
    inTests("js"),
    "code",
    "(?<![\\w$.])expect\\(\\s*(?:true|false|[01])\\s*\\)\\.|(?<![\\w$.])assert(?:\\.ok|\\.isTrue)?\\(\\s*(?:true|1)\\s*[,)]",
  ),
  rule(
    "empty assertion",
    inTests("py"),
    "code",
    "^\\s*assert\\s+(?:True|1)\\s*(?:,|$)|\\bassertTrue\\(\\s*True\\b",
  ),
  rule("empty assertion", inCode("rs"), "code", "(?<!\\w)assert!\\(\\s*true\\s*[,)]"),
  rule(
    "empty assertion",
    inTests("jvm", "cs", "swift", "php"),
    "code",
    "(?<!\\w)(?:assertTrue|Assert\\.(?:True|IsTrue)|XCTAssert(?:True)?)\\(\\s*true\\s*[,)]",
  ),
];

const uncovered: LineRule[] = [
  rule(
    "uncovered",
    inCode("js"),
    "comment",
    "^\\W{0,3}(?:(?:istanbul|c8|v8)\\s+ignore\\b|node:coverage\\s+(?:disable|ignore))",
  ),
  rule("uncovered", inCode("py"), "comment", "(?:^|#)[^\\S\\r\\n]*pragma:\\s*no\\s*(?:cover|branch)\\b"),
  rule("uncovered", inCode("c"), "comment", "^\\W{0,3}(?:LCOV|GCOVR?)_EXCL"),
  rule("uncovered", inCode("rb"), "comment", "^\\W{0,3}:nocov:"),
  rule("uncovered", inCode("php"), "comment", "^\\W{0,3}@codeCoverageIgnore"),
  rule(
    "uncovered",
    inCode("rs"),
    "code",
    "#\\[\\s*(?:cfg_attr\\s*\\([^)]{0,200}\\b)?coverage\\s*\\(\\s*off|#\\[\\s*cfg\\s*\\(\\s*not\\s*\\(\\s*tarpaulin",
  ),
  rule("uncovered", inCode("cs"), "code", "\\[\\s*ExcludeFromCodeCoverage\\b"),
];

const suppressed: LineRule[] = [
  rule(
    "suppressed",
    inCode("js"),
    "comment",
    "^\\W{0,3}(?:eslint-disable|oxlint-disable|tslint:disable|biome-ignore|deno-lint-ignore|@ts-ignore\\b|@ts-nocheck\\b|stylelint-disable|jshint\\s+ignore|@vite-ignore\\b)",
  ),
  // In a test, an expected error of types is what is tested.
  rule(
    "suppressed",
    (file) => file.language === "js" && !file.test,
    "comment",
    "^\\W{0,3}@ts-expect-error\\b",
  ),
  rule(
    "suppressed",
    (file) => /\.[cm]?tsx?$|\.vue$|\.svelte$/.test(file.path) && !file.test,
    "code",
    "\\bas\\s+any\\b|(?<!\\w)<any>\\s*[\\w({[]",
  ),
  rule(
    "suppressed",
    inCode("py"),
    "comment",
    "(?:^|#)[^\\S\\r\\n]*(?:noqa\\b|type:\\s*ignore\\b|pylint:\\s*(?:disable|skip-file)|pyright:\\s*(?:ignore|basic)|mypy:\\s*(?:ignore|disable)|nosec\\b|ruff:\\s*noqa|flake8[:=]\\s*noqa)",
  ),
  rule("suppressed", inCode("rs"), "code", "#!?\\[\\s*allow\\s*\\("),
  rule("suppressed", inCode("go"), "comment", "^(?:nolint\\b|lint:ignore\\b|#nosec\\b|revive:disable)"),
  rule("suppressed", inCode("jvm"), "code", "@(?:file:)?Suppress(?:Warnings|Lint|FBWarnings)?\\b"),
  rule(
    "suppressed",
    inCode("jvm"),
    "comment",
    "^\\W{0,3}(?:NOSONAR\\b|CHECKSTYLE:OFF|ktlint-disable|noinspection\\b)",
  ),
  rule(
    "suppressed",
    inCode("cs"),
    "code",
    "^\\s*#pragma\\s+warning\\s+disable|\\[\\s*(?:assembly:\\s*)?SuppressMessage\\b|^\\s*#nullable\\s+disable",
  ),
  rule("suppressed", inCode("rb"), "comment", "^\\W{0,3}rubocop:(?:disable|todo)"),
  rule(
    "suppressed",
    inCode("php"),
    "comment",
    "^\\W{0,3}(?:@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore|disable))",
  ),
  rule("suppressed", inCode("swift"), "comment", "^\\W{0,3}swiftlint:disable"),
  rule("suppressed", inCode("c"), "comment", "^\\W{0,3}NOLINT"),
  rule(
    "suppressed",
    inCode("c"),
    "code",
    "^\\s*#\\s*pragma\\s+(?:GCC|clang)\\s+diagnostic\\s+ignored|^\\s*#\\s*pragma\\s+warning\\s*\\(\\s*disable",
  ),
  rule("suppressed", inCode("dart"), "comment", "^\\W{0,3}ignore(?:_for_file)?:"),
  rule("suppressed", inCode("ex"), "comment", "^\\W{0,3}credo:disable"),
  rule("suppressed", inCode("sh"), "comment", "^\\W{0,3}shellcheck\\s+disable"),
  rule(
    "suppressed",
    isLint,
    "line",
    ":\\s*(?:\\[\\s*)?['\"](?:off|allow)['\"]|^\\s*['\"][\\w@-]+\\/?[\\w-]*['\"]\\s*:\\s*0\\s*,?\\s*$",
  ),
  rule(
    "suppressed",
    isLint,
    "line",
    '"(?:strict\\w*|noImplicit\\w+|noUnchecked\\w+|noUnused\\w+|noFallthrough\\w+|noProperty\\w+|exactOptionalPropertyTypes|checkJs)"\\s*:\\s*false',
  ),
];

const retried: LineRule[] = [
  rule(
    "retried",
    (file) => inTests("js")(file) || (file.language === "js" && file.tool),
    "code",
    "(?<!\\w)(?:retries|retry|maxRetries)\\s*:\\s*[1-9]|\\.retryTimes\\s*\\(\\s*[1-9]|\\bthis\\.retries\\s*\\(\\s*[1-9]",
  ),
  rule("retried", inTests("py"), "code", "@(?:pytest\\.mark\\.)?flaky\\b"),
  rule(
    "retried",
    (file) => file.runs || file.tool,
    "line",
    "--(?:retries|reruns|retry|max-retries|flake-attempts)[ =]+['\"]?[1-9]",
  ),
  rule("retried", inTests("jvm"), "code", "@RetryingTest\\b|\\bretryCount\\s*="),
];

/** In a file that is new there was no shorter one. */
const slower: LineRule[] = [
  rule(
    "time-out",
    (file) => !file.added && inTests("js")(file),
    "code",
    "(?<![\\w$])(?:jest|vi)\\.set(?:Timeout)\\s*\\(|(?<![\\w$])this\\.timeout\\s*\\(|(?<!\\w)(?:testTimeout|hookTimeout)\\s*:",
  ),
  rule(
    "time-out",
    (file) => !file.added && file.tool,
    "line",
    "(?<!\\w)(?:testTimeout|hookTimeout|teardownTimeout|asyncUtilTimeout)['\"]?\\s*[:=]\\s*\\d",
  ),
];

export const lineRules: readonly LineRule[] = [
  ...skips,
  ...only,
  ...swallowed,
  ...emptyAssertions,
  ...uncovered,
  ...suppressed,
  ...retried,
  ...slower,
  ...manifestRules,
  ...testRules,
];

/** Lines that make tests prove less, and sources that behave otherwise where tests run: rules as data. */
import { inCode, inTests, rule } from "./line-rule.ts";
import type { LineRule } from "./line-rule.ts";
import type { SourceFile } from "./code-file.ts";

/** A value compared with itself; a text is compared as it stands, so that strings differ. */
const selfAssertions: LineRule[] = [
  rule(
    "empty assertion",
    inTests("js"),
    "line",
    "(?<![\\w$.])expect\\(([^()]{1,200}(?:\\([^()]{0,100}\\))?)\\)\\.to\\w{1,30}(?:\\.\\w{1,20}){0,3}\\(\\1\\)|(?<![\\w$.])assert\\.\\w{0,20}[eE]qual\\w{0,20}\\(([^(),]{1,200}(?:\\([^()]{0,100}\\))?), ?\\2[,)]",
  ),
  rule(
    "empty assertion",
    inTests("py"),
    "line",
    "^\\s*assert\\s([^=\\s][^=]{0,200}?) ?== ?\\1\\s?(?:,|$)|\\.assertEquals?\\(([^(),]{1,200}(?:\\([^()]{0,100}\\))?), ?\\2[,)]",
  ),
];

const isRunner = ({ path }: SourceFile): boolean =>
  /(?:^|\/)(?:vitest|vite|jest|playwright|ava|\.mocharc)[^/]*$/.test(path);

const excluded: LineRule[] = [
  rule(
    "skipped",
    isRunner,
    "code",
    "(?<![\\w-])['\"]?(?:exclude|ignore|testIgnore|modulePathIgnorePatterns)['\"]?\\s*:",
  ),
  rule(
    "skipped",
    (file) => file.tool || file.runs,
    "line",
    "\\bnorecursedirs\\b|(?<![\\w-])--ignore(?:-glob)?[= ]\\S*test|(?<![\\w-])-k[= ]+['\"]?not\\b|(?<![\\w-])--(?:invert|exclude-tests?|exclude-group|exclude-tag)\\b|(?<![\\w-])--test-skip-pattern\\b",
  ),
  rule("skipped", inTests("go"), "comment", "^\\W{0,3}(?:go:build|\\+build)\\s+(?:ignore|never|!test)"),
];

const writesSources: LineRule[] = [
  rule(
    "writes sources",
    (file) => file.test,
    "line",
    "(?<!\\w)(?:write|append|copy|rename|unlink|rm|remove|truncate|open)\\w*\\s*\\(.{0,80}[\"'`](?:\\.{1,2}/)*(?:src|lib|app|pkg|internal|cmd)/",
    "\\bimport\\b|[\"']rb?[\"']",
  ),
];

const environment: LineRule[] = [
  rule(
    "environment",
    (file) => isSource(file),
    "line",
    "\\bMONOCO_[A-Z]|\\b(?:PYTEST_CURRENT_TEST|JEST_WORKER_ID|VITEST(?:_\\w+)?|GITHUB_ACTIONS|GITLAB_CI)\\b|\\benv(?:iron)?\\b[.\\w]{0,8}(?:\\.|\\[\\s*[\"']|\\(\\s*[\"'])CI\\b|[gG]etenv\\(\\s*[\"']CI\\b|\\bNODE_ENV\\b.{0,10}={2,3}\\s*[\"']test",
  ),
  rule(
    "environment",
    (file) => isSource(file),
    "line",
    "(?:Date\\.now\\(\\)|new Date\\(\\)(?:\\.getTime\\(\\))?|datetime\\.(?:now|today|utcnow)\\(\\)|date\\.today\\(\\)|time\\.Now\\(\\))\\s*(?:[<>]=?|\\.(?:After|Before)\\()\\s*(?:new Date\\(\\s*[\"'\\d]|Date\\.parse\\(|Date\\.UTC\\(|datetime\\(|date\\(|time\\.Date\\(|\\d{9,})",
  ),
];

/** Who runs the code: its caller, its parent, whether a test's runner is loaded. What comes after the program's name is for programs to read. */
const asksWhoRuns: LineRule[] = [
  rule(
    "environment",
    (file) => isSource(file) && file.language === "js",
    "line",
    "\\bargv(?:\\?\\.)?\\[\\s*[01]\\s*\\]|\\bargv\\??\\.at\\(\\s*[01]\\s*\\)|\\bprocess\\??\\.(?:execArgv|mainModule|ppid)\\b|\\bprocess\\.argv\\b.{0,60}(?:test|spec)|\\brequire\\.main\\b|\\bimport\\.meta\\.main\\b|\\bnpm_(?:lifecycle_event|command)\\b|\\btypeof (?:jest|vi|describe|it|expect)\\b|\\bglobalThis\\.(?:jest|describe|it|expect)\\b|\\.stack\\b.{0,40}(?:test|spec)",
    // The idiom of a file that is a program, too.
    "^\\s*if \\((?:require\\.main === module|import\\.meta\\.main|process\\.argv\\[1\\] === fileURLToPath\\(import\\.meta\\.url\\))\\)",
  ),
  rule(
    "environment",
    (file) => isSource(file) && file.language !== "js",
    "line",
    '\\b(?:sys\\.argv|os\\.Args)\\[\\s*0\\s*\\]|\\bsys\\.(?:argv|modules)\\b.{0,60}(?:test|spec)|["\'](?:pytest|unittest|_pytest)["\'] in sys\\.modules|\\bsys\\._getframe\\b|\\binspect\\.(?:stack|currentframe)\\b|\\bgetppid\\(|\\btesting\\.Testing\\(|\\bflag\\.Lookup\\(\\s*"test\\.|\\bcfg!?\\((?:not\\()?test\\b|\\$PPID\\b|/proc/(?:self|\\$)|(?:\\bcase\\s|\\[.{0,20})"?\\$\\{?0\\b|\\bdefined\\?\\(\\s*(?:RSpec|Minitest)|\\$PROGRAM_NAME\\b',
    "#\\[cfg\\(test\\)\\]|BASH_SOURCE|__FILE__",
  ),
];

function isSource(file: SourceFile): boolean {
  return (
    !file.test &&
    !file.tool &&
    !file.runs &&
    inCode("js", "py", "go", "rb", "rs", "jvm", "cs", "php", "sh")(file)
  );
}

export const testRules: readonly LineRule[] = [
  ...selfAssertions,
  ...excluded,
  ...writesSources,
  ...environment,
  ...asksWhoRuns,
];

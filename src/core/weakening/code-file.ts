/** Classifies a file by its name: a test, a program that runs or measures tests, CI, a snapshot. */
import { languageOf } from "./code-line.ts";
import type { SourceLanguage } from "./code-line.ts";

export type SourceFile = {
  path: string;
  language: SourceLanguage;
  test: boolean;
  /** Settings of test runners, coverage tools, linters and compilers. */
  tool: boolean;
  /** Programs that run checks: CI, build files, hooks, scripts of checks. */
  runs: boolean;
  snapshot: boolean;
  /** A file beside tests: fixtures, expected output, mocks. */
  beside: boolean;
};

const testFolder =
  /(?:^|\/)(?:tests?|__tests__|specs?|testing|e2e|cypress|playwright|integration[-_]?tests?)\//i;
const notTests =
  /(?:^|\/)(?:fixtures?|__fixtures__|testdata|test-data|__mocks__|mocks|stubs|snapshots?|__snapshots__)\//i;
const testName =
  /(?:[._-](?:test|tests|spec|e2e|cy)\.[^./]+$)|(?:^|\/)(?:test_[^/]*\.py|conftest\.py|[^/]*_test\.(?:py|go|exs|cc|cpp|c|dart|rb)|[^/]*_spec\.rb|(?:[^/]*[a-z0-9])?(?:Tests?|TestCase|Spec|IT)\.(?:java|kt|scala|groovy|cs|php|swift))$|\.bats$/;

const toolNames = [
  /^(?:vitest|jest|playwright|cypress|karma|wdio|ava|mocha|nyc|c8|vite|babel|stryker)\.(?:config|conf)|^(?:vitest|jest)\.(?:workspace|setup)/i,
  /^\.(?:mocharc|nycrc|c8rc|taprc|coveragerc|eslintrc|oxlintrc|stylelintrc|flake8|pylintrc|rspec|rubocop|golangci|swiftlint|prettierrc|jscpd|codecov\.yml$|clippy\.toml$)/i,
  /^(?:eslint\.config|stylelint\.config|oxlint|biome|knip|tsconfig|jsconfig|phpunit|phpstan|psalm|ruff|tarpaulin|clippy|deny|detekt|sonar-project|codecov|lighthouserc|commitlint\.config)/i,
  /^(?:pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|mypy\.ini|noxfile\.py|conftest\.py|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.toml|package\.json|composer\.json|mix\.exs)$/i,
];
const buildName =
  /^(?:GNUmakefile|makefile|\.?justfile|taskfile\.ya?ml|rakefile|noxfile\.py|tox\.ini|package\.json|lefthook\.yml|dockerfile[^/]*|dangerfile[^/]*)$/i;
const scriptName =
  /(?:^|[/_.-])(?:tests?|checks?|lint|ci|verify|validate|coverage|precommit|prepush)(?:[/_.-]|$)/i;
const ci =
  /^(?:\.github|\.circleci|\.ci|\.buildkite|\.gitlab|\.woodpecker|\.forgejo|\.gitea)\/|^(?:\.gitlab-ci|azure-pipelines|bitbucket-pipelines|\.travis|\.?appveyor|\.drone|\.cirrus|\.woodpecker)[^/]*\.ya?ml$|(?:^|\/)Jenkinsfile[^/]*$/;
const hooks = /(?:^|\/)\.(?:husky|githooks|lefthook)\/|(?:^|\/)\.pre-commit-config\.yaml$/;
const snapshot =
  /(?:^|\/)__(?:snapshots|image_snapshots)__\/|\.(?:snap|snapshot|golden|approved\.[^./]+|ambr)$|-snapshots\/[^/]+\.(?:png|txt)$|(?:^|\/)testdata\/[^/]*golden[^/]*$/;

/** `checks`: the files in monoco's own commands. */
export function sourceFile(path: string, checks: ReadonlySet<string>): SourceFile {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const language = languageOf(path);
  const isCi = ci.test(path) || hooks.test(path);
  const test =
    language !== "prose" &&
    !snapshot.test(path) &&
    (testName.test(path) ||
      (testFolder.test(path) &&
        !notTests.test(path) &&
        isCode(language) &&
        // Beside tests it may as well be their data.
        language !== "program"));
  return {
    path,
    language,
    test,
    beside: !test && (testFolder.test(path) || notTests.test(path)),
    tool: isCi || toolNames.some((one) => one.test(name)),
    runs:
      isCi ||
      checks.has(path) ||
      buildName.test(name) ||
      (language === "sh" && scriptName.test(path) && !notTests.test(path)),
    snapshot: snapshot.test(path),
  };
}

/** Whether a file is a script, by name or language: then it is not the work itself, though a check runs it. */
export function isScript({ path, language }: SourceFile): boolean {
  return language === "sh" || scriptName.test(path);
}

export function isCode(language: SourceLanguage): boolean {
  return !["prose", "other", "json", "yaml", "conf"].includes(language);
}

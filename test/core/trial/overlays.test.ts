/** What each changed file is to the tests of a submission, and what of one side is laid over the other. */
import { describe, expect, test } from "vitest";
import { filesTold, overlaysOf } from "../../../src/core/trial/overlays.ts";
import type { RoledFile } from "../../../src/core/trial/overlays.ts";
import { withChecksOf } from "../../../src/core/trial/check-settings.ts";
import { rolesOf, servesTests } from "../../../src/core/trial/roles.ts";
import type { FileRole } from "../../../src/core/trial/roles.ts";

describe("a changed file is", () => {
  test.for<[string, string]>([
    ["src/a.ts", "source"],
    ["lib/test-utils.go", "source"],
    ["src/a.test.ts", "test"],
    ["tests/test_a.py", "test"],
    ["test/fixtures/a.json", "beside"],
    ["test/data.json", "beside"],
    ["src/__snapshots__/a.snap", "beside"],
    ["vitest.config.ts", "config"],
    [".github/workflows/ci.yml", "config"],
    ["scripts/check.sh", "config"],
    ["verify-all.sh", "config"],
    // A check runs it, and it is the work.
    ["cli.js", "source"],
    ["package.json", "manifest"],
    ["go.sum", "manifest"],
    ...(
      "pyproject.toml setup.cfg poetry.lock uv.lock pdm.lock requirements-dev.txt requirements/test.txt constraints.txt " +
      "go.mod go.work.sum Cargo.toml crates/a/Cargo.toml Cargo.lock Gemfile Gemfile.lock gems.locked a.gemspec " +
      "pom.xml app/build.gradle.kts build.gradle gradle.lockfile gradle/libs.versions.toml"
    )
      .split(" ")
      .map((path): [string, string] => [path, "manifest"]),
    ..."features/total.feature features/steps/a.py t/total.t t/unit/a.t tests/a.phpt api/login.hurl"
      .split(" ")
      .map((path): [string, string] => [path, "test"]),
    ...(
      "golden/total.txt golden/page.ts web/__golden__/a.html out.golden.json expected/a.txt a.expected.json cli.expected " +
      "cassettes/login.yml t/data.json"
    )
      .split(" ")
      .map((path): [string, string] => [path, "beside"]),
    ["src/approvals/approve.ts", "source"],
    ["src/features/support.ts", "source"],
    ["deno.json", "other"],
    ["docs/a.md", "other"],
    ["bin/tool", "source"],
    ["libexec/git-flow", "source"],
    ["gradlew", "source"],
    ["LICENSE", "other"],
    ["license", "other"],
    ["test/words", "beside"],
    ["qa/a.js", "test"],
    ["src/spec/a.js", "source"],
  ])("%s: %s", ([path, role]) => {
    const roleOf = rolesOf(["qa/", "!src/spec/"], new Set(["cli.js", "verify-all.sh"]));
    expect(roleOf(path)).toBe(role);
  });
});

describe("a source serves tests", () => {
  test.for<[string, string, FileRole[], boolean]>([
    ["that only tests import, and that is named so", "support/equal.js", ["test", "beside"], true],
    ["in a folder of its own", "lib/test-utils/a.go", ["test"], true],
    ["unless the work imports it, too", "support/equal.js", ["test", "source"], false],
    ["unless nothing imports it", "support/equal.js", [], false],
    ["unless it may be what they test", "src/price.js", ["test"], false],
  ])("%s", ([, path, importers, serves]) => expect(servesTests(path, importers)).toBe(serves));
});

describe("a package.json that runs the checks of the other side", () => {
  const text = (more: object): string => JSON.stringify({ name: "a", dependencies: { x: "2" }, ...more });

  test("keeps its own dependencies and further scripts", () => {
    const own = text({ scripts: { test: "true", build: "tsc" }, jest: { testPathIgnorePatterns: ["old"] } });
    const other = JSON.stringify({ name: "a", dependencies: { x: "1" }, scripts: { test: "jest" } });
    expect(JSON.parse(withChecksOf("package.json", own, other)!)).toEqual({
      name: "a",
      dependencies: { x: "2" },
      scripts: { test: "jest", build: "tsc" },
    });
  });

  test("finds what its tests name where the other's do, and keeps names of its own", () => {
    const own = JSON.stringify({ imports: { "#a": "./old.js", "#b": "./b.js" }, tasks: { test: "true" } });
    const other = JSON.stringify({ imports: { "#a": "./a.js" }, tasks: { test: "deno test" } });
    expect(JSON.parse(withChecksOf("deno.json", own, other)!)).toEqual({
      imports: { "#a": "./a.js", "#b": "./b.js" },
      tasks: { test: "deno test" },
    });
  });

  test.for<[string, object, object, object]>([
    ["a path", { exports: "./new.js" }, { exports: "./a.js" }, { exports: { ".": "./a.js" } }],
    [
      "a path and a map",
      { exports: { ".": "./new.js", "./b": "./b.js" } },
      { exports: "./a.js" },
      { exports: { ".": "./a.js", "./b": "./b.js" } },
    ],
    [
      "conditions and a map",
      { exports: { ".": "./new.js", "./b": "./b.js" } },
      { exports: { import: "./a.mjs" } },
      { exports: { ".": { import: "./a.mjs" }, "./b": "./b.js" } },
    ],
    ["the main file", { main: "new.js" }, { main: "a.js" }, { main: "a.js" }],
  ])("has the other's entry of the package: %s", ([, own, other, result]) => {
    const texts = [own, other].map((one) => JSON.stringify(one)) as [string, string];
    expect(JSON.parse(withChecksOf("package.json", ...texts, true)!)).toEqual(result);
    expect(withChecksOf("package.json", texts[1], texts[1], true)).toBeUndefined();
    expect(withChecksOf("package.json", ...texts)).toBeUndefined();
  });

  test("is none where they are the same, or one cannot be read", () => {
    expect(
      withChecksOf("package.json", text({}), JSON.stringify({ dependencies: { x: "1" } })),
    ).toBeUndefined();
    expect(withChecksOf("package.json", text({}), "{")).toBeUndefined();
  });
});

describe("a manifest in sections that runs the checks of the other side", () => {
  const project = '[project]\ndependencies = [\n  "x>=2",\n]\n';
  const pytest = '[tool.pytest.ini_options]\ntestpaths = ["new"]\n';
  const build = '[build-system] # as ever\nrequires = ["hatchling"]\n';
  const old =
    '[project]\ndependencies = ["x>=1"]\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n\n[tool.mypy]\nstrict = true\n';

  test.for<[string, string, string, string, string | undefined]>([
    [
      "its tools' sections are the other's",
      "pyproject.toml",
      `${project}${pytest}${build}`,
      old,
      `${project}${build}${old.slice(old.indexOf("[tool"))}`,
    ],
    ["which may have none", "pyproject.toml", `${project}${pytest}${build}`, project, `${project}${build}`],
    [
      "an INI file's, too",
      "setup.cfg",
      "[metadata]\nname = a",
      "[tool:pytest]\ntestpaths = tests\n[options]\n",
      "[metadata]\nname = a\n[tool:pytest]\ntestpaths = tests\n",
    ],
    [
      "a name of a section inside a text is none",
      "pyproject.toml",
      `${project}[tool.tox]\nini = """\n[tox]\nenvlist = py3\n"""\n[tool.mypy]\nstrict = true\n`,
      `${project}[tool.tox]\nini = """\n[tox]\nenvlist = py3\n"""\n`,
      `${project}[tool.tox]\nini = """\n[tox]\nenvlist = py3\n"""\n`,
    ],
    ...[
      "[tool.poe.tasks]",
      "[tool.taskipy.tasks]",
      "[tool.pdm.scripts]",
      "[tool.rye.scripts]",
      "[tool.hatch.envs.default.scripts]",
      "[tool.pixi.feature.a.tasks]",
    ].map((name): [string, string, string, string, string] => [
      `tasks of ${name}`,
      "pyproject.toml",
      `${project}${name}\ntest = "true"\n`,
      `${project}${name}\ntest = "pytest"\n`,
      `${project}${name}\ntest = "pytest"\n`,
    ]),
    ["none where they are the same", "pyproject.toml", `${project}${pytest}`, `${build}${pytest}`, undefined],
  ])("%s", ([, path, own, other, made]) => {
    expect(withChecksOf(path, own, other)).toBe(made);
  });
});

describe("over the other side are laid", () => {
  const was = { mode: "100644", hash: "a" };
  const is = { mode: "100644", hash: "b" };
  const files = (...all: RoledFile[]) => overlaysOf(all);
  const source: RoledFile = { path: "a.ts", role: "source", before: was, after: is };

  test("new tests alone: over the base, and nothing is crossed", () => {
    expect(files(source, { path: "a.test.ts", role: "test", after: is })).toEqual({
      tests: [{ path: "a.test.ts", to: is }],
      config: [],
      baseTests: [],
      baseConfig: [],
      base: [{ path: "a.test.ts", to: undefined }],
    });
  });

  test("changed, deleted and new tests as the base has them", () => {
    const { baseTests, tests } = files(
      source,
      { path: "a.test.ts", role: "test", before: was, after: is },
      { path: "b.test.ts", role: "test", before: was },
      { path: "c.test.ts", role: "test", after: is },
    );
    expect(baseTests).toEqual([
      { path: "a.test.ts", to: was },
      { path: "b.test.ts", to: was },
      { path: "c.test.ts", to: undefined },
    ]);
    expect(tests.map(({ path }) => path)).toEqual(["a.test.ts", "c.test.ts"]);
  });

  test("what runs the checks, as each side has it; new tests are crossed with it", () => {
    const config: RoledFile = { path: "vitest.config.ts", role: "config", before: was, after: is };
    expect(files(source, config, { path: "a.test.ts", role: "test", after: is })).toMatchObject({
      tests: [{ path: "a.test.ts", to: is }],
      config: [{ path: "vitest.config.ts", to: is }],
      baseTests: [
        { path: "vitest.config.ts", to: was },
        { path: "a.test.ts", to: undefined },
      ],
      baseConfig: [{ path: "vitest.config.ts", to: was }],
    });
  });

  test("the scripts of package.json, with the dependencies of each side", () => {
    const texts = { before: '{"x":1,"scripts":{"test":"a"}}', after: '{"x":2,"scripts":{"test":"b"}}' };
    const { config, baseConfig, baseTests } = files({
      path: "package.json",
      role: "manifest",
      before: was,
      after: is,
      texts,
    });
    const scripts = (edits: typeof config): unknown =>
      edits.map(({ to }) => (to && "text" in to ? JSON.parse(to.text) : to));
    expect(scripts(config)).toEqual([{ x: 1, scripts: { test: "b" } }]);
    expect(scripts(baseConfig)).toEqual([{ x: 2, scripts: { test: "a" } }]);
    expect(baseTests).toEqual(baseConfig);
  });
});

test("of crossed files those are told that the output names", () => {
  expect(filesTold(["test/a.js", "test/b.js"], "not ok 1 - /tmp/x/test/b.js:3")).toEqual(["test/b.js"]);
  expect(filesTold(["test/a.js", "test/b.js"], "failed")).toEqual(["test/a.js", "test/b.js"]);
});

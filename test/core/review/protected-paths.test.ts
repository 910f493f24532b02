import { describe, expect, test } from "vitest";
import { namesIn, scriptsIn } from "../../../src/core/weakening/command-names.ts";
import { lifeCycleChanged, linksSources } from "../../../src/core/review/protected-contents.ts";
import { protectedPaths, protectedWords } from "../../../src/core/review/protected-paths.ts";
import type { ProtectionInput } from "../../../src/core/review/protected-paths.ts";
import { protectedKinds } from "../../../src/core/review/protected-kinds.ts";
import type { ProtectedKind } from "../../../src/core/review/protected-kinds.ts";

const contract = "issues/FEAT-0001-write-a-file.md";
const look = (changed: string[], more: Partial<ProtectionInput> = {}): [string, ProtectedKind][] =>
  protectedPaths({ changed, contract, patterns: [], runs: new Map(), ...more }).map(({ path, kind }) => [
    path,
    kind,
  ]);

describe("protected from the start", () => {
  test.for<[string, ProtectedKind]>([
    ["monoco.yaml", "settings"],
    ["roles/executor.md", "words"],
    ["roles/reviewer.zh.md", "words"],
    ["templates/en/reviewer-prompt.md", "words"],
    ["issues/FEAT-0002-other.md", "contract"],
    ["Issues/epics/EPIC-0001-all.md", "contract"],
    [".github/workflows/ci.yml", "ci"],
    [".github/CODEOWNERS", "ci"],
    [".gitlab-ci.yml", "ci"],
    [".circleci/config.yml", "ci"],
    ["Jenkinsfile", "ci"],
    [".ci/run.sh", "ci"],
    ["azure-pipelines.yml", "ci"],
    ["azure-pipelines-nightly.yml", "ci"],
    [".husky/pre-commit", "hooks"],
    [".githooks/pre-push", "hooks"],
    ["lefthook.yml", "hooks"],
    [".pre-commit-config.yaml", "hooks"],
    [".gitattributes", "git"],
    ["src/.gitattributes", "git"],
    [".gitmodules", "git"],
    ["CODEOWNERS", "owners"],
    ["docs/CODEOWNERS", "owners"],
    ["AGENTS.md", "agents"],
    ["web/CLAUDE.md", "agents"],
    [".claude/settings.json", "agents"],
    [".codex/config.toml", "agents"],
    [".gemini/settings.json", "agents"],
    ["opencode.json", "agents"],
    ["package-lock.json", "lockfile"],
    ["web/pnpm-lock.yaml", "lockfile"],
    ["yarn.lock", "lockfile"],
    ["Cargo.lock", "lockfile"],
    ["go.sum", "lockfile"],
    ["uv.lock", "lockfile"],
    ["Gemfile.lock", "lockfile"],
    ["gradle/verification-metadata.xml", "lockfile"],
    [".npmrc", "registry"],
    [".yarnrc", "registry"],
    [".yarnrc.yml", "registry"],
    [".yarn/releases/yarn-4.0.0.cjs", "registry"],
    [".pnpmfile.cjs", "registry"],
    ["bunfig.toml", "registry"],
    ["pip.conf", "registry"],
    ["pip.ini", "registry"],
    [".cargo/config.toml", "registry"],
    ["web/.cargo/config", "registry"],
    [".env.test", "startup"],
    [".envrc", "startup"],
    ["sitecustomize.py", "startup"],
    ["node_modules/left-pad/index.js", "vendored"],
    ["web/node_modules/a/package.json", "vendored"],
    ["lib/python3/site-packages/a.py", "vendored"],
    ["vendor/bats/bats.sh", "vendored"],
    ["test/support/vendor/assert.sh", "vendored"],
    [".pnp.cjs", "vendored"],
  ])("%s: %s", ([path, kind]) => expect(look([path])).toEqual([[path, kind]]));

  test.for([
    ["src/index.ts"],
    ["README.md"],
    ["package.json"],
    ["docs/monoco.yaml"],
    ["src/roles/executor.ts"],
    ["roles/nginx/tasks/main.yml"],
    ["templates/index.html"],
    ["app/templates/base.html"],
    ["src/issues/list.ts"],
    ["src/ci.ts"],
    ["docs/lockfiles.md"],
    ["github/workflows.ts"],
    ["src/agents.ts"],
    ["src/vendor/list.ts"],
    [".env.example"],
    ["test/vendor.test.ts"],
    [contract],
  ])("not %s", ([path]) => expect(look([path!])).toEqual([]));

  test("in the order of the reasons, whatever the order of names", () => {
    expect(look(["a.lock", "package-lock.json", "AGENTS.md", ".github/x.yml", "monoco.yaml"])).toEqual([
      ["monoco.yaml", "settings"],
      [".github/x.yml", "ci"],
      ["AGENTS.md", "agents"],
      ["package-lock.json", "lockfile"],
    ]);
  });
});

describe("protected by its contents or its mode", () => {
  const manifest = (scripts: object): string => JSON.stringify({ scripts });

  test.for<[string, object | undefined, object, string[]]>([
    ["a new life-cycle script", { test: "a" }, { test: "a", postinstall: "b" }, ["postinstall"]],
    ["one that changes", { prepare: "husky" }, { prepare: "husky; sh x.sh" }, ["prepare"]],
    ["those of a new package", undefined, { preinstall: "a", install: "b" }, ["preinstall", "install"]],
    ["none that is kept", { prepare: "husky" }, { prepare: "husky", lint: "a" }, []],
    ["none that is gone", { prepare: "husky" }, {}, []],
    ["no other script", {}, { preview: "a", installer: "b", pack: "c" }, []],
  ])("%s", ([, before, after, names]) => {
    expect(lifeCycleChanged(before && manifest(before), manifest(after))).toEqual(names);
  });

  test.for<[string, string, boolean, boolean]>([
    ["src/price.js", "../data/price.txt", true, true],
    ["src/price.js", "../lib/price.js", false, true],
    ["lib", "src", false, true],
    ["bin/tool", "../tool", false, true],
    ["CLAUDE.md", "AGENTS.md", false, false],
    ["docs/a.png", "b.png", true, false],
  ])("a link at %s to %s, a file before: %j", ([path, target, wasFile, expected]) => {
    expect(linksSources({ path, target, wasFile })).toBe(expected);
  });

  test("is listed with what shows it, unless a pattern takes it back", () => {
    const shown = new Map([
      ["package.json", { kind: "lifecycle", by: "postinstall" }],
      ["src/a.js", { kind: "link", by: "../b.js" }],
    ] as const);
    const input = {
      changed: ["package.json", "src/a.js"],
      contract,
      patterns: ["!src/"],
      runs: new Map(),
      shown,
    };
    expect(protectedPaths(input).map((one) => protectedWords(one, "en"))).toEqual([
      "package.json: package managers start it by themselves: postinstall",
    ]);
  });
});

test("what the contract allows is listed as allowed; a later `!` takes it back", () => {
  const found = protectedPaths({
    changed: [".github/workflows/ci.yml", ".github/CODEOWNERS", "package-lock.json"],
    contract,
    patterns: [],
    allows: [".github/", "!.github/CODEOWNERS"],
    runs: new Map(),
  });
  expect(found.map((one) => protectedWords(one, "en"))).toEqual([
    ".github/workflows/ci.yml: CI: it runs with the project's rights (the contract allows it)",
    ".github/CODEOWNERS: CI: it runs with the project's rights",
    "package-lock.json: a lockfile: which code of others is run",
  ]);
});

describe("protected by the settings", () => {
  test("is what a pattern covers, with that pattern", () => {
    const patterns = ["db/migrations/", "*.sql"];
    expect(
      protectedPaths({
        changed: ["db/migrations/1.ts", "x/a.sql", "a.ts"],
        contract,
        patterns,
        runs: new Map(),
      }),
    ).toEqual([
      { path: "db/migrations/1.ts", kind: "yours", by: "db/migrations/" },
      { path: "x/a.sql", kind: "yours", by: "*.sql" },
    ]);
  });

  test("and no longer what ! takes back, of the defaults too", () => {
    const patterns = ["!package-lock.json", "!/.github/"];
    expect(look(["package-lock.json", ".github/a.yml", "yarn.lock"], { patterns })).toEqual([
      ["yarn.lock", "lockfile"],
    ]);
  });
});

describe("what monoco runs is protected", () => {
  const runs = (commands: string[], before?: object, after = before): string[] => [
    ...namesIn(
      commands,
      before
        ? [
            {
              path: "package.json",
              before: JSON.stringify({ scripts: before }),
              after: JSON.stringify({ scripts: after }),
            },
          ]
        : [],
    ).keys(),
  ];

  test.for<[string, string]>([
    ["sh scripts/test.sh", "scripts/test.sh"],
    ["./scripts/test.sh --all", "scripts/test.sh"],
    ["node './tools/check.mjs' && true", "tools/check.mjs"],
    ["FOO=1 python3 tools/check.py;", "tools/check.py"],
    ["cd web && timeout 60 sh -c './scripts/test.sh'", "scripts/test.sh"],
    ["vitest run --config=ci.config.ts", "ci.config.ts"],
    ["node --import ./hook.mjs tools/check.mjs", "hook.mjs"],
    ["make test", "Makefile"],
    ["npm test", "scripts/run-tests.js"],
    ["npm run lint", "scripts/lint.sh"],
    ["pnpm lint", "scripts/lint.sh"],
    ["npm run all", "scripts/lint.sh"],
  ])("%s: %s", ([command, path]) => {
    const scripts = {
      test: "node scripts/run-tests.js",
      lint: "sh ./scripts/lint.sh",
      all: "npm run lint && npm test",
    };
    expect(runs([command], scripts)).toContain(path);
  });

  test.for([
    ["test -f file.txt"],
    ["grep -q word file.txt"],
    ["! test -e file.txt || cat file.txt"],
    ["sh check.sh file.txt"],
  ])("but not what a check only looks at: %s", ([command]) =>
    expect(runs([command!])).not.toContain("file.txt"),
  );

  test.for<[string, object, object, boolean]>([
    ["the script of a check", { test: "vitest" }, { test: "true" }, true],
    ["what runs before it", { test: "vitest" }, { test: "vitest", pretest: "sh fix.sh" }, true],
    [
      "a script that it runs",
      { test: "npm run unit", unit: "vitest" },
      { test: "npm run unit", unit: "true" },
      true,
    ],
    ["a script that is gone", { test: "vitest" }, {}, true],
    ["another script", { test: "vitest", dev: "a" }, { test: "vitest", dev: "b" }, false],
    ["no script", { test: "vitest" }, { test: "vitest" }, false],
  ])("package.json where a check is npm test, and it changes %s", ([, before, after, expected]) => {
    expect(runs(["npm test"], before, after).includes("package.json")).toBe(expected);
  });

  test("and says which command it is that runs it", () => {
    const named = namesIn(["sh check.sh"], []);
    const [found] = protectedPaths({ changed: ["check.sh"], contract, patterns: [], runs: named });
    expect(protectedWords(found!, "en")).toBe("check.sh: run by monoco: sh check.sh");
    expect(protectedWords(found!, "zh")).toBe("check.sh: 由 monoco 运行：sh check.sh");
  });

  test.for<[string, string, string[]]>([
    ["scripts/check.sh", '. "$(dirname "$0")/lib.sh"', ["scripts/lib.sh"]],
    ["check.sh", "source ./ci/lib.sh", ["ci/lib.sh"]],
    ["check.sh", "bash -o pipefail ci.sh; bash -eo pipefail +O extglob ci.sh", ["ci.sh"]],
    ["check.sh", "zsh --rcfile rc.sh ci.sh; bash -o errexit -c 'sh ci.sh'", ["ci.sh", "rc.sh"]],
    ["check.sh", "set -e; bash scripts/lint.sh && node src/cli.js", ["scripts/lint.sh"]],
    ["Makefile", "include ci/common.mk", ["ci/common.mk"]],
    ["Makefile", "\t./scripts/test.sh", ["scripts/test.sh"]],
    ["check.sh", "node test.js; echo . x", []],
  ])("the shell scripts that %s names: %s", ([path, line, expected]) => {
    const found = scriptsIn(path, `#!/bin/sh\n${line}\n`);
    for (const one of expected) expect(found).toContain(one);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  test("a package.json that is none breaks nothing", () => {
    for (const before of ["", "null", "[]", '{"scripts":[]}', '{"scripts":{"test":1}}', '{"__proto__":{}}'])
      expect(namesIn(["npm test"], [{ path: "package.json", before, after: undefined }])).toBeInstanceOf(Map);
  });
});

test("every reason has its words", () => {
  for (const kind of protectedKinds)
    expect(protectedWords({ path: "a", kind, by: "b" }, "zh")).toMatch(/^a: \S/);
});

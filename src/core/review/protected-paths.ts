/** Paths that an Executor's branch should not change: they decide about its work, or run on behalf of others. */
import { covers, deciding } from "../text/glob.ts";
import type { ProtectedPath } from "./inspection-schema.ts";
import { protectedBecause, protectedKinds } from "./protected-kinds.ts";
import type { ProtectedKind } from "./protected-kinds.ts";
import type { Language } from "../language/handoff-words.ts";

/** The default patterns, in lower case, since some file systems ignore case. */
const defaults: Partial<Record<ProtectedKind, readonly string[]>> = {
  settings: ["/monoco.yaml"],
  words: [
    "/roles/executor*.md",
    "/roles/reviewer*.md",
    "/templates/*.md",
    "/templates/en/*.md",
    "/templates/zh/*.md",
  ],
  contract: ["/issues/"],
  ci: [
    "/.github/",
    "/.gitlab-ci.yml",
    "/.gitlab/",
    "/.circleci/",
    "jenkinsfile",
    "/.ci/",
    "azure-pipelines*.yml",
    "/.azure-pipelines/",
    "bitbucket-pipelines.yml",
    "/.travis.yml",
    "/appveyor.yml",
    "/.appveyor.yml",
    "/.drone.yml",
    "/.woodpecker.yml",
    "/.woodpecker/",
    "/.buildkite/",
    "/.teamcity/",
    "/.gitea/",
    "/.forgejo/",
    "/.cirrus.yml",
    "/.semaphore/",
    "/cloudbuild.yaml",
    "/codecov.yml",
    "/.codecov.yml",
  ],
  hooks: [
    ".husky/",
    ".githooks/",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook/",
    ".pre-commit-config.yaml",
    ".lintstagedrc*",
    "lint-staged.config.*",
    ".overcommit.yml",
    ".simple-git-hooks.*",
  ],
  git: [".gitattributes", ".gitmodules", ".lfsconfig"],
  owners: ["codeowners"],
  agents: [
    "agents.md",
    "claude.md",
    "gemini.md",
    ".claude/",
    ".codex/",
    ".gemini/",
    ".opencode/",
    "opencode.json",
    "opencode.jsonc",
    ".cursor/",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".kimi/",
    ".qwen/",
    ".mcp.json",
  ],
  lockfile: [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "cargo.lock",
    "go.sum",
    "go.work.sum",
    "poetry.lock",
    "pipfile.lock",
    "uv.lock",
    "pdm.lock",
    "pixi.lock",
    "conda-lock.yml",
    "gemfile.lock",
    "composer.lock",
    "mix.lock",
    "rebar.lock",
    "pubspec.lock",
    "package.resolved",
    "podfile.lock",
    "cartfile.resolved",
    "packages.lock.json",
    "paket.lock",
    "gradle.lockfile",
    "verification-metadata.xml",
    "flake.lock",
    "conan.lock",
    "module.bazel.lock",
    "chart.lock",
    ".terraform.lock.hcl",
    "cabal.project.freeze",
    "stack.yaml.lock",
    "renv.lock",
    "buf.lock",
  ],
  registry: [
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/releases/",
    ".yarn/plugins/",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    "pip.conf",
    "pip.ini",
    "uv.toml",
    ".pypirc",
    ".condarc",
    ".cargo/",
    ".bundle/",
    ".mvn/",
    "nuget.config",
  ],
  startup: [".env.test", ".env.test.local", ".envrc", "sitecustomize.py", "usercustomize.py"],
  vendored: [
    "node_modules/",
    "bower_components/",
    "site-packages/",
    ".venv/",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    "/vendor/",
    "**/test/**/vendor/",
    "**/tests/**/vendor/",
    "**/spec/**/vendor/",
  ],
};

export type ProtectionInput = {
  /** The changed files of the submission, as git lists them. */
  changed: readonly string[];
  /** The relay's own issue file, which is compared part by part instead. */
  contract: string;
  /** `protected:` of the settings. */
  patterns: readonly string[];
  /** `allows:` of the contract. */
  allows?: readonly string[];
  /** The files in monoco's commands, each with its command: see command-names.ts. */
  runs: ReadonlyMap<string, string>;
  /** Changes that the contents and modes of both sides show: see protected-contents.ts. */
  shown?: ReadonlyMap<string, { kind: ProtectedKind; by: string }>;
};

/** The changed files that are protected, each with its kind, in order of the kinds. */
export function protectedPaths(input: ProtectionInput): ProtectedPath[] {
  const decidedBy = deciding(input.patterns);
  const usual = protectedKinds.map((kind) => ({ kind, covers: covers(defaults[kind] ?? []) }));
  const paths = input.changed
    .filter((path) => path !== input.contract)
    .flatMap((path): ProtectedPath[] => {
      const own = decidedBy(path);
      // `!package-lock.json` in the settings cancels a default.
      const isReleased = own?.startsWith("!") ?? false;
      if (own !== undefined && !isReleased) return [{ path, kind: "yours", by: own }];
      const command = input.runs.get(path);
      if (command !== undefined) return [{ path, kind: "command", by: command }];
      if (isReleased) return [];
      const shown = input.shown?.get(path);
      if (shown) return [{ path, ...shown }];
      const kind = usual.find((one) => one.covers(path.toLowerCase()))?.kind;
      return kind === undefined ? [] : [{ path, kind }];
    });
  const allowedBy = deciding(input.allows ?? []);
  const isAllowed = (path: string): boolean => !(allowedBy(path) ?? "!").startsWith("!");
  const rank = (one: ProtectedPath): number => protectedKinds.indexOf(one.kind);
  return paths
    .toSorted((a, b) => rank(a) - rank(b))
    .map((one) => (isAllowed(one.path) ? { ...one, allowed: true } : one));
}

/** A protected path as text. */
export function protectedWords({ path, kind, by, allowed }: ProtectedPath, language: Language): string {
  const because = protectedBecause[kind][language].replace("$1", () => by ?? "");
  return `${path}: ${because}${allowed ? allowedWords[language] : ""}`;
}

const allowedWords: Record<Language, string> = {
  en: " (the contract allows it)",
  zh: "（契约允许）",
};

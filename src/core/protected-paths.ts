/** Paths that an Executor's branch had better not touch: what decides about its work, and what runs on others' behalf. */
import { z } from "zod";
import { coveredBy } from "./glob.ts";
import type { Language } from "./words.ts";

export const protectedKinds = [
  "settings",
  "words",
  "contract",
  "command",
  "ci",
  "hooks",
  "git",
  "owners",
  "agents",
  "lockfile",
  "registry",
  "yours",
] as const;
export type ProtectedKind = (typeof protectedKinds)[number];

export const protectedPathSchema = z.object({
  path: z.string(),
  kind: z.enum(protectedKinds),
  /** The pattern of the settings that covers it, or the command that runs it. */
  by: z.string().optional(),
});
export type ProtectedPath = z.infer<typeof protectedPathSchema>;

/** Why each is protected. `$1` is what names it. */
export const protectedBecause: Record<ProtectedKind, Record<Language, string>> = {
  settings: { en: "monoco's settings", zh: "monoco 的设置" },
  words: { en: "what monoco tells its agents", zh: "monoco 对代理说的话" },
  contract: { en: "another issue's contract", zh: "另一个 issue 的契约" },
  command: { en: "run by monoco: $1", zh: "由 monoco 运行：$1" },
  ci: { en: "CI: it runs with the project's rights", zh: "CI：以项目的权限运行" },
  hooks: { en: "git hooks: they run on people's machines", zh: "git 钩子：在人的机器上运行" },
  git: { en: "what git makes of files", zh: "决定 git 如何处理文件" },
  owners: { en: "who has to agree to changes", zh: "规定谁必须同意改动" },
  agents: {
    en: "what agents are told, and what they may do here",
    zh: "对代理的指示，以及它们在此的权限",
  },
  lockfile: { en: "a lockfile: which code of others is run", zh: "锁文件：决定运行哪些第三方代码" },
  registry: { en: "where packages come from", zh: "决定软件包的来源" },
  yours: { en: "protected by monoco.yaml: $1", zh: "由 monoco.yaml 保护：$1" },
};

/** In lower case: some file systems do not tell cases apart. */
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
    ".pnpmfile.cjs",
    "bunfig.toml",
    "pip.conf",
    ".pypirc",
    ".cargo/",
  ],
};

export type ProtectionInput = {
  /** The files that the submission changes, as git has them. */
  changed: readonly string[];
  /** The relay's own issue file: it is compared part by part. */
  contract: string;
  /** `protected:` of the settings. */
  patterns: readonly string[];
  /** The files that monoco's commands name, each with its command: see command-names.ts. */
  runs: ReadonlyMap<string, string>;
};

/** The changed files that are protected, with the reason, in the order of the reasons. */
export function protectedPaths(input: ProtectionInput): ProtectedPath[] {
  const found = input.changed
    .filter((path) => path !== input.contract)
    .flatMap((path): ProtectedPath[] => {
      const own = coveredBy(input.patterns, path);
      if (own !== undefined) return [{ path, kind: "yours", by: own }];
      const command = input.runs.get(path);
      if (command !== undefined) return [{ path, kind: "command", by: command }];
      const kind = protectedKinds.find((one) => coveredBy(defaults[one] ?? [], path.toLowerCase()));
      if (kind === undefined || isReleased(input.patterns, path)) return [];
      return [{ path, kind }];
    });
  const rank = (one: ProtectedPath): number => protectedKinds.indexOf(one.kind);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** `!package-lock.json` in the settings takes a default back. */
function isReleased(patterns: readonly string[], path: string): boolean {
  const last = patterns.findLast((pattern) => coveredBy([pattern.replace(/^!/, "")], path) !== undefined);
  return last !== undefined && last.startsWith("!");
}

/** One protected path in words. */
export function protectedWords({ path, kind, by }: ProtectedPath, language: Language): string {
  return `${path}: ${protectedBecause[kind][language].replace("$1", () => by ?? "")}`;
}

/** What each changed file of a submission is to its tests: one of them, what stands beside them or runs them, or what they are for. */
import { deciding } from "../text/glob.ts";
import { isCode, isScript, sourceFile } from "../weakening/code-file.ts";

/** `manifest`: what the sources need to be set up. `other`: documents and data. */
export type FileRole = "test" | "beside" | "config" | "manifest" | "source" | "other";

const manifests =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|pyproject\.toml|setup\.(?:py|cfg)|(?:requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.txt|Pipfile(?:\.lock)?|(?:poetry|uv|pdm|pixi)\.lock|pylock[^/]*\.toml|Cargo\.(?:toml|lock)|go\.(?:mod|sum|work(?:\.sum)?)|Gemfile(?:\.lock)?|gems\.(?:rb|locked)|[^/]*\.gemspec|composer\.(?:json|lock)|mix\.(?:exs|lock)|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.(?:lockfile|properties)|libs\.versions\.toml|[^/]*\.(?:csproj|fsproj|sln))$/;

/** What a project's dependencies are read off, in any language. */
export function isManifest(path: string): boolean {
  return manifests.test(path);
}

/** By path. `named`: files that the checks run; `own`: the project's patterns of further tests. */
export function rolesOf(own: readonly string[], named: ReadonlySet<string>): (path: string) => FileRole {
  const decidedBy = deciding(own);
  const none = new Set<string>();
  return (path) => {
    const by = decidedBy(path);
    if (by !== undefined && !by.startsWith("!")) return "test";
    const file = sourceFile(path, none);
    if (isManifest(path)) return "manifest";
    if (file.test && by === undefined) return "test";
    if (file.snapshot || (file.beside && by === undefined)) return "beside";
    if (file.tool || file.runs || (named.has(path) && isScript(file))) return "config";
    return isCode(file.language) ? "source" : "other";
  };
}

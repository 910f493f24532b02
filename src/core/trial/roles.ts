/** The role of each changed file for the tests: a test, a file beside tests, check configuration, or the tested sources. */
import { deciding } from "../text/glob.ts";
import { isCode, isScript, sourceFile } from "../weakening/code-file.ts";

/** `manifest`: needed to set up the sources. `other`: documents and data. */
export type FileRole = "test" | "beside" | "config" | "manifest" | "source" | "other";

const manifests =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|pyproject\.toml|setup\.(?:py|cfg)|(?:requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.txt|Pipfile(?:\.lock)?|(?:poetry|uv|pdm|pixi)\.lock|pylock[^/]*\.toml|Cargo\.(?:toml|lock)|go\.(?:mod|sum|work(?:\.sum)?)|Gemfile(?:\.lock)?|gems\.(?:rb|locked)|[^/]*\.gemspec|composer\.(?:json|lock)|mix\.(?:exs|lock)|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.(?:lockfile|properties)|libs\.versions\.toml|[^/]*\.(?:csproj|fsproj|sln))$/;

/** Files that list a project's dependencies, in any language. */
export function isManifest(path: string): boolean {
  return manifests.test(path);
}

/** Files that test runners find by their own rules: Gherkin, Perl's `t/`, cram, PHPT, sqllogictest, Hurl, Robot. */
const foundByRunners =
  /\.(?:feature|phpt|slt|hurl|robot|venom\.ya?ml|tavern\.ya?ml)$|(?:^|\/)x?t\/(?:[^/]+\/)*[^/]+\.t$|(?:^|\/)features\/(?:step_definitions|steps)\/|^features\/support\//;

/** Expected output of tests, by folder or name; a source file, which may be the work, only if the name has no other meaning. */
const golden = /(?:^|\/)(?:__)?goldens?(?:[-_]?files?)?(?:__)?\/|[._-]golden(?:\.[^/.]+)?$/i;
const expectations =
  /(?:^|\/)(?:expected|expectations?|expected[-_](?:outputs?|results?)|baselines?|approvals?|approved|cassettes|vcr_cassettes)\/|[._-](?:expected|approved|baseline)(?:\.[^/.]+)?$|\.(?:expected|expect|exp|ref|cassette)$|^x?t\//i;

/** Names of folders and files that may serve only tests: the files that import them decide. */
const serving =
  /(?:^|[/._-])(?:support|helpers?|harness|matchers?|asserts?|assertions?|expects?|expectations?|testing|verify|tests?[-_]?(?:utils?|support|lib|kit|helpers?)|spec[-_]?helpers?)(?:[/._-]|$)/i;

/** Whether a source may serve only tests, by its name. */
export function mayServeTests(path: string): boolean {
  return serving.test(path);
}

/** Whether a source serves only tests. `importers`: the roles of all files that import it. */
export function servesTests(path: string, importers: readonly FileRole[]): boolean {
  const ofTests = importers.every((role) => role === "test" || role === "beside" || role === "config");
  return mayServeTests(path) && importers.length > 0 && ofTests;
}

/** Files whose text is the work, though their names look like code. */
const declarative = /(?:^|\/)(?:docker|container)file[^/]*$|\.dockerfile$|\.d\.[cm]?ts$|\.pyi$/i;

/** Whether a file is a program that the criteria name: then it is the work itself, unless it belongs to the checks. */
export function isProduct(path: string, criteria: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const file = sourceFile(path, new Set());
  if (file.test || file.tool || file.runs || !isCode(file.language)) return false;
  return criteria.some((text) =>
    text.split(/[\s`'"(),;:]+/).some((word) => word.replace(/^.*\//, "").replace(/\.$/, "") === name),
  );
}

/** The role of a path. `filesRun`: files that the checks run; `own`: the project's patterns of further tests. */
export function rolesOf(own: readonly string[], filesRun: ReadonlySet<string>): (path: string) => FileRole {
  const decidedBy = deciding(own);
  const none = new Set<string>();
  return (path) => {
    const by = decidedBy(path);
    if (by !== undefined && !by.startsWith("!")) return "test";
    const file = sourceFile(path, none);
    if (isManifest(path)) return "manifest";
    if (declarative.test(path)) return "other";
    const runs = by === undefined && (file.test || foundByRunners.test(path));
    if (runs) return "test";
    if (file.snapshot || golden.test(path)) return "beside";
    if (by === undefined && (file.beside || (!isCode(file.language) && expectations.test(path))))
      return "beside";
    if (file.tool || file.runs || (filesRun.has(path) && isScript(file))) return "config";
    return isCode(file.language) ? "source" : "other";
  };
}

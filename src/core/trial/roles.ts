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

/** Files that a test runner finds by its own rules: Gherkin, Perl's `t/`, cram, PHPT, sqllogictest, Hurl, Robot. */
const foundByRunners =
  /\.(?:feature|phpt|slt|hurl|robot|venom\.ya?ml|tavern\.ya?ml)$|(?:^|\/)x?t\/(?:[^/]+\/)*[^/]+\.t$|(?:^|\/)features\/(?:step_definitions|steps)\/|^features\/support\//;

/** What tests compare with, by its folder or its name; of code, which may be the work, only where no other word is meant. */
const golden = /(?:^|\/)(?:__)?goldens?(?:[-_]?files?)?(?:__)?\/|[._-]golden(?:\.[^/.]+)?$/i;
const expectations =
  /(?:^|\/)(?:expected|expectations?|expected[-_](?:outputs?|results?)|baselines?|approvals?|approved|cassettes|vcr_cassettes)\/|[._-](?:expected|approved|baseline)(?:\.[^/.]+)?$|\.(?:expected|expect|exp|ref|cassette)$|^x?t\//i;

/** Folders and files by whose names something may serve tests alone: whether it does, those that import it say. */
const serving =
  /(?:^|[/._-])(?:support|helpers?|harness|matchers?|asserts?|assertions?|expects?|expectations?|testing|verify|tests?[-_]?(?:utils?|support|lib|kit|helpers?)|spec[-_]?helpers?)(?:[/._-]|$)/i;

/** A source with such a name that only tests import, and nothing else does, stands next to them. */
export function mayServeTests(path: string): boolean {
  return serving.test(path);
}

/** `importers`: the roles of all files that import it. */
export function servesTests(path: string, importers: readonly FileRole[]): boolean {
  const ofTests = importers.every((role) => role === "test" || role === "beside" || role === "config");
  return mayServeTests(path) && importers.length > 0 && ofTests;
}

/** Files whose text is the work, though their names look like code. */
const declarative = /(?:^|\/)(?:docker|container)file[^/]*$|\.dockerfile$|\.d\.[cm]?ts$|\.pyi$/i;

/** A program that checks run by its name, and that the criteria are about: the work itself, unless it is a script of checks. */
export function isProduct(path: string, criteria: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const file = sourceFile(path, new Set());
  if (file.test || file.tool || file.runs || !isCode(file.language)) return false;
  return criteria.some((text) =>
    text.split(/[\s`'"(),;:]+/).some((word) => word.replace(/^.*\//, "").replace(/\.$/, "") === name),
  );
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
    if (declarative.test(path)) return "other";
    const runs = by === undefined && (file.test || foundByRunners.test(path));
    if (runs) return "test";
    if (file.snapshot || golden.test(path)) return "beside";
    if (by === undefined && (file.beside || (!isCode(file.language) && expectations.test(path))))
      return "beside";
    if (file.tool || file.runs || (named.has(path) && isScript(file))) return "config";
    return isCode(file.language) ? "source" : "other";
  };
}

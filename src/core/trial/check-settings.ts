/** Manifests that also say how checks run: the parts that are replaced by the other side's. */
import { isRecord } from "../text/record.ts";

/** The keys of package.json that say how checks run; all others concern the sources. */
const checkKeys = "jest vitest mocha ava tap c8 nyc xo eslintConfig lint-staged test lint".split(" ");

/** Entries by which tests find programs and sources; an entry of one side only stays, because its sources may need it. */
const sharedKeys = ["scripts", "tasks", "imports"];

/** Entries of the package itself. New tests may need new ones, so that only the base's tests are run with the base's. */
const entryKeys = ["exports", "main", "module", "bin"];

/** Sections of pyproject.toml and setup.cfg that configure only check tools. */
const checkSections =
  /^(?:tool[.:](?:pytest|coverage|tox|nox|mypy|pyright|basedpyright|ruff|pylint|flake8|isort|black|bandit|poe|taskipy|ward|nose2?)\b|tool\.(?:pdm|rye)\.scripts\b|tool\.hatch\.envs\b|tool\.pixi\.(?:[\w.-]+\.)?tasks\b|coverage:|(?:flake8|mypy|pylint|isort|pycodestyle|pydocstyle|bandit)\b|aliases$)/;

/** Whether a manifest concerns both the sources and the running of checks. */
export function isMixed(path: string): boolean {
  return mixed.test(path);
}

const mixed = /(?:^|\/)(?:(?:package|composer)\.json|deno\.jsonc?|pyproject\.toml|setup\.cfg)$/;

/**
 * A manifest with the scripts and tool settings of `other`, so that checks run as on the other side; with its `entries`, too.
 * Undefined if none of these differ, or either text cannot be read.
 */
export function withChecksOf(path: string, text: string, other: string, entries = false): string | undefined {
  return /\.jsonc?$/.test(path) ? withScriptsOf(text, other, entries) : withSectionsOf(text, other);
}

/** In TOML and INI alike a section reaches from its name, at the start of a line, to the next name. */
function withSectionsOf(text: string, other: string): string | undefined {
  const [own, of] = [sectionsOf(text), sectionsOf(other)];
  const checks = of.filter(isOfChecks).join("");
  if (own.filter(isOfChecks).join("") === checks) return undefined;
  const left = own.filter((section) => !isOfChecks(section)).join("");
  return `${left}${left === "" || left.endsWith("\n") ? "" : "\n"}${checks}`;
}

function sectionsOf(text: string): string[] {
  const sections = [""];
  let quote: string | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    if (quote === undefined && sectionName.test(line)) sections.push("");
    sections[sections.length - 1] += line;
    // A text over several lines may have such lines, too.
    for (const [mark] of line.startsWith("#") ? [] : line.matchAll(/"""|'''/g))
      quote = quote === undefined ? mark : mark === quote ? undefined : quote;
  }
  return sections;
}

const sectionName = /^\[{1,2}[^[\]\n]+\]{1,2}[ \t]*(?:[#;].*)?\r?\n?$/;

function isOfChecks(section: string): boolean {
  return checkSections.test(/^\[{1,2}\s*([^\]\n]+)/.exec(section)?.[1]?.replaceAll('"', "") ?? "");
}

function withScriptsOf(text: string, other: string, entries: boolean): string | undefined {
  const [own, of] = [objectIn(text), objectIn(other)];
  if (!own || !of) return undefined;
  const made: Record<string, unknown> = { ...own };
  for (const key of checkKeys) {
    if (Object.hasOwn(of, key)) made[key] = of[key];
    else delete made[key];
  }
  for (const key of [...sharedKeys, ...(entries ? entryKeys : [])]) {
    const [mine, others] = [own[key], of[key]];
    if (others === undefined || JSON.stringify(mine) === JSON.stringify(others)) continue;
    if (key === "exports") made[key] = { ...subpathsOf(mine), ...subpathsOf(others) };
    else made[key] = isRecord(others) ? { ...(isRecord(mine) && mine), ...others } : others;
  }
  const result = `${JSON.stringify(made, null, 2)}\n`;
  return result === `${JSON.stringify(own, null, 2)}\n` ? undefined : result;
}

/** `exports` by subpath: a path or conditions alone stand for the package itself. */
function subpathsOf(entry: unknown): object {
  if (entry === undefined) return {};
  const isWhole = isRecord(entry) && Object.keys(entry).every((key) => key.startsWith("."));
  return isWhole ? entry : { ".": entry };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

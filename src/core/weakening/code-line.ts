/** Splits a line of source into code and comment, for each language. The contents of strings count as neither. */

const endings = {
  js: "js jsx ts tsx mjs cjs mts cts vue svelte astro",
  py: "py pyi",
  rs: "rs",
  go: "go",
  jvm: "java kt kts scala groovy gradle",
  cs: "cs fs vb",
  rb: "rb rake",
  php: "php",
  swift: "swift",
  c: "c h cc cpp cxx hpp hh m mm",
  ex: "ex exs",
  dart: "dart",
  sh: "sh bash zsh fish bats ksh mk",
  yaml: "yml yaml",
  json: "json jsonc json5",
  conf: "toml ini cfg conf properties xml",
  prose: "md mdx markdown rst txt adoc org tex html htm css scss less svg csv lock snap",
} as const;
/** `program`: a file without an ending, in the language that its first line may name. */
export type SourceLanguage = keyof typeof endings | "program" | "other";

const languages = Object.keys(endings) as (keyof typeof endings)[];
const byEnding = new Map<string, SourceLanguage>(
  languages.flatMap((language) => endings[language].split(" ").map((name) => [name, language] as const)),
);

const byName: readonly [RegExp, SourceLanguage][] = [
  [/^(?:GNU)?makefile$|^\.?justfile$|^dockerfile|^pre-|^post-|^commit-msg$/i, "sh"],
  [/^(?:rakefile|gemfile|guardfile)$/i, "rb"],
  [/^jenkinsfile/i, "jvm"],
  [/^\.(?:eslintrc|oxlintrc|babelrc|c8rc|nycrc|mocharc)$/, "json"],
  [/^\.(?:coveragerc|flake8|pylintrc)$/, "conf"],
  // Programs are named so: `bin/tool`, `gradlew`, `git-flow`. Documents of a project have names of their own, mostly in capitals.
  [
    /^(?!(?:licen[cs]e|readme|changelog|changes|history|news|authors|contributors|copying|notice|version|todo|codeowners)$)[a-z][\w-]*$/,
    "program",
  ],
];

/** Interpreters whose comments begin with `#`. */
const hashInterpreters = new Set(
  "sh bash dash zsh ksh mksh ash fish busybox python pypy uv ruby crystal perl raku awk gawk mawk nawk sed make just bats jq tclsh expect Rscript julia elixir pwsh nu nix-shell".split(
    " ",
  ),
);

/** Of a file without an ending, whose first line may name what runs it: `#!/usr/bin/env -S python3.12`. */
function languageIn(text: string): SourceLanguage {
  const [, path, rest = ""] = /^#!\s*(\S+)(.*)/.exec(text) ?? [];
  if (path === undefined) return "program";
  const words = path.endsWith("/env")
    ? rest.split(/\s+/).filter((word) => /^[^-=][^=]*$/.test(word))
    : [path];
  const name = (words[0] ?? "").replace(/^.*\/|[\d.]+$/g, "");
  if (/^(?:node|nodejs|deno|bun|tsx|ts-node|zx)$/.test(name)) return "js";
  if (name === "php") return "php";
  return hashInterpreters.has(name) ? "program" : "other";
}

/** `text`: the file's, if it is at hand. */
export function languageOf(path: string, text = ""): SourceLanguage {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  const named = byEnding.get(ending) ?? byName.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
  return named === "program" ? languageIn(text) : named;
}

type Grammar = { comment: string; block: boolean; quotes: string; blank: boolean };
const cLike: Grammar = { comment: "//", block: true, quotes: "\"'`", blank: true };
const doubleQuoted: Grammar = { ...cLike, quotes: '"' };
const hashed: Grammar = { comment: "#", block: false, quotes: "\"'", blank: true };
/** Strings in shell, YAML and the like are often commands, so they are kept. */
const commands: Grammar = { ...hashed, blank: false };

/** Languages that are not listed use `commands`. */
const grammars: Partial<Record<SourceLanguage, Grammar>> = {
  js: cLike,
  go: cLike,
  dart: cLike,
  php: { ...cLike, quotes: "\"'" },
  jvm: doubleQuoted,
  cs: doubleQuoted,
  swift: doubleQuoted,
  c: doubleQuoted,
  // `'a` is a lifetime.
  rs: doubleQuoted,
  py: hashed,
  rb: hashed,
  ex: hashed,
  json: { ...doubleQuoted, blank: false },
  prose: { comment: "", block: false, quotes: "", blank: false },
};

export type SourceLine = { code: string; comment: string };
/** A line with its number and text; and the removed and added lines of a place. */
export type CodeLine = SourceLine & { line: number; text: string };
export type CodePlace = { removed: readonly CodeLine[]; added: readonly CodeLine[] };

/** Splits one line by itself: a string over several lines counts as code. */
export function splitLine(line: string, language: SourceLanguage): SourceLine {
  const { block, blank } = grammars[language] ?? commands;
  if (block && /^\s*\*(?!\w)/.test(line)) return { code: "", comment: line.replace(/^\s*\*/, "").trim() };
  const comments: string[] = [];
  const code = line.replace(partsOf(language), (part, _quote, rest?: string, inner?: string) => {
    const comment = rest ?? inner?.replace(/^\*/, "");
    if (comment === undefined) return blank && part.length > 1 && !part.startsWith("\\") ? '""' : part;
    comments.push(comment.trim());
    return "";
  });
  return { code, comment: comments.join("\n") };
}

/**
 * A pattern for an escaped pair, a string that ends on its line, and a comment. `#` opens a comment only at the start of a word; `http://`
 * opens none. An unclosed quote is searched for once: after it, its kind occurs only behind a backslash.
 */
function partsOf(language: SourceLanguage): RegExp {
  const { comment, block, quotes } = grammars[language] ?? commands;
  const texts = quotes === "" ? "(?!)()" : `([${quotes}])(?:\\\\.|(?!\\1)[^\\\\])*\\1`;
  const toEnd = comment === "" ? "(?!)()" : `${comment === "#" ? "(?<!\\S)#" : "(?<!:)//"}(.*)`;
  const inBlock = block ? "/\\*(.*?)(?:\\*/|$)" : "(?!)()";
  return new RegExp(`\\\\.|${texts}|${toEnd}|${inBlock}`, "gs");
}

/** Lines as comments of the language; none if it has no comments that are safe at the end of a file. */
export function asComment(lines: readonly string[], language: SourceLanguage): string[] {
  const { comment, block } = grammars[language] ?? commands;
  if (lines.length === 0 || language === "json") return [];
  if (block)
    return ["/*", ...lines.map((line) => line.replaceAll("*/", "* /").replaceAll("/*", "/ *")), "*/"];
  return comment === "" || language === "other" ? [] : lines.map((line) => `${comment} ${line}`);
}

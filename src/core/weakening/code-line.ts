/** Splits a line of source into code and comment, for each language. The contents of a string count as neither. */

export type SourceLanguage =
  | "js"
  | "py"
  | "rs"
  | "go"
  | "jvm"
  | "cs"
  | "rb"
  | "php"
  | "swift"
  | "c"
  | "ex"
  | "dart"
  | "sh"
  | "yaml"
  | "json"
  | "conf"
  | "prose"
  | "other";

const endings: readonly [SourceLanguage, string][] = [
  ["js", "js jsx ts tsx mjs cjs mts cts vue svelte astro"],
  ["py", "py pyi"],
  ["rs", "rs"],
  ["go", "go"],
  ["jvm", "java kt kts scala groovy gradle"],
  ["cs", "cs fs vb"],
  ["rb", "rb rake"],
  ["php", "php"],
  ["swift", "swift"],
  ["c", "c h cc cpp cxx hpp hh m mm"],
  ["ex", "ex exs"],
  ["dart", "dart"],
  ["sh", "sh bash zsh fish bats ksh mk"],
  ["yaml", "yml yaml"],
  ["json", "json jsonc json5"],
  ["conf", "toml ini cfg conf properties xml"],
  ["prose", "md mdx markdown rst txt adoc org tex html htm css scss less svg csv lock snap"],
];
const byEnding = new Map(
  endings.flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
);

const byName: readonly [RegExp, SourceLanguage][] = [
  [/^(?:GNU)?makefile$|^\.?justfile$|^dockerfile|^pre-|^post-|^commit-msg$/i, "sh"],
  [/^(?:rakefile|gemfile|guardfile)$/i, "rb"],
  [/^jenkinsfile/i, "jvm"],
  [/^\.(?:eslintrc|oxlintrc|babelrc|c8rc|nycrc|mocharc)$/, "json"],
  [/^\.(?:coveragerc|flake8|pylintrc)$/, "conf"],
];

export function languageOf(path: string): SourceLanguage {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  return byEnding.get(ending) ?? byName.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

type Grammar = { comment: string; block: boolean; quotes: string; blank: boolean };
const cLike: Grammar = { comment: "//", block: true, quotes: "\"'`", blank: true };
const hashed: Grammar = { comment: "#", block: false, quotes: "\"'", blank: true };
/** Texts in shell, YAML and the like are often commands: they are left as they are. */
const commands: Grammar = { comment: "#", block: false, quotes: "\"'", blank: false };

const grammars: Readonly<Record<SourceLanguage, Grammar>> = {
  js: cLike,
  go: cLike,
  dart: cLike,
  jvm: { ...cLike, quotes: '"' },
  cs: { ...cLike, quotes: '"' },
  swift: { ...cLike, quotes: '"' },
  c: { ...cLike, quotes: '"' },
  // 'a is a lifetime.
  rs: { ...cLike, quotes: '"' },
  php: { ...cLike, quotes: "\"'" },
  py: hashed,
  rb: hashed,
  ex: hashed,
  sh: commands,
  yaml: commands,
  conf: commands,
  json: { comment: "//", block: true, quotes: '"', blank: false },
  prose: { comment: "", block: false, quotes: "", blank: false },
  other: commands,
};

export type SourceLine = { code: string; comment: string };

/** Looks at one line alone: a text over several lines is taken for code. Each character is looked at once. */
export function splitLine(line: string, language: SourceLanguage): SourceLine {
  const { comment, block, quotes, blank } = grammars[language];
  if (block && /^\s*\*(?!\w)/.test(line)) return { code: "", comment: line.replace(/^\s*\*/, "").trim() };
  if (!line.includes(comment) && !blank && !block) return { code: line, comment: "" };
  const [code, comments]: [string[], string[]] = [[], []];
  let start = 0;
  const noEnd = new Set<string>();
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!;
    if (quotes.includes(char) && !noEnd.has(char)) {
      const end = endOfText(line, at);
      // One that does not end here is an apostrophe, or begins a text of several lines.
      if (end === -1) noEnd.add(char);
      else {
        if (blank) {
          code.push(line.slice(start, at), '""');
          start = end + 1;
        }
        at = end;
      }
    } else if (comment !== "" && line.startsWith(comment, at) && opensComment(line, at, comment)) {
      code.push(line.slice(start, at));
      comments.push(line.slice(at + comment.length).trim());
      start = line.length;
      break;
    } else if (block && char === "/" && line[at + 1] === "*") {
      const end = line.indexOf("*/", at + 2);
      code.push(line.slice(start, at));
      comments.push(
        line
          .slice(at + 2, end === -1 ? line.length : end)
          .replace(/^\*/, "")
          .trim(),
      );
      start = end === -1 ? line.length : end + 2;
      at = start - 1;
    }
  }
  code.push(line.slice(start));
  return { code: code.join(""), comment: comments.join("\n") };
}

/** Lines as a comment of the language; none where it has no comments that are safe at the end of a file. */
export function asComment(lines: readonly string[], language: SourceLanguage): string[] {
  const { comment, block } = grammars[language];
  if (lines.length === 0 || language === "json") return [];
  if (block)
    return ["/*", ...lines.map((line) => line.replaceAll("*/", "* /").replaceAll("/*", "/ *")), "*/"];
  return comment === "" || language === "other" ? [] : lines.map((line) => `${comment} ${line}`);
}

/** `#` opens one only at a word's start; `http://` opens none. */
function opensComment(line: string, at: number, comment: string): boolean {
  const before = line[at - 1];
  return before === undefined || (comment === "#" ? /\s/.test(before) : before !== ":");
}

function endOfText(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === line[start]) return at;
  }
  return -1;
}

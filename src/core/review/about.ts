/** Guesses the subject of a criterion from its words. A guess adds a way for evidence to count, and never removes one. */
import { kindOf } from "../issue/criterion-kind.ts";

/** Beginnings of clauses that continue the claim before them: "has tests for arrays, in each format". */
const partOf = String.raw`(?:in|for|from|of|including|such as)\s`;

/** The clauses of a criterion without quoted text; each makes its own claim ("… is 180 and the README says so"). */
function clausesOf(criterion: string): string[] {
  const clauses = criterion
    .split(
      new RegExp(
        `(?:[,;，；]|\\.\\s)(?!\\s*${partOf})\\s*|\\s+(?:and|und|et|y|but|while)\\s+|以及|并且|而且`,
        "i",
      ),
    )
    .map((clause) => clause.trim());
  const long = clauses.filter((clause) => wordsOf(clause.replaceAll(/"[^"]*"|“[^”]*”/g, " ")).length > 2);
  return long.length > 0 ? long : [criterion];
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

const everyClause = (criterion: string, holds: (clause: string) => boolean): boolean =>
  clausesOf(criterion).every(holds);

/** Kinds of tools: words of a criterion, and commands that run the tool. */
const tools: readonly (readonly [said: RegExp, run: RegExp])[] = [
  [/\b(?:tests?|suite|specs?|ci)\b|测试/i, /\btests?\b|spec|vitest|jest|mocha|ava|tox|\bt\b|check|ci\b/i],
  [/type-?\s?check|\btypes?\b|typescript|compiles?|类型/i, /type|tsc|mypy|pyright|build|compile|check/i],
  [/\blint\w*|eslint|clippy|shellcheck|ruff|静态/i, /lint|clippy|shellcheck|ruff|flake8|vet\b|check/i],
  [/\bbuilds?\b|构建|编译/i, /build|compile|tsc|make|pack/i],
  [/\bformat\w*|prettier|格式/i, /format|fmt|prettier|black/i],
];

const passes =
  /\b(?:pass(?:es|ed)?|green|succeeds?|clean(?:ly)?|works?|compiles?|without (?:errors?|warnings?)|no (?:\w+ ){0,2}(?:errors?|warnings?))\b|通过|成功/i;

/** Whether every clause says that a check passes, and the command is such a check or is quoted in the clause. */
export function saysItPasses(criterion: string, command: string): boolean {
  return everyClause(criterion, (clause) => {
    if (!passes.test(clause)) return false;
    if (clause.includes(`\`${command}\``)) return true;
    // The clause must be short: "the login test passes" is about the login.
    const rest = clause.replaceAll(/\([^)]*\)|`[^`]*`/g, " ");
    return wordsOf(rest).length <= 8 && tools.some(([said, run]) => said.test(clause) && run.test(command));
  });
}

const stays =
  /\b(?:still|before|unchanged|no (?:behaviou?r|functional) changes?|keeps? (?:working|passing|printing)|continues? to|exactly as|same as|without changing)\b|仍|不变/i;

/** Whether every clause says that something stays the same. */
export function saysItStays(criterion: string): boolean {
  return everyClause(criterion, (clause) => kindOf(clause).kind === "as_before" || stays.test(clause));
}

/** Whether every clause says that nothing refers to something. A search that finds nothing shows this, even if it finds nothing on the base either. */
export function saysNothingRefers(criterion: string): boolean {
  return everyClause(criterion, (clause) => refers.test(clause));
}

const refers =
  /\b(?:nothing|nobody|no (?:code|file|module|other \w+))\b.{0,30}\b(?:imports?|uses?|refer\w*|depends? on|calls?|mentions?|requires?)\b|\bno (?:remaining |other |more )*(?:references?|imports?|usages?|uses|callers?|mentions?|occurrences?)\b|没有.{0,8}(?:引用|使用)/i;

/** Whether every clause is about tests. */
export function isAboutTests(criterion: string): boolean {
  return everyClause(criterion, (clause) =>
    /\btest(?:s|ed|ing|\s?cases?)?\b|\bspecs?\b|\bcover(?:s|ed|age)\b|测试|覆盖/i.test(clause),
  );
}

/** Paths of examples, and words for them. */
const examples = [
  /(?:^|\/)(?:examples?|demos?|samples?)\//i,
  /\b(?:examples?|demos?|samples?)\b|示例/i,
] as const;

/** Whether every clause says that there is an example, and the file is one. */
export function saysThereIsExample(criterion: string, path: string): boolean {
  const [isOne, said] = examples;
  const isThere = /\b(?:there (?:is|are)|has|have|adds?|includes?|contains?|ships?|comes? with)\b|有/i;
  const holds = (clause: string): boolean => said.test(clause) && isThere.test(clause);
  return isOne.test(path) && everyClause(criterion, (clause) => holds(clause) || goesOn.test(clause));
}

/** Files, and the words that refer to them. */
const fileWords: readonly (readonly [path: RegExp, said: RegExp])[] = [
  [/^/, /\bfiles?\b|文件/i],
  [/(?:^|\/)readme/i, /readme/i],
  [
    /(?:^|\/)(?:changelog|changes|history|news)|changeset/i,
    /change-?\s?log|release notes?|changelog|更新日志/i,
  ],
  [
    /(?:^|\/)docs?\/|\.(?:md|mdx|rst|adoc|txt)$/i,
    /\bdoc(?:s|ument\w*)?\b|guide|described?|explain|文档|说明/i,
  ],
  [/(?:docker|container)file|compose\.ya?ml$/i, /docker|container|image/i],
  [/(?:^|\/)\.(?:github|gitlab|circleci)/i, /\bci\b|workflows?|pipeline|actions?\b/i],
  [/\.d\.[cm]?ts$|\.pyi$/i, /\btypes?\b|typings?|declarations?/i],
  [/\.(?:css|scss|less)$/i, /\bcss\b|styles?\b|colou?rs?|contrast/i],
  [/\.sql$|migrations?\//i, /migrations?|schema|sql/i],
  [/(?:^|\/)licen[cs]e/i, /licen[cs]e/i],
  examples,
  [
    /(?:package|composer)\.json$|lock|requirements|pyproject|setup\.(?:py|cfg)$|Cargo\.toml|go\.mod/i,
    /dependenc|version|package\.json|engines|upgrade|bump|install|\bextras?\b|optional|\bpeers?\b|entry points?|scripts?\b|requires?\b/i,
  ],
  [/(?:^|\/)\.(?:pre-commit-config|husky|lefthook)|(?:^|\/)lefthook/i, /hooks?\b|pre-?commit/i],
];

/** Beginnings of clauses that continue the subject of the clause before them. */
const goesOn = /^(?:its?|they|their|them|these|this|there (?:is|are) (?:one|some))\b/i;

/** Whether every clause names the file or its kind, or continues a clause that does. */
export function isAboutFile(criterion: string, path: string): boolean {
  return everyGoingOn(
    criterion,
    (clause) =>
      isNamed(clause, path) || fileWords.some(([file, word]) => file.test(path) && word.test(clause)),
  );
}

/** Whether every clause has the file's whole name, or continues a clause that does: a function may share its test's name. */
export function namesFile(criterion: string, path: string): boolean {
  const name = nameOf(path);
  return everyGoingOn(criterion, (clause) => clause.toLowerCase().includes(name));
}

function everyGoingOn(criterion: string, holds: (clause: string) => boolean): boolean {
  const [first = "", ...others] = clausesOf(criterion);
  return holds(first) && others.every((clause) => goesOn.test(clause) || holds(clause));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

function isNamed(clause: string, path: string): boolean {
  const name = nameOf(path);
  const stem = name.replace(/^\.+/, "").replace(/\..*$/, "").replace(/rc$/, "");
  const said = clause.toLowerCase();
  if (said.includes(path.toLowerCase()) || said.includes(name)) return true;
  return stem.length > 2 && said.split(/[^\p{L}\p{N}_-]+/u).includes(stem);
}

/** Whether a line and a criterion share a significant word: a number, a name in code, or a long word. */
export function sharesWords(criterion: string, line: string): boolean {
  const own = new Set(wordsOf(line.toLowerCase()).map(stemOf));
  return wordsOf(criterion.toLowerCase()).some(
    (word) => (/\d{2}/.test(word) || word.length > 3) && own.has(stemOf(word)),
  );
}

const stemOf = (word: string): string => word.replace(/(?:es|s|ed|ing)$/, "");

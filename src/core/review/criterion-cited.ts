/** Which criteria of a contract a text cites: by number, in the usual spellings of several languages, or by their own words. */

/** What people call a criterion, in lower case, before its number. Words of other languages are added here. */
const criterionNames = [
  String.raw`criteri(?:on|a|um|ons)`,
  String.raw`acceptance(?: (?:item|bullet|point|condition))?`,
  String.raw`crit`,
  String.raw`acs?\.?`,
  // German, Dutch, Nordic and Polish, in compounds, too: Akzeptanzkriterien, Abnahme-Kriterium.
  String.raw`(?:\p{L}+-?)?kr[iy]teri(?:um|en|er|et|a|e)`,
  String.raw`acceptatiecriteri(?:um|a)`,
  String.raw`ak`,
  // French, Spanish, Portuguese, Italian.
  String.raw`critères?(?: d['’]acceptation)?`,
  String.raw`criteri[oi]s?(?: (?:de aceptación|di accettazione))?`,
  String.raw`critérios?(?: de (?:aceitação|aceite))?`,
  String.raw`критери(?:й|и|я|ев|ям)(?: при[её]мки)?`,
] as const;

/** What it is called where a contract has requirements. */
const requirementNames = [
  String.raw`requirements?`,
  String.raw`reqs?\.?`,
  String.raw`anforderung(?:en)?`,
  String.raw`exigences?`,
  String.raw`requisit[oi]s?`,
  String.raw`требовани[еяй]`,
] as const;

/** The same where words are not set apart by spaces. */
const unspacedNames = [
  "(?:验收|驗收|完成)?(?:标准|標準|准则|準則|条件|條件|条款|條款)",
  "验收|驗收",
  "受け?入れ?(?:基準|条件)|完了条件",
  "(?:수용|인수|완료) ?기준",
] as const;
const unspacedRequirements = ["要求|需求|要件", "요구 ?사항"] as const;

/** Numbers in words; `ordinals` come before the name. */
const cardinals = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"] as const;
const ordinals = [
  "first|erste[snrm]?|premi(?:er|ère)|prim(?:er|ero|eiro|o)|перв(?:ый|ого)",
  "second|zweite[snrm]?|deuxième|segundo|secondo|второ(?:й|го)",
  "third|dritte[snrm]?|troisième|tercero?|terceiro|terzo|треть(?:его|ий)",
  "fourth|vierte[snrm]?|quatrième|cuarto|quarto|четв[её]рт(?:ый|ого)",
  "fifth|fünfte[snrm]?|cinquième|quinto|пят(?:ый|ого)",
  "sixth|sechste[snrm]?|sixième|sexto|sesto",
  "seventh|siebte[snrm]?|septième|séptimo|sétimo|settimo",
  "eighth|achte[snrm]?|huitième|octavo|oitavo|ottavo",
  "ninth|neunte[snrm]?|neuvième|noveno|nono",
  "tenth|zehnte[snrm]?|dixième|décimo|decimo",
] as const;
const hanDigits = "一二三四五六七八九十";

/** Behind a number these make it a quantity: 3 seconds, 12/12, 100 %, 1개. */
const quantities = String.raw`\s*(?:%|개|초|步|行|个|個|次|秒|年|月|日|分|号|號|ms\b|seconds?\b|minutes?\b|times\b|tests?\b|bytes\b)|[.:/]\d|-\d\d-`;
const digits = String.raw`\d{1,3}(?:[a-e](?![-\p{Script=Latin}\d]))?(?![\p{Script=Latin}\d])(?!${quantities})`;
/** Before a number: `#2`, `no. 2`, `(2`, `[2`, `第2`. */
const mark = String.raw`(?:no\.?|nr\.?|num(?:ber|mer|éro)|n[°º]\.?|№)?\s*[#(\[第]*\s*`;
const and = String.raw`(?:[,;、・·&+]|\b(?:and|or|und|oder|et|ou|y|e|og|och|en|i)\b|и|和|及|与|と|와|과)`;
const to = String.raw`(?:[-–—~〜]|\bto\b|\bthrough\b|\bbis\b|至|到)`;
const closing = String.raw`[)\]]*`;
/** `1/2` may be a share, `1/2/4` is a list, and so is what follows a range. */
const slashed = String.raw`\d{1,2}(?:/\d{1,2}){2,}(?![\d/.])`;
/** A range repeats the name, or does not: `AC1-AC4`, `AC1-4`. */
const item = String.raw`${mark}(?:${slashed}|${digits})${closing}`;
const range = String.raw`${mark}\d{1,3}${closing}\s*${to}\s*(?:\p{L}+\s?[-_]?)?${mark}\d{1,3}(?![\p{Script=Latin}\d]|\.\d|-\d\d)${closing}`;
const one = `(?:${range}|${item})`;
const list = String.raw`${one}(?:\s*(?:(?:${and}|/)\s*)+${one})*`;

/** Not the end of a longer word, an option (`-ac 2`) or a prerequisite. */
const wordStart = String.raw`(?<![\p{L}\p{N}])(?<!(?:^|\s)-)(?<!\bpre-)`;
const hanOrdinal = String.raw`第\s*([${hanDigits}]|${digits})\s*[条條项項个個点點款]`;

type Spelling = { pattern: RegExp; read: (found: string) => number[] };

const spaced = (names: readonly string[]): string => `${wordStart}(?:${names.join("|")})`;
const unspaced = (names: readonly string[]): string => `(?:${names.join("|")})`;

/** A name and what follows it: `AC-2`, `criteria 1, 2 and 4`, `criterion two`, `标准第2条`. */
function named(latin: readonly string[], han: readonly string[]): Spelling[] {
  const name = `(?:${spaced(latin)}|${unspaced(han)})`;
  const words = `(?:${cardinals.join("|")})`;
  return [
    { pattern: RegExp(String.raw`${name}\s*[-_:]?\s*(${list})`, "gu"), read: numbersIn },
    {
      pattern: RegExp(
        String.raw`${spaced(latin)} (${words})(?=$|[,;:.)\]]| (?:is|was|not|fails?|has|does)\b)`,
        "gu",
      ),
      read: (word) => [cardinals.findIndex((one) => one === word) + 1],
    },
    { pattern: RegExp(String.raw`${unspaced(han)}\s*${hanOrdinal}`, "gu"), read: hanNumber },
    { pattern: RegExp(String.raw`${hanOrdinal}\s*(?:${unspaced(han)})`, "gu"), read: hanNumber },
    ...ordinals.map((word, index) => ({
      pattern: RegExp(
        String.raw`(?<![\p{L}\p{N}-])(${word})\s+(?:\p{L}+\s+){0,2}?${spaced(latin)}(?!\p{L})`,
        "gu",
      ),
      read: () => [index + 1],
    })),
    {
      pattern: RegExp(
        String.raw`(?<![\p{L}\p{N}-])(\d{1,2})(?:st|nd|rd|th|\.)\s+(?:\p{L}+\s+){0,2}?${spaced(latin)}(?!\p{L})`,
        "gu",
      ),
      read: numbersIn,
    },
  ];
}

/** Made at first use, which takes some milliseconds: most runs load this long before, or never need it. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const ofCriteria = once(() => named(criterionNames, unspacedNames));
const ofRequirements = once(() => named(requirementNames, unspacedRequirements));
/** A number that the text begins with, and nothing but a remark behind it: `2`, `#2`, `(1)`, `[1]`, `C1`, `no. 1`, `1. It prints …`. */
const bare: Spelling[] = [
  { pattern: RegExp(String.raw`^c?-?(${list})\s*(?=$|[.:)–—-]\s|[:.)]$|[:,(（])`, "gu"), read: numbersIn },
  { pattern: RegExp(String.raw`^${hanOrdinal}`, "gu"), read: hanNumber },
];

/**
 * The numbers, from 1, of the `criteria` that `text` cites, which is all that it says (a finding's `criterion`); none where it
 * cites something else.
 */
export function criteriaCited(text: string, criteria: readonly string[]): number[] {
  const quoted = quotedIn(text, criteria);
  if (quoted.length > 0) return quoted;
  const folded = fold(text);
  for (const spellings of [ofCriteria, ofRequirements, () => bare]) {
    const numbers = readAll(folded, spellings()).filter((number) => number >= 1 && number <= criteria.length);
    if (numbers.length > 0) return numbers;
  }
  return [];
}

/** The same in a sentence, where a bare number or a requirement may be of something else. */
export function criteriaNamedIn(sentence: string, criteria: readonly string[]): number[] {
  return readAll(fold(sentence), ofCriteria()).filter((number) => number >= 1 && number <= criteria.length);
}

/** Those whose words it repeats, or of whose words it repeats a part, however they are spaced. */
function quotedIn(text: string, criteria: readonly string[]): number[] {
  const cited = squash(text);
  if (cited.length < 4) return [];
  return criteria.flatMap((criterion, index) => {
    const words = squash(criterion);
    return words !== "" && (words.includes(cited) || cited.includes(words)) ? [index + 1] : [];
  });
}

function readAll(text: string, spellings: readonly Spelling[]): number[] {
  const found = spellings.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap((match) => read(match[1] ?? "")),
  );
  return [...new Set(found)].toSorted((a, b) => a - b);
}

/** `1, 3-5` is 1, 3, 4 and 5. */
function numbersIn(text: string): number[] {
  const parts = text.matchAll(
    RegExp(String.raw`(\d+)[a-e]?[)\]]*(?:\s*${to}\s*(?:\p{L}+\s?[-_]?)?[#(\[]*(\d+))?`, "gu"),
  );
  return [...parts].flatMap(([, first, last]) => {
    const from = Number(first);
    const until = last === undefined ? from : Number(last);
    return until < from || until - from > 100
      ? [from, until]
      : Array.from({ length: until - from + 1 }, (_, n) => from + n);
  });
}

function hanNumber(text: string): number[] {
  const index = hanDigits.indexOf(text);
  return text !== "" && index >= 0 ? [index + 1] : numbersIn(text);
}

/** Full-width signs are the same as others, and marks of Markdown and quotation say nothing. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[`*"“”「」『』«»]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function squash(text: string): string {
  return fold(text).replaceAll(/[\s_'’.,;:!。、，；：！]/g, "");
}

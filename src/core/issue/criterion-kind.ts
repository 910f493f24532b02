/** The kind of evidence that a criterion asks for: written in brackets before its text, or guessed from the text. */
import { t, translatable, translated } from "../language/translate.ts";

/**
 * `behaves`: a command tells the base from the branch. `as_before`: a command ends the same on both. `document`: text that
 * the submission adds. `measured`: figures from both, compared by a margin.
 */
export const criterionKinds = ["behaves", "as_before", "document", "measured"] as const;
export type CriterionKind = (typeof criterionKinds)[number];

/** A margin: at least `percent` more or fewer than on the base. */
export type Margin = { percent: number; direction: "more" | "fewer" };

export type KindOfCriterion = {
  kind: CriterionKind;
  /** Whether the kind is guessed, not written in the contract. */
  guessed: boolean;
  /** The margin of a `measured` criterion; left out if its text states none. */
  margin?: Margin;
};

const written: readonly (readonly [CriterionKind, RegExp])[] = [
  ["behaves", /^[(（](?:behaves|行为)[)）]/i],
  ["as_before", /^[(（](?:as[ _-]before|不变)[)）]/i],
  ["document", /^[(（](?:documents?|文档)[)）]/i],
  ["measured", /^[(（](?:measured|度量)(?:\s*[:：][^)）]*)?[)）]/i],
];

/** Phrases of criteria that ask for no change of behaviour. The first match decides; text in brackets is ignored. */
const guesses: readonly (readonly [CriterionKind, RegExp])[] = [
  [
    "measured",
    /(?:≥|>=|at least)\s*\d[\d.]*\s*% (?:faster|fewer|smaller|lower)|(?:降低|减少|缩短)\s*(?:≥|>=|至少)?\s*\d[\d.]*\s*[%％]/i,
  ],
  [
    "as_before",
    /\b(?:(?:all|existing|old|current|other|previous)\b[^.;]{0,30}\btests?\b[^.;]{0,20}\b(?:pass|green|succeed)|tests? (?:suite )?(?:still|continues? to)|still (?:pass|work)|as before|unchanged|no regressions?|(?:does|do|is|are) not change|stays? the same|backwards?[- ]compatib)/i,
  ],
  [
    "as_before",
    /^\W*(?:(?:the|local|project|unit|integration) )*(?:tests?|ci|type-?check\w*|lint\w*|shellcheck|eslint)\b(?: (?:is|are|still))? (?:pass|green)/i,
  ],
  [
    "as_before",
    /^`(?:npm|pnpm|yarn|bun|make|cargo|go|tox|mvn)\b[^`]*\b(?:test|lint|check)`[^.;]{0,50}\bpass/i,
  ],
  [
    "as_before",
    /^no (?:new )?(?:\w+ ){0,2}(?:regressions?|behaviou?r(?:al)? changes?|breaking changes?|(?:lint\w*|compil\w+|type) (?:errors?|warnings?))|\bbreak(?:ing)? (?:the |any )?existing\b|\b(?:maintain|keep)s? (?:the )?same\b/i,
  ],
  [
    "as_before",
    /(?:保持不变|仍然?(?:通过|可用|有效)|与之前(?:相同|一致)|现有测试|所有[^。；，]{0,4}测试.{0,6}通过|没有回归|不受影响)/,
  ],
  [
    "as_before",
    /^(?:无\s*[\w/]*(?:编译|语法|类型)?[^，。]{0,5}(?:错误|警告)$|无(?:破坏|回归|性能下降)|不破坏|所有功能正常|通过(?:静态分析|类型检查))|不低于(?:重构|修改|之前)/,
  ],
  [
    "document",
    /\b(?:readme|changelog|documentation|(?<!\/)docs?\b(?!\.\w)|documented|[jt]sdoc|docstrings?|code comments?|well-commented|typos?|licen[cs]e file|whatsnew|news entry|release notes|table of contents)/i,
  ],
  [
    "document",
    /^(?:describe|explain|announce|note that|document (?:the|how|why|what|all|any|each))\b|^(?!.*\b(?:shows?|displays?|opens?)\b)(?:[\w-]+ ){0,4}guides?(?: for\b| from\b|$)/i,
  ],
  ["document", /(?:文档|说明文件|更新日志|变更记录|注释|错别字|JSDoc|(?:使用|迁移|开发|安装)指南|使用示例)/],
];

const kinds: Readonly<Record<CriterionKind, string>> = translatable({
  behaves: "behaves",
  as_before: "as before",
  document: "document",
  measured: "measured",
});

/** The kind for people: `as before (guessed)`. */
export function kindWords({ kind, guessed }: KindOfCriterion): string {
  const name = translated(kinds[kind]);
  return guessed ? t`${name} (guessed)` : name;
}

export function kindOf(criterion: string): KindOfCriterion {
  const text = criterion.trim();
  const stated = written.find(([, pattern]) => pattern.test(text))?.[0];
  const outside = text
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)|（(?:[^（）]|（[^（）]*）)*）/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const kind = stated ?? guesses.find(([, pattern]) => pattern.test(outside))?.[0] ?? "behaves";
  const margin = kind === "measured" ? marginIn(text) : undefined;
  return { kind, guessed: stated === undefined, ...(margin && { margin }) };
}

const percents = /(?<!\d)(\d+(?:\.\d+)?)\s*[%％]/;

/** The margin of `≥ 20 % fewer allocations` or `at least 30% faster`: from the brackets, or else from the text after them. */
function marginIn(text: string): Margin | undefined {
  const brackets = /^[(（][^)）]*[)）]/.exec(text)?.[0] ?? "";
  const percent = (percents.exec(brackets) ?? percents.exec(text))?.[1];
  const direction = directionIn(brackets) ?? directionIn(text);
  return percent === undefined || !direction ? undefined : { percent: Number(percent), direction };
}

function directionIn(text: string): Margin["direction"] | undefined {
  if (
    /\b(?:fewer|less|faster|lower|smaller|shorter|quicker|down|reduc\w*)\b|减少|降低|更快|更少|缩短/i.test(
      text,
    )
  )
    return "fewer";
  return /\b(?:more|higher|larger|greater|longer|up|increas\w*)\b|增加|提高|更多/i.test(text)
    ? "more"
    : undefined;
}

/** Two versions of a line side by side: time-outs that grew, thresholds that fell, strict options and assertions that are gone. */
import type { CodeLine, SourceBlock, SourceDiff } from "./code-diff.ts";
import type { Weakening } from "./schema.ts";
import type { WeakeningKind } from "./kinds.ts";

type NumberRule = {
  kind: WeakeningKind;
  /** The way that a number goes that weakens. */
  to: "up" | "down";
  key: RegExp;
  /** Only in settings, CI and scripts: in a test such a number is what is tested. */
  settingsOnly: boolean;
};

const numberRules: readonly NumberRule[] = [
  { kind: "time-out", to: "up", key: /time[-_]?out/i, settingsOnly: false },
  { kind: "time-out", to: "up", key: /^\}\s*,\s*#\s*\)\s?;?$/, settingsOnly: false },
  {
    kind: "retried",
    to: "up",
    key: /(?<![a-z])(?:retry|retries|reruns|max[-_]?attempts|flake[-_]?attempts|retryTimes)(?![a-z])/i,
    settingsOnly: false,
  },
  {
    kind: "limit raised",
    to: "up",
    key: /max[-_]?warnings|max[-_]?diff|max[-_]?complexity|"complexity"|max-lines|allowed[-_]?failures/i,
    settingsOnly: true,
  },
  {
    kind: "limit raised",
    to: "up",
    key: /(?<![a-z])(?:tolerance|epsilon|atol|rtol|max_?relative|abs_?tol|rel_?tol|delta)(?![a-z])/i,
    settingsOnly: false,
  },
  { kind: "limit raised", to: "down", key: /toBeCloseTo|assertAlmostEqual|places=/, settingsOnly: false },
  {
    kind: "threshold",
    to: "down",
    key: /threshold|fail[-_]?under|min[-_]?(?:coverage|score|msi|covered)|(?<![a-z])(?:minimum|lines|branches|functions|statements|target|coverage)(?![a-z/-])/i,
    settingsOnly: true,
  },
];

/** Options whose absence makes a check ask less. */
const guards =
  /--(?:deny-warnings|max-warnings|check-coverage|cov-fail-under|fail-under|type-aware|strict|frozen-lockfile|coverage|ci|all-files|pedantic|locked|noEmit|race)\b|(?<![\w-])-Werror\b|(?<![\w-])-D\s*warnings\b|(?<!\w)set\s+-(?:e|eu|euo)\b|^\[\[test\]\]|(?<![\w-])(?:fail_under|failUnder|coverageThreshold|thresholds?|forbidOnly|allowOnly|strict|noImplicitAny|strictNullChecks|filterwarnings)['"]?\s*[:=]/g;

export function changedNumbers({ diff, file }: SourceDiff, { removed, added }: SourceBlock): Weakening[] {
  if (removed.length === 0 || !(file.test || file.tool || file.runs)) return [];
  const settings = file.tool || file.runs;
  const rules = numberRules.filter((rule) => settings || !rule.settingsOnly);
  const found: Weakening[] = [];
  const put = (kind: WeakeningKind, line: CodeLine, text: string): void => {
    found.push({ file: diff.path, line: line.line, kind, text: text.slice(0, 160) });
  };
  for (const [was, is] of pairsOf(removed, added)) {
    const rule = rules.find(({ key, to }) => key.test(is.shape) && went(was.numbers, is.numbers, to));
    if (rule)
      put(rule.kind, is.line, `${was.line.text.trim().slice(0, 70)} → ${is.line.text.trim().slice(0, 70)}`);
  }
  if (file.test)
    for (const [was, is] of slowed(removed, added))
      put("time-out", is, `${was.text.trim()} → ${is.text.trim()}`);
  if (settings)
    for (const [line, name] of guardsGone(removed, added))
      put("guard removed", line, `- ${name}: ${line.text.trim()}`);
  if (file.test)
    for (const [was, is] of loosened(removed, added))
      put("loosened", is, `${was.text.trim().slice(0, 75)} → ${is.text.trim().slice(0, 75)}`);
  return found;
}

type Shaped = { line: CodeLine; shape: string; numbers: number[] };

/** Lines that differ in their numbers alone, in their order. */
function pairsOf(removed: readonly CodeLine[], added: readonly CodeLine[]): [Shaped, Shaped][] {
  const before = Map.groupBy(removed.filter(hasNumber).map(shapeOf), ({ shape }) => shape);
  const next = new Map<string, number>();
  return added
    .filter(hasNumber)
    .map(shapeOf)
    .flatMap((is): [Shaped, Shaped][] => {
      const at = next.get(is.shape) ?? 0;
      next.set(is.shape, at + 1);
      const was = before.get(is.shape)?.[at];
      return was ? [[was, is]] : [];
    });
}

const hasNumber = ({ text, code }: CodeLine): boolean => /\d/.test(text) && code.trim() !== "";

function shapeOf(line: CodeLine): Shaped {
  const numbers: number[] = [];
  const shape = line.text.replace(/(?<![\w$])\d[\d_]*(?:\.\d+)?/g, (digits) => {
    numbers.push(Number(digits.replaceAll("_", "")));
    return "#";
  });
  return { line, shape: shape.trim(), numbers };
}

function went(was: readonly number[], is: readonly number[], to: "up" | "down"): boolean {
  return is.some((number, at) => (to === "up" ? number > was[at]! : number < was[at]!));
}

/** `});` became `}, 60_000);`. */
function slowed(removed: readonly CodeLine[], added: readonly CodeLine[]): [CodeLine, CodeLine][] {
  const ends = removed.filter(({ code }) => /^\s*\}\);?\s*$/.test(code));
  const slow = added.filter(({ code }) => /^\s*\}, ?\d[\d_]*\s*(?:\*\s*[\d_]+\s*)?\);?\s*$/.test(code));
  return slow.slice(0, ends.length).map((line, at) => [ends[at]!, line]);
}

function guardsGone(removed: readonly CodeLine[], added: readonly CodeLine[]): [CodeLine, string][] {
  const named = (line: CodeLine): string[] =>
    [...line.code.matchAll(guards)].map(([name]) => name.replace(/['"]?(?<!\s)\s*[:=]$/, ""));
  const kept = new Set(added.flatMap(named));
  return removed.flatMap((line) => {
    const gone = named(line).find((name) => !kept.has(name));
    return gone === undefined ? [] : [[line, gone] satisfies [CodeLine, string]];
  });
}

const looseInJs =
  /\)\.(?:not\.)?to(?:BeDefined|BeTruthy|BeFalsy|BeUndefined|BeNull|Exist|exist|be\.ok|Throw\(\)|HaveBeenCalled\(\)|Contain|Match|MatchObject|BeGreaterThan\w*|BeLessThan\w*)\b/;
const strictInJs =
  /\)\.(?:to(?:Be|Equal|StrictEqual|HaveBeenCalledWith|HaveLength|Throw)\(.|(?:to\.)(?:equal|eql|deep\.equal)\()/;

/** The same subject, asked for less: `expect(x).toBe(5)` → `expect(x).toBeDefined()`, `assert x == 5` → `assert x`. */
function loosened(removed: readonly CodeLine[], added: readonly CodeLine[]): [CodeLine, CodeLine][] {
  const before = new Map<string, CodeLine>();
  for (const line of removed) {
    const subject = strictSubject(line);
    if (subject !== undefined) before.set(subject, line);
  }
  return added.flatMap((line): [CodeLine, CodeLine][] => {
    const subject = looseSubject(line);
    const was = subject === undefined ? undefined : before.get(subject);
    return was ? [[was, line]] : [];
  });
}

function strictSubject(line: CodeLine): string | undefined {
  const text = tidied(line);
  const js = strictInJs.exec(text);
  if (js) return text.slice(0, js.index);
  return (
    /^(assert .+?) (?:==|is) /.exec(text)?.[1] ??
    /^self\.assert(?:Equal|Equals|ListEqual|DictEqual|Is)\((.+?),/.exec(text)?.[1]
  );
}

function looseSubject(line: CodeLine): string | undefined {
  const text = tidied(line);
  const js = looseInJs.exec(text);
  if (js) return text.slice(0, js.index);
  return (
    /^(assert .+?)(?: is not None)?$/.exec(text)?.[1] ??
    /^self\.assert(?:IsNotNone|True)\((.+?)\)$/.exec(text)?.[1]
  );
}

function tidied({ text }: CodeLine): string {
  return text.trim().replace(/\s+/g, " ");
}

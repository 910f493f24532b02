/** Compares settings before and after: time-outs that grew, thresholds that fell, strict options that are gone. */
import type { CodeLine, CodePlace } from "./code-line.ts";
import type { WeakeningKind } from "./kinds.ts";

type Keys = Partial<Record<WeakeningKind, RegExp>>;

/** Settings that demand less with a larger number. */
const growing: Keys = {
  "time-out": /time[-_]?out/i,
  retried: /(?<![a-z])(?:retry|retries|reruns|max[-_]?attempts|flake[-_]?attempts)(?![a-z])/i,
  "limit raised":
    /max[-_]?(?:warnings|diff|complexity|lines)|"complexity"|allowed[-_]?failures|(?<![a-z])(?:tolerance|epsilon)(?![a-z])/i,
};

/** Settings that demand less with a smaller number. */
const falling: Keys = {
  threshold:
    /threshold|fail[-_]?under|min[-_]?(?:coverage|score|msi|covered)|(?<![a-z])(?:minimum|lines|branches|functions|statements|target|coverage)(?![a-z/-])/i,
};

/** Options whose absence makes a check demand less. */
const guards =
  /--(?:deny-warnings|max-warnings|check-coverage|cov-fail-under|fail-under|type-aware|strict|frozen-lockfile|coverage|ci|all-files|pedantic|locked|noEmit|race)\b|(?<![\w-])-Werror\b|(?<![\w-])-D\s*warnings\b|(?<!\w)set\s+-(?:e|eu|euo)\b|^\[\[test\]\]|(?<![\w-])(?:fail_under|failUnder|coverageThreshold|thresholds?|forbidOnly|allowOnly|strict|noImplicitAny|strictNullChecks|filterwarnings)['"]?\s*[:=]/g;

export type Lowered = { kind: WeakeningKind; line: CodeLine; text: string };

export function lowered({ removed, added }: CodePlace): Lowered[] {
  const before = Map.groupBy(removed.flatMap(shapeOf), ({ shape }) => shape);
  const numbers = added.flatMap(shapeOf).flatMap(({ line, shape, numbers: now }): Lowered[] => {
    const was = before.get(shape)?.shift();
    if (!was) return [];
    const steps = now.map((number, at) => number - was.numbers[at]!);
    const kinds = [
      ...(steps.some((step) => step > 0) ? kindsOf(growing, shape) : []),
      ...(steps.some((step) => step < 0) ? kindsOf(falling, shape) : []),
    ];
    const text = [was.line, line].map((one) => one.text.trim().slice(0, 70)).join(" → ");
    return kinds.slice(0, 1).map((kind) => ({ kind, line, text }));
  });
  const kept = new Set(added.flatMap(guardsIn));
  const gone = removed.flatMap((line) => {
    const names = guardsIn(line).filter((one) => !kept.has(one));
    return names
      .slice(0, 1)
      .map((name): Lowered => ({ kind: "guard removed", line, text: `- ${name}: ${line.text.trim()}` }));
  });
  return [...numbers, ...gone];
}

/** A line with its numbers separated: lines of one shape differ only in their numbers. */
function shapeOf(line: CodeLine): { line: CodeLine; shape: string; numbers: number[] }[] {
  const digits = /(?<![\w$])\d[\d_]*(?:\.\d+)?/g;
  const numbers = (line.text.match(digits) ?? []).map((one) => Number(one.replaceAll("_", "")));
  const isCode = numbers.length > 0 && line.code.trim() !== "";
  return isCode ? [{ line, shape: line.text.replace(digits, "#").trim(), numbers }] : [];
}

function kindsOf(keys: Keys, shape: string): WeakeningKind[] {
  return (Object.keys(keys) as WeakeningKind[]).filter((kind) => keys[kind]?.test(shape));
}

function guardsIn({ code }: CodeLine): string[] {
  return [...code.matchAll(guards)].map(([name]) => name.replace(/['"]?(?<!\s)\s*[:=]$/, ""));
}

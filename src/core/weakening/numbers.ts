/** A place of settings before and after: time-outs that grew, thresholds that fell, strict options that are gone. */
import type { CodeLine, CodePlace } from "./code-line.ts";
import type { WeakeningKind } from "./kinds.ts";

/** `to`: the direction in which a number asks less. */
const rules: readonly { kind: WeakeningKind; to: "up" | "down"; key: RegExp }[] = [
  { kind: "time-out", to: "up", key: /time[-_]?out/i },
  {
    kind: "retried",
    to: "up",
    key: /(?<![a-z])(?:retry|retries|reruns|max[-_]?attempts|flake[-_]?attempts)(?![a-z])/i,
  },
  {
    kind: "limit raised",
    to: "up",
    key: /max[-_]?(?:warnings|diff|complexity|lines)|"complexity"|allowed[-_]?failures|(?<![a-z])(?:tolerance|epsilon)(?![a-z])/i,
  },
  {
    kind: "threshold",
    to: "down",
    key: /threshold|fail[-_]?under|min[-_]?(?:coverage|score|msi|covered)|(?<![a-z])(?:minimum|lines|branches|functions|statements|target|coverage)(?![a-z/-])/i,
  },
];

/** Options whose absence makes a check ask less. */
const guards =
  /--(?:deny-warnings|max-warnings|check-coverage|cov-fail-under|fail-under|type-aware|strict|frozen-lockfile|coverage|ci|all-files|pedantic|locked|noEmit|race)\b|(?<![\w-])-Werror\b|(?<![\w-])-D\s*warnings\b|(?<!\w)set\s+-(?:e|eu|euo)\b|^\[\[test\]\]|(?<![\w-])(?:fail_under|failUnder|coverageThreshold|thresholds?|forbidOnly|allowOnly|strict|noImplicitAny|strictNullChecks|filterwarnings)['"]?\s*[:=]/g;

export type Lowered = { kind: WeakeningKind; line: CodeLine; text: string };

export function lowered({ removed, added }: CodePlace): Lowered[] {
  const numbers = pairsOf(removed, added).flatMap(([was, is]): Lowered[] => {
    const rule = rules.find(({ key, to }) => key.test(is.shape) && went(was.numbers, is.numbers, to));
    const text = `${was.line.text.trim().slice(0, 70)} → ${is.line.text.trim().slice(0, 70)}`;
    return rule ? [{ kind: rule.kind, line: is.line, text }] : [];
  });
  const kept = new Set(added.flatMap(guardsIn));
  const gone = removed.flatMap((line): Lowered[] => {
    const name = guardsIn(line).find((one) => !kept.has(one));
    return name === undefined
      ? []
      : [{ kind: "guard removed", line, text: `- ${name}: ${line.text.trim()}` }];
  });
  return [...numbers, ...gone];
}

type Shaped = { line: CodeLine; shape: string; numbers: number[] };

/** Lines that differ in their numbers alone, in their order. */
function pairsOf(removed: readonly CodeLine[], added: readonly CodeLine[]): [Shaped, Shaped][] {
  const before = Map.groupBy(removed.flatMap(shapeOf), ({ shape }) => shape);
  return added.flatMap(shapeOf).flatMap((is): [Shaped, Shaped][] => {
    const was = before.get(is.shape)?.shift();
    return was ? [[was, is]] : [];
  });
}

function shapeOf(line: CodeLine): Shaped[] {
  if (line.code.trim() === "") return [];
  const numbers: number[] = [];
  const shape = line.text.replace(/(?<![\w$])\d[\d_]*(?:\.\d+)?/g, (digits) => {
    numbers.push(Number(digits.replaceAll("_", "")));
    return "#";
  });
  return numbers.length > 0 ? [{ line, shape: shape.trim(), numbers }] : [];
}

function went(was: readonly number[], is: readonly number[], to: "up" | "down"): boolean {
  return is.some((number, at) => (to === "up" ? number > was[at]! : number < was[at]!));
}

function guardsIn({ code }: CodeLine): string[] {
  return [...code.matchAll(guards)].map(([name]) => name.replace(/['"]?(?<!\s)\s*[:=]$/, ""));
}

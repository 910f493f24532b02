/** monoco's inspection of a diff before any review: protected paths, and places that weaken tests. */
import type { Inspection } from "./inspection-schema.ts";
import type { Answer } from "./verdict-schema.ts";
import type { Weakening, WeakeningRead } from "../weakening/schema.ts";
import { plainLine } from "../text/sanitize.ts";
import { protectedWords } from "./protected-paths.ts";
import { weakeningWords } from "../weakening/kinds.ts";
import type { Language } from "../language/handoff-words.ts";
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";

export const protectedListedMax = 100;
export const weakeningsListedMax = 60;

/** The places that are kept: the gravest come first, the rest is counted. */
export function listed(all: { protected: Inspection["protected"]; weakened: Weakening[] }): Inspection {
  const more = {
    protected: Math.max(0, all.protected.length - protectedListedMax),
    weakened: Math.max(0, all.weakened.length - weakeningsListedMax),
  };
  return {
    protected: all.protected.slice(0, protectedListedMax),
    weakened: all.weakened.slice(0, weakeningsListedMax),
    ...(more.protected + more.weakened > 0 ? { more } : {}),
  };
}

/** Kinds that only the trial of a submission finds; the checks themselves find only the files that they change. */
const ofTrial: ReadonlySet<string> = new Set([
  "crossed",
  "interface",
  "used by checks",
  "flaky",
  "unguarded",
]);

/** The inspection with results of the checks or the trial. They come last, so that ids stay, and replace earlier results of the same. */
export function withRuns(
  inspection: Inspection | undefined,
  places: readonly Weakening[],
  by: "checks" | "trial",
): Inspection {
  const before = inspection ?? { protected: [], weakened: [] };
  const isOld = ({ kind }: WeakeningRead): boolean =>
    by === "trial" ? ofTrial.has(kind) : kind === "changed by checks";
  return { ...before, weakened: [...before.weakened.filter((one) => !isOld(one)), ...places] };
}

/** A place that an approval has to answer, by id: `P1` is the first protected path, `W1` the first weakening. */
export type ListedPlace = { id: string; words: string; unguarded?: true };

export function listedPlaces(inspection: Inspection | undefined, language: Language = "en"): ListedPlace[] {
  const paths = (inspection?.protected ?? []).map((one) => plainLine(protectedWords(one, language), 300));
  const weakened = (inspection?.weakened ?? []).map((one) => plainLine(weakeningLine(one, language), 400));
  return [
    ...paths.map((words, index) => ({ id: `P${index + 1}`, words })),
    ...weakened.map((words, index) => ({
      id: `W${index + 1}`,
      words,
      ...(inspection?.weakened[index]?.kind === "unguarded" && { unguarded: true as const }),
    })),
  ];
}

/** The places that an approval has to answer. Tests that are proved to break are for a person: no answer settles those. */
export function placesToAnswer(inspection: Inspection | undefined): ListedPlace[] {
  const proved = new Set(
    (inspection?.weakened ?? []).flatMap(({ kind }, at) => (kind === "crossed" ? [`W${at + 1}`] : [])),
  );
  return listedPlaces(inspection).filter(({ id }) => !proved.has(id));
}

/** A line for each place, safe to print, with its id and, below it, its answer: `paths`, and `weakened`. */
export function inspectionLines(
  inspection: Inspection,
  language: Language,
  answers: readonly Answer[] = [],
): { paths: string[]; weakened: string[] } {
  const { more } = inspection;
  const lines = (kind: string, left = 0): string[] => [
    ...listedPlaces(inspection, language)
      .filter(({ id }) => id.startsWith(kind))
      .flatMap(({ id, words }) => [`${id} ${words}`, ...answersTo(id, answers)]),
    ...(left > 0 ? [andMore[language](left)] : []),
  ];
  return { paths: lines("P", more?.protected), weakened: lines("W", more?.weakened) };
}

function answersTo(id: string, answers: readonly Answer[]): string[] {
  return answers.filter((one) => one.id === id).map(({ text }) => `   answer: ${plainLine(text, 300)}`);
}

function weakeningLine({ file, line, kind, text }: WeakeningRead, language: Language): string {
  const where = line === undefined ? file : `${file}:${line}`;
  // A kind from an older version has only its name.
  const what = wordsOf[kind]?.[language] ?? kind;
  return text === "" ? `${where}: ${what}` : `${where}: ${what}: ${text}`;
}

const wordsOf: Readonly<Partial<Record<string, Record<Language, string>>>> = weakeningWords;

const andMore: Record<Language, (count: number) => string> = {
  en: (count) => `… and ${count} more`,
  zh: (count) => `……以及另外 ${count} 处`,
};

/** The counts as text: `2 protected paths, 3 places that weaken tests or checks`. */
export function inspectionCounts(inspection: Inspection): string {
  const paths = inspection.protected.length + (inspection.more?.protected ?? 0);
  const weakened = inspection.weakened.length + (inspection.more?.weakened ?? 0);
  return [
    ...(paths > 0 ? [counted(paths, "protected path")] : []),
    ...(weakened > 0
      ? [
          weakened > 1
            ? t`${weakened} places that weaken tests or checks`
            : t`1 place that weakens tests or checks`,
        ]
      : []),
  ].join(t`, `);
}

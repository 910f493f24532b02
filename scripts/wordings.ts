/** The labelled wordings of test/fixtures/wordings: what the rules make of each, and how often they are right. */
import { becauseOf } from "../src/core/reason/reason.ts";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { scoreExit } from "../src/core/exit/detection.ts";
import { refusalIn } from "../src/core/session/limit-phrases.ts";
import { questionOf } from "../src/core/exit/field-values.ts";
import { resetInWords } from "../src/core/session/reset-time.ts";
import { settingsSchema } from "../src/core/settings/settings.ts";

const folder = join(import.meta.dirname, "..", "test", "fixtures", "wordings");

const origin = { from: z.string() };
const limitSchema = z.strictObject({
  ...origin,
  text: z.string(),
  means: z.enum(["limit", "person", "neither"]),
  resets: z.iso.datetime().optional(),
  now: z.iso.datetime().default("2026-11-22T12:00:00Z"),
  zone: z.string().default("Europe/Berlin"),
});
const blockSchema = z.strictObject({ ...origin, text: z.string(), says: z.enum(["yes", "no", "nothing"]) });
const questionSchema = z.strictObject({
  ...origin,
  asks: z.boolean(),
  value: z.string(),
});

type LimitWording = z.infer<typeof limitSchema>;
type BlockWording = z.infer<typeof blockSchema>;
type QuestionWording = z.infer<typeof questionSchema>;

/** The schema of a file is the type of its rows. */
function read<T>(name: string, schema: z.ZodType<T>): T[] {
  return z.array(schema).parse(parse(readFileSync(join(folder, `${name}.yaml`), "utf8")));
}

const limitWordings = (): LimitWording[] => read("limits", limitSchema);
const blockWordings = (): BlockWording[] => read("blocks", blockSchema);
const questionWordings = (): QuestionWording[] => read("questions", questionSchema);

/** One text, and for one question about it the label and what the rules say. */
export type Judged = { text: string; label: boolean; said: boolean; because: string };

/** What is counted, in the words of a person. */
export const measures: Readonly<Record<string, () => Judged[]>> = {
  "a usage limit": () => limitWordings().map((one) => means(one, "limit")),
  "for a person": () => limitWordings().map((one) => means(one, "person")),
  "the reset time": () =>
    limitWordings()
      .filter(({ means }) => means === "limit")
      .map(resets),
  "a structured yes": () => blockWordings().map((one) => says(one, "yes")),
  "a structured no": () => blockWordings().map((one) => says(one, "no")),
  "a question in its field": () => questionWordings().map(asks),
};

function means({ text, means }: LimitWording, kind: LimitWording["means"]): Judged {
  const said = refusalIn(text) ?? "neither";
  return { text, label: means === kind, said: said === kind, because: `it means ${said}` };
}

/** A wrong time is a false one, and no time a miss. */
function resets({ text, resets, now, zone }: LimitWording): Judged {
  const atMs = resetInWords(text, { nowMs: Date.parse(now), zone });
  const right = resets !== undefined && atMs === Date.parse(resets);
  const because = atMs === undefined ? "no time" : new Date(atMs).toISOString();
  return {
    text,
    label: right || (atMs === undefined && resets !== undefined),
    said: atMs !== undefined,
    because,
  };
}

const policy = settingsSchema.parse({}).exit;

function says({ text, says }: BlockWording, kind: BlockWording["says"]): Judged {
  const evidence = {
    boxes: { resolved: 0, total: 3 },
    files: [],
    changed: 0,
    checksOk: undefined,
    before: [],
  };
  const { exitSignal, contradiction, reason } = scoreExit({ ...evidence, answer: text }, policy);
  const said = exitSignal === null ? "nothing" : exitSignal && !contradiction ? "yes" : "no";
  return { text, label: says === kind, said: said === kind, because: becauseOf(reason) };
}

function asks({ value, asks }: QuestionWording): Judged {
  const question = questionOf(value);
  const because = question === undefined ? "it asks nothing" : `it asks: ${question.slice(0, 60)}`;
  return { text: value, label: asks, said: question !== undefined, because };
}

export type Half = "tuned" | "held out";

/** Half of all is held out, by the first bit of the hash of its text. */
export function halfOf({ text }: { text: string }): Half {
  return createHash("sha256").update(text).digest()[0]! >= 128 ? "held out" : "tuned";
}

export type Figures = { count: number; hits: number; misses: number; falses: number };

export function figuresOf(judged: readonly Judged[]): Figures {
  const count = (label: boolean, said: boolean): number =>
    judged.filter((one) => one.label === label && one.said === said).length;
  return {
    count: judged.length,
    hits: count(true, true),
    misses: count(true, false),
    falses: count(false, true),
  };
}

/** One line a measure and half; `confusions` shows the texts that are judged wrongly. */
export function wordingLines(halves: readonly Half[]): string[] {
  return Object.entries(measures).flatMap(([name, judge]) =>
    halves.flatMap((half) => {
      const some = judge().filter((one) => halfOf(one) === half);
      const { count, hits, misses, falses } = figuresOf(some);
      const share = (whole: number): string => (whole === 0 ? "1.000" : (hits / whole).toFixed(3));
      const wrong = some.filter(({ label, said }) => label !== said);
      return [
        `${name}, ${half}: ${count} wordings, precision ${share(hits + falses)}  recall ${share(hits + misses)}  false ${falses}`,
        ...wrong.map(
          ({ text, said, because }) =>
            `  ${said ? "FALSE" : "missed"}: ${JSON.stringify(text.slice(0, 100))} [${because}]`,
        ),
      ];
    }),
  );
}

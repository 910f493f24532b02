/** Reads single settings from environment variables (`MONOCO_LIMITS_SESSIONS_MAX`) and flags (`--set limits.sessionsMax=5`). */
import { parse } from "yaml";
import { z } from "zod";
import { MonocoError, wordsOf } from "../error/error.ts";
import { keyInFull, shortKeys } from "./values.ts";
import { nearest } from "../text/nearest.ts";
import { wordsOfIssue } from "./schema-errors.ts";
import { allKeys, bare, hintForKey, keysAt, schemaAt } from "./keys.ts";
import type { Origin, Source } from "./layers.ts";
import type { Values } from "./values.ts";
import { settingsSchema } from "./settings.ts";
import { t } from "../language/translate.ts";

/** Variables with the prefix MONOCO_ that are not settings: for sessions, checks and notices, and for monoco's own scripts. */
export const otherVariables = [
  "MONOCO_ISSUE",
  "MONOCO_ROLE",
  "MONOCO_SESSION",
  "MONOCO_SESSION_DIR",
  "MONOCO_AGENTS_DIR",
  "MONOCO_RECORD",
  "MONOCO_NOTICE",
  "MONOCO_SLOT",
  "MONOCO_DATABASE",
] as const;

/** The variable of a key: MONOCO_LIMITS_SESSIONS_MAX for `limits.sessionsMax`. */
export function variableOf(key: string): string {
  const snake = key.replaceAll(".", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  return `MONOCO_${snake.toUpperCase()}`;
}

/** The settings that a variable can hold, by variable. Agents have names chosen by people and exist only in files. */
export const settingVariables: ReadonlyMap<string, string> = new Map(
  [...allKeys(settingsSchema), ...shortKeys]
    .flatMap((key) => {
      const isMap = bare(schemaAt(settingsSchema, key.split("."))!) instanceof z.ZodRecord;
      return isMap ? keysAt(settingsSchema, key.split(".")).map((name) => `${key}.${name}`) : [key];
    })
    .map((key) => [variableOf(key), key]),
);

/** The settings in the environment; an empty variable sets nothing. Throws `input` for an unknown variable with the prefix. */
export function readVariables(env: Readonly<Record<string, string | undefined>>): Source {
  const others: readonly string[] = otherVariables;
  const ours = Object.keys(env).filter((name) => name.startsWith("MONOCO_") && !others.includes(name));
  const entries = ours.map((name): Word => {
    const key = settingVariables.get(name);
    if (key === undefined) throw unknownVariable(name);
    return { key, text: env[name] ?? "", origin: { from: "environment", where: name } };
  });
  return sourceOf(entries.filter(({ text }) => text !== ""));
}

/** The settings of `--set KEY=VALUE`; the last value of a key counts. */
export function readFlags(assignments: readonly string[]): Source {
  return sourceOf(
    assignments.map((word) => {
      const [, key, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (key === undefined || text === undefined) {
        throw new MonocoError("input", t`--set ${word}: expected KEY=VALUE`, {
          hint: [
            [{ do: "by_hand", what: t`write it like --set limits.sessionsMax=5` }],
            [{ do: "list_settings", note: t`lists the keys` }],
          ],
        });
      }
      return { key: key.trim(), text, origin: { from: "flag", where: "--set" } };
    }),
  );
}

type Word = { key: string; text: string; origin: Origin };

function sourceOf(entries: readonly Word[]): Source {
  return sourceOfValues(
    entries
      .map((word) => ({ ...word, key: keyInFull(word.key, word.text) }))
      .map((word) => ({ path: word.key.split("."), value: valueOf(word), origin: word.origin })),
  );
}

/** A source of single values, each with its origin. */
export function sourceOfValues(
  values: readonly { path: readonly string[]; value: unknown; origin: Origin }[],
): Source {
  return {
    values: values.reduce<Values>((all, { path, value }) => placed(all, path, value), {}),
    at: (path) =>
      values.findLast((one) => path.every((key, index) => (one.path[index] ?? key) === key))?.origin ?? {
        from: "default",
        where: "default",
      },
  };
}

/** The value of a text: verbatim for a string, else parsed as YAML (`5`, `true`, `[60, 75, 85]`). */
function valueOf({ key, text, origin }: Word): unknown {
  const path = key.split(".");
  const schema = schemaAt(settingsSchema, path);
  const place = origin.from === "flag" ? `--set ${key}` : origin.where;
  if (!schema) {
    throw new MonocoError("input", t`${place}: unknown setting`, {
      hint: hintForKey(settingsSchema, path),
    });
  }
  const kind = bare(schema);
  const value = kind instanceof z.ZodString || kind instanceof z.ZodEnum ? text : yamlValue(text, place);
  const parsed = z.safeParse(schema, value);
  // An agent's entry is checked as a whole later: this may be only a part.
  if (parsed.success || path[0] === "agents") return value;
  throw new MonocoError("input", t`${place}: ${wordsOfIssue(parsed.error.issues[0]!)}`, {
    hint: howToWrite(kind),
  });
}

function yamlValue(text: string, place: string): unknown {
  try {
    return parse(text, { logLevel: "error" }) as unknown;
  } catch (error) {
    throw new MonocoError("input", t`${place}: invalid YAML: ${wordsOf(error).split("\n")[0]}`, {
      hint: t`write a list like [60, 75, 85]`,
      cause: error,
    });
  }
}

function howToWrite(kind: z.core.$ZodType): string {
  if (kind instanceof z.ZodEnum) return t`write one of ${kind.options.join(", ")}`;
  if (kind instanceof z.ZodBoolean) return t`write true or false`;
  if (kind instanceof z.ZodArray) return t`write a list like [one, two]`;
  if (kind instanceof z.ZodTuple) return t`write a list like [60, 75, 85]`;
  return t`docs/settings.md says what it may be`;
}

function placed(values: Values, [key, ...rest]: readonly string[], value: unknown): Values {
  if (key === undefined) return values;
  if (rest.length === 0) return { ...values, [key]: value };
  const below = Object.hasOwn(values, key) ? values[key] : {};
  return { ...values, [key]: placed(below as Values, rest, value) };
}

function unknownVariable(name: string): MonocoError {
  const meant = nearest(name, [...settingVariables.keys()]);
  return new MonocoError("input", t`the environment: ${name} is not a setting of monoco`, {
    hint: [
      [{ do: "by_hand", what: t`${meant === undefined ? "" : t`did you mean ${meant}? `}unset it` }],
      [{ do: "list_settings", note: t`lists the keys: limits.sessionsMax is MONOCO_LIMITS_SESSIONS_MAX` }],
    ],
  });
}

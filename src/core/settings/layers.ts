/** Joins the sources of settings, each with its values and their places; the strongest source of a key wins. */
import { agentSettings } from "./agent-entry.ts";
import { roles, vendors } from "./agent-kinds.ts";
import { MonocoError } from "../error/error.ts";
import { valuesInFull } from "./values.ts";
import { presetNames, presets } from "./presets.ts";
import type { PresetName } from "./presets.ts";
import { issuesIn, wordsOfIssue } from "./schema-errors.ts";
import { leaves } from "./values.ts";
import type { Values } from "./values.ts";
import { settingsSchema } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { isRecord } from "../text/record.ts";
import { t } from "../language/translate.ts";

/** The origins, from the strongest to the weakest. */
export const origins = ["flag", "environment", "project", "policy", "user", "preset", "default"] as const;

/** The place of a value: a flag, a variable, or a file and a line. */
export type Origin = { from: (typeof origins)[number]; where: string; line?: number };

/** `values` holds only what the source itself sets; `at` has the places. */
export type Source = { values: Values; at(path: readonly string[]): Origin };

/** The settings in force, and the origin of each value that is not a default, by key (`limits.sessionsMax`). */
export type Settled = {
  settings: Settings;
  origins: Readonly<Record<string, Origin>>;
  /** The policy file on the command line. */
  policy?: string;
  /** The joined sources, without the preset. */
  given: readonly Source[];
};

/**
 * Joins sources, the strongest first; a preset is weaker than all of them. Under `preset: auto` it is the one `chosen` for the
 * issue. Throws `input` with the source for a combination that is not allowed.
 */
export function settle(given: readonly Source[], chosen?: PresetName): Settled {
  refuseNames(given);
  const written = given.map((source) => ({ ...source, values: valuesInFull(source.values) }));
  const sources = [...written, ...presetSource(given, chosen)];
  const values = sources.reduceRight<Values>((weaker, { values }) => join(weaker, values), {});
  const parsed = settingsSchema.safeParse(withKinds(values));
  if (!parsed.success) {
    const issue = issuesIn(parsed.error)[0]!;
    const path = issue.path.map(String);
    throw new MonocoError(
      "input",
      t`${placeOf(originAbove(sources, path))}: ${path.join(".")}: ${wordsOfIssue(issue)}`,
      {
        hint: t`fix it, or leave it out: every key has a default`,
      },
    );
  }
  const settings = parsed.data;
  refuseFallingMarks(settings, sources);
  refuseIdleModels(settings, sources);
  for (const role of roles) {
    for (const [index, name] of settings.roles[role].agents.entries()) {
      agentSettings(settings, name, placeOf(originOf(sources, ["roles", role, "agents", String(index)])));
    }
  }
  const leafOrigins = leaves(settings).map((path) => [path.join("."), originOf(sources, path)] as const);
  return {
    settings,
    origins: Object.fromEntries(leafOrigins.filter(([, { from }]) => from !== "default")),
    given,
  };
}

/** Refuses a model that is passed to no program, since nobody would notice. */
function refuseIdleModels({ agents }: Settings, sources: readonly Source[]): void {
  for (const [name, { kind, model }] of Object.entries(agents)) {
    if (model === undefined || vendors.some((vendor) => vendor === kind)) continue;
    const place = placeOf(originOf(sources, ["agents", name, "model"]));
    throw new MonocoError(
      "input",
      t`${place}: agents.${name}.model: it cannot be passed on to kind ${kind}`,
      {
        hint: t`name the model to the program itself, by run:, args: or env:`,
      },
    );
  }
}

/** Refuses names that no object can hold, which would be lost silently. */
function refuseNames(given: readonly Source[]): void {
  for (const { values, at } of given) {
    const path = leaves(values).find((keys) => keys.includes("__proto__"));
    if (path) {
      throw new MonocoError("input", t`${placeOf(at(path))}: ${path.join(".")}: __proto__ is no name`, {
        hint: t`call it something else`,
      });
    }
  }
}

/** Refuses falling marks. Values up to 100 are percent, larger ones tokens; only values of one unit are compared. */
function refuseFallingMarks({ limits }: Settings, sources: readonly Source[]): void {
  const { contextMarks } = limits;
  const falls = [true, false].some((percent) => {
    const marks = contextMarks.filter((mark) => mark <= 100 === percent);
    return marks.some((mark, index) => mark < (marks[index - 1] ?? 0));
  });
  if (!falls) return;
  const place = placeOf(originOf(sources, ["limits", "contextMarks"]));
  throw new MonocoError(
    "input",
    t`${place}: limits.contextMarks: each mark must be at least the one before it: ${contextMarks.join(", ")}`,
    { hint: t`plan to wrap up, wrap up, stop: write them like [60, 75, 85]` },
  );
}

/** The source of the preset; the numbers of medium work are the defaults. */
function presetSource(given: readonly Source[], chosen: PresetName | undefined): Source[] {
  const asked = given.find(({ values }) => isSet(values, ["preset"]))?.values["preset"];
  const name = asked === "auto" ? chosen : presetNames.find((preset) => preset === asked);
  if (name === undefined) return [];
  const where = `preset ${asked === "auto" ? `auto: ${name}` : name}`;
  return [{ values: presets[name], at: () => ({ from: "preset", where }) }];
}

/** The place as people look for it: `monoco.yaml:12`, `--set`, `MONOCO_LIMITS_SESSIONS_MAX`. */
export function placeOf({ where, line }: Origin): string {
  return line === undefined ? where : `${where}:${line}`;
}

function originOf(sources: readonly Source[], path: readonly string[]): Origin {
  const source = sources.find(({ values }) => isSet(values, path));
  return source?.at(path) ?? { from: "default", where: "default" };
}

/** The place where a missing `path` should have been: that of the values around it. */
function originAbove(sources: readonly Source[], path: readonly string[]): Origin {
  const origin = originOf(sources, path);
  return origin.from === "default" && path.length > 1 ? originAbove(sources, path.slice(0, -1)) : origin;
}

/** Whether the source sets `path`, or the list that contains it. */
function isSet(values: Values, path: readonly string[]): boolean {
  let value: unknown = values;
  for (const key of path) {
    if (Array.isArray(value)) return true;
    if (!isRecord(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}

/** Joins maps key by key; lists and other values are replaced. */
function join(weaker: Values, stronger: Values): Values {
  const joined: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const below = joined[key];
    joined[key] = isRecord(value) && isRecord(below) && isOneKind(below, value) ? join(below, value) : value;
  }
  return joined;
}

/** Whether both entries are of one kind: an entry of another kind replaces the whole, since their keys have nothing in common. */
function isOneKind(weaker: Values, stronger: Values): boolean {
  return (
    weaker["kind"] === undefined || stronger["kind"] === undefined || weaker["kind"] === stronger["kind"]
  );
}

/** The values with the kinds of built-in agents added: `--set agents.claude.model=opus` need not state the kind. */
function withKinds(values: Values): Values {
  const { agents } = values;
  if (!isRecord(agents)) return values;
  const entries = Object.entries(agents).map(([name, entry]) => {
    const kind = vendors.find((vendor) => vendor === name);
    return [name, isRecord(entry) && kind ? { kind, ...entry } : entry];
  });
  return { ...values, agents: Object.fromEntries(entries) };
}

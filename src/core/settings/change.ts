/** A relay's settings when it resumes: what stays of an earlier run, and each change with its old and new value, and the origin. */
import { sourceOfValues } from "./env-and-flags.ts";
import { placeOf, settle } from "./layers.ts";
import { leaves, valueAt } from "./values.ts";
import { MonocoError } from "../error/error.ts";
import type { Settled } from "./layers.ts";
import type { Settings } from "./settings.ts";
import { t, translatable, translated } from "../language/translate.ts";

/** Length at which a value is cut. */
const valueCharsMax = 60;

/** The settings in force in a relay, with the place of each, as its journal has them. */
type InForce = {
  settings: Settings;
  origins?: Readonly<Record<string, string>> | undefined;
  /** The policy file of the command line. */
  policy?: string | undefined;
};

/** Settings that decide what may be merged, and what contains an agent. */
const guards = new Set(
  "gates reviewers review protected checks baseline signing sandbox network filters".split(" "),
);

/** Of the guards an earlier run's value stays only where it asks for more. */
function staysOf([first = "", second]: readonly string[], kept: unknown, now: unknown): boolean {
  if (!guards.has(first)) return true;
  if (first === "gates") return kept === "human" || kept === false;
  return first === "reviewers" && second !== undefined && Number(kept) > Number(now ?? 1);
}

/**
 * The settings `now`, below those that an earlier run of the relay set by flags, variables or a policy file. These stay until a flag or
 * variable names them again: no gate gets weaker because less is typed, and none because more was typed once. Throws `input`
 * where one of them is not allowed any more, and says that it was not typed now.
 */
export function withKept(now: Settled, { settings, origins = {}, policy }: InForce): Settled {
  const file = now.policy === undefined && policy !== undefined ? [`${policy}:`] : [];
  const ofRun = ["--", "MONOCO_", ...file];
  const kept = leaves(settings).flatMap((path) => {
    const key = path.join(".");
    const where = origins[key] ?? "";
    const from = now.origins[key]?.from;
    const value = valueAt(settings, path);
    if (from === "flag" || from === "environment" || !ofRun.some((one) => where.startsWith(one))) return [];
    if (!staysOf(path, value, valueAt(now.settings, path))) return [];
    return [{ path, value, origin: { from: "flag", where } as const }];
  });
  if (kept.length === 0) return now;
  const inForce = now.policy ?? policy;
  return {
    ...settledWith(kept, now.given),
    ...(inForce === undefined ? {} : { policy: inForce }),
  };
}

type Kept = Parameters<typeof sourceOfValues>[0];

/** The current sources are valid without the kept values, so an error here is about a kept value. */
function settledWith(kept: Kept, given: Settled["given"]): Settled {
  try {
    return settle([sourceOfValues(kept), ...given]);
  } catch (error) {
    if (!(error instanceof MonocoError) || typeof error.hint !== "string") throw error;
    const names = kept.map(({ path, origin }) =>
      origin.where === "--agent" ? "--agent NAME" : `--set ${path.join(".")}=…`,
    );
    throw new MonocoError("input", t`an earlier run of this relay set this: ${error.message}`, {
      hint: [t`set it anew on this command line: ${names.join(" ")}`, error.hint].join("; "),
      cause: error,
    });
  }
}

/** Changes such as `limits.sessionsMax 5 (was 30; --set)`, in order of the keys. */
export function settingsChanged(before: Settings, now: Settled): string[] {
  const keys = new Map([...leaves(now.settings), ...leaves(before)].map((path) => [path.join("."), path]));
  return [...keys].flatMap(([key, path]) => {
    const [was, is] = [valueAt(before, path), valueAt(now.settings, path)].map((value) =>
      inWords(value, unset),
    );
    if (was === is) return [];
    if (path[0] === "agents" && path[2] === "env") return [`${key} changed`];
    const origin = now.origins[key];
    // A default that comes with another setting was nobody's choice.
    if (!origin && valueAt(before, path) === undefined) return [];
    return [`${key} ${is} (was ${was}; ${origin ? placeOf(origin) : "default"})`];
  });
}

/** The text for an unset value in journals. */
const unset = translatable("not set");

/** A setting's value as text: strings verbatim, other values as JSON. */
export function inWords(value: unknown, ifUnset = translated(unset)): string {
  if (value === undefined) return ifUnset;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
}

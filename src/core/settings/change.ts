/** The changes to a relay's settings when it resumes: each key with its old and new value, and the origin. */
import { placeOf } from "./layers.ts";
import { leaves, valueAt } from "./values.ts";
import type { Settled } from "./layers.ts";
import type { Settings } from "./settings.ts";
import { translatable, translated } from "../language/translate.ts";

/** Length at which a value is cut. */
const valueCharsMax = 60;

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

/** What is different in a relay's settings when it goes on: each key with its old and new value, and who set it. */
import { placeOf } from "./layers.ts";
import { leaves, valueAt } from "./values.ts";
import type { Settled } from "./layers.ts";
import type { Settings } from "./settings.ts";
import { translatable, translated } from "../language/translate.ts";

/** A value is told up to here. */
const valueCharsMax = 60;

/** `limits.sessionsMax 5 (was 30; --set)`, in the order of the keys. */
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

/** As journals have it. */
const unset = translatable("not set");

/** A setting's value in words: a text as it stands, all else as JSON. */
export function inWords(value: unknown, ifUnset = translated(unset)): string {
  if (value === undefined) return ifUnset;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
}

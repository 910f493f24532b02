/** Who did something, with the name that a person from elsewhere gave. */
import { named } from "../language/names.ts";
import { t, translatable, translated } from "../language/translate.ts";
import { plainLine } from "../text/sanitize.ts";
import type { Via } from "./events/fields.ts";

export function byWords({ by, via }: { by: string; via?: Via | undefined }): string {
  return `${named(by.replace("_", " "))}${viaNote(via)}`;
}

export function viaNote(via: Via | undefined): string {
  return via === undefined ? "" : t` (${plainLine(via.who, 80)}, ${translated(ways[via.by])})`;
}

/** A message that was not taken, whose it was, and why. */
export function refusedWords({ letter, via, why }: { letter: string; via: Via; why: string }): string {
  return t`${letter} of a ${byWords({ by: "person", via })}: ${why}`;
}

const ways = translatable({ ref: "through the remote", github: "on GitHub", gitlab: "on GitLab" });

/** The names of an issue: its id, and the file name made from its title. */
import { slugCharsMax } from "../limits.ts";

/** The only form of an id, since ids become paths and branch names. */
export const issueIdPattern = /^[A-Z]{1,24}-\d{4,12}$/;

/** The id that a person means, in any case and without leading zeros; undefined if `text` is not an id. */
export function idMeant(text: string): string | undefined {
  const [, prefix = "", digits = ""] = /^([A-Za-z]{1,24})-(\d{1,12})$/.exec(text) ?? [];
  return prefix === "" ? undefined : `${prefix.toUpperCase()}-${digits.padStart(4, "0")}`;
}

/** Whether the argument of `monoco run` is a request in plain language: not an id, and with white space or in a script without it. */
export function isText(given: string): boolean {
  const sentence = /\S\s+\S|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
  return idMeant(given.trim()) === undefined && sentence.test(given);
}

/** Possible issue ids in a branch's name, as in `monoco/FEAT-0001` or `feat-12-add-login`. */
export function idsInBranch(branch: string): string[] {
  const matches = branch.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{1,24}-\d{1,12}(?![A-Za-z0-9])/g);
  return [...new Set([...matches].map(([text]) => idMeant(text)!))];
}

/** The prefix of a loop's id. */
export const loopPrefix = "LOOP-";

/** A title as part of a file name: letters and digits of any script, lower case, joined by dashes. */
export function slugOf(title: string): string {
  const dashed = title
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
  const slug = Array.from(dashed.replace(/^-/, "")).slice(0, slugCharsMax).join("").replace(/-$/, "");
  return slug || "untitled";
}

/** What an issue is called: its id, and the file name that follows from its title. */
import { slugCharsMax } from "../limits.ts";

/** Ids become paths and branch names: this is all that they may be. */
export const issueIdPattern = /^[A-Z]{1,24}-\d{4,12}$/;

/** The id that a person means: in any case, and its number without leading zeros. Undefined for what is none. */
export function idMeant(text: string): string | undefined {
  const [, prefix = "", digits = ""] = /^([A-Za-z]{1,24})-(\d{1,12})$/.exec(text) ?? [];
  return prefix === "" ? undefined : `${prefix.toUpperCase()}-${digits.padStart(4, "0")}`;
}

/** Whether what `monoco run` was given is work in words: no id, with white space in it or in a script that has none. */
export function isText(given: string): boolean {
  const words = /\S\s+\S|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
  return idMeant(given.trim()) === undefined && words.test(given);
}

/** What in the name of a branch may be an issue's id, as in `monoco/FEAT-0001` or `feat-12-add-login`. */
export function idsInBranch(branch: string): string[] {
  const found = branch.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{1,24}-\d{1,12}(?![A-Za-z0-9])/g);
  return [...new Set([...found].map(([text]) => idMeant(text)!))];
}

/** The ids that loops get. */
export const loopPrefix = "LOOP-";

/** A title as part of a file name: letters and digits of any script, lower case, dashes. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
  const slug = Array.from(words.replace(/^-/, "")).slice(0, slugCharsMax).join("").replace(/-$/, "");
  return slug || "untitled";
}

/** The lines of a diff that add text which their file did not have. */
import type { FileDiff } from "../text/diff.ts";

/**
 * By file and number, the added lines with words that the removed lines do not have in the same order. Empty
 * lines, spaces, punctuation, and text that was moved or rewrapped add nothing. `contract`: the issue's own file, which
 * is not part of the work.
 */
export function linesAdded(diff: readonly FileDiff[], contract: string): Map<string, Map<number, string>> {
  const others = diff.filter(({ path }) => path !== contract);
  return new Map(
    others.map(({ path, blocks }) => {
      const before = blocks.map(({ removed }) => wordsOf(removed.map(({ text }) => text).join("\n")));
      const said = blocks
        .flatMap(({ added }) => added)
        .filter(({ text }) => {
          const content = wordsOf(text);
          return content.trim() !== "" && !before.some((one) => one.includes(content));
        });
      return [path, new Map(said.map(({ line, text }) => [line, text]))];
    }),
  );
}

/** The letters and digits of a text, with one space between words and at both ends. */
function wordsOf(text: string): string {
  return ` ${(text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `;
}

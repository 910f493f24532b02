/** Which lines of a diff say something that their file did not say before. */
import type { FileDiff } from "../text/diff.ts";

/**
 * The added lines, by their numbers, that have words, in another order than the file's removed lines had them, by file. An empty
 * line, a space, a mark, and text that only moved or was wrapped anew document nothing. `contract`: the issue's own file, which
 * is not the work.
 */
export function linesAdded(diff: readonly FileDiff[], contract: string): Map<string, Map<number, string>> {
  const others = diff.filter(({ path }) => path !== contract);
  return new Map(
    others.map(({ path, blocks }) => {
      const before = blocks.map(({ removed }) => wordsOf(removed.map(({ text }) => text).join("\n")));
      const said = blocks
        .flatMap(({ added }) => added)
        .filter(({ text }) => {
          const words = wordsOf(text);
          return words.trim() !== "" && !before.some((one) => one.includes(words));
        });
      return [path, new Map(said.map(({ line, text }) => [line, text]))];
    }),
  );
}

/** Letters and digits, a space between two words and at both ends. */
function wordsOf(text: string): string {
  return ` ${(text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `;
}

/** The edit of a mutant. */
import type { Mutant } from "./row.ts";

/** Undefined where the text to be found does not stand there exactly once, or nothing would change. */
export function edited(
  text: string,
  { find, replace }: Pick<Mutant, "find" | "replace">,
): string | undefined {
  const parts = text.split(find);
  return parts.length === 2 && find !== replace ? parts.join(replace) : undefined;
}

/** What comes out of a session's clone, and what the next one gets. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const looked = mutantsOf("src/git/trees.ts", "test/git/trees.test.ts", [
  ["no two trees in a row are of one second", "giveOwnSecond(folder, written);", ""],
]);

export const sessions: readonly Mutant[] = [...looked];

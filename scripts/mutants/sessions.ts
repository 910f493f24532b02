/** What comes out of a session's clone, and what the next one gets. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const kept = mutantsOf("src/git/clone/kept-index.ts", "test/git/kept-index.test.ts", [
  [
    "an index that was put in the kept one's place is not used",
    "undefined) === kept.state",
    'undefined) !== ""',
  ],
  ["of files in memory no index is kept", "  if (!timesTell(workspace)) return;\n", ""],
]);

const looked = mutantsOf("src/git/trees.ts", "test/git/trees.test.ts", [
  ["no two trees in a row are of one second", "giveOwnSecond(folder, written);", ""],
]);

export const sessions: readonly Mutant[] = [...kept, ...looked];

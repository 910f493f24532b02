/** What comes out of a session's clone, and what the next one gets. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const packed = mutantsOf("src/git/clone/fetch-session.ts", "test/git/packed-session.test.ts", [
  ["all that a session's commits name is there", '"rev-list", "--objects", ', '"rev-list", '],
  ["a session's objects are well formed", '"--stdin", "--strict", ', '"--stdin", '],
  ["the name of a branch is no order to git", "if (moved && arePlain &&", "if (moved &&"],
]);

const next = mutantsOf("src/git/clone/workspace.ts", "test/git/workspace.test.ts", [
  [
    "a .git made beforehand counts where nothing has moved",
    "prepared.get(folder) === parts",
    "prepared.has(folder)",
  ],
]);

export const sessions: readonly Mutant[] = [...packed, ...next];

/** What comes out of a session's clone, and what the next one gets. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const packed = mutantsOf("src/git/clone/fetch-session.ts", "test/git/packed-session.test.ts", [
  ["a session's objects are well formed", '"--stdin", "--strict", ', '"--stdin", '],
  ["the name of a branch is no order to git", "if (moved && arePlain &&", "if (moved &&"],
]);

const whole = mutantsOf("src/git/objects/whole-pack.ts", "test/git/packed-session.test.ts", [
  ["all that a session's commits name is there", "objects.has(name) || known.has(name)", 'name !== ""'],
  ["where monoco cannot tell, git walks", '"rev-list", "--objects", ', '"rev-list", '],
]);

const kept = mutantsOf("src/git/clone/kept-index.ts", "test/git/kept-index.test.ts", [
  [
    "an index that was put in the kept one's place is not used",
    "undefined) === kept.state",
    'undefined) !== ""',
  ],
  ["of files in memory no index is kept", "  if (!timesTell(workspace)) return;\n", ""],
]);

const next = mutantsOf("src/git/clone/workspace.ts", "test/git/workspace.test.ts", [
  [
    "a .git made beforehand counts where nothing has moved",
    "prepared.get(folder) === parts",
    "prepared.has(folder)",
  ],
]);

export const sessions: readonly Mutant[] = [...packed, ...whole, ...kept, ...next];

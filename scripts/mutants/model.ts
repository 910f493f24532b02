/** What the model of late letters notices: `npm run torture -- --only model`. */
import type { Mutant } from "./row.ts";

const noticed = { test: "test/torture/model.test.ts", title: "the laws hold" } as const;

export const model: readonly Mutant[] = [
  {
    rule: "a letter that comes again is known",
    file: "src/core/journal/state.ts",
    find: "if (event.messageId)",
    replace: "if (event.messageId && event.seq < 0)",
    ...noticed,
  },
  {
    rule: "a relay that is stopped stays so",
    file: "src/core/relay/decide.ts",
    find: "    halted(state) ??\n    preparedMerge",
    replace: "    preparedMerge",
    ...noticed,
  },
];

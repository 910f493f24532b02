/** All targets of the fuzzer. */
import { saidByAgents } from "./answers.ts";
import { fromGit } from "./diffs.ts";
import { documents } from "./documents.ts";
import { journals } from "./journals.ts";
import { fromAgents } from "./streams.ts";
import type { Target } from "./target.ts";

export const targets: readonly Target[] = [
  ...documents,
  ...fromAgents,
  ...saidByAgents,
  ...fromGit,
  ...journals,
];

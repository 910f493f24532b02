/** What crash points, kill storms and strains on resources notice: each starts the built program. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const crashPoints = [
  ...mutantsOf("src/git/landing.ts", "lab/test/torture/crash-points.test.ts", [
    [
      "a merge that has landed is known by its commit",
      "return isAncestor(git, commit, `refs/heads/${base}`);",
      'return base === "" && isAncestor(git, commit, `refs/heads/${base}`);',
    ],
  ]),
  ...mutantsOf("src/core/relay/decide.ts", "lab/test/torture/crash-points.test.ts", [
    [
      "a session that has no end in the journal is recovered",
      "  if (running) {",
      "  if (running && running.session > 1) {",
    ],
    ["a merge that was prepared is settled first", "    preparedMerge(state) ??\n", ""],
  ]),
  ...mutantsOf("src/relay/landing/merge.ts", "lab/test/torture/crash-points.test.ts", [
    [
      "a merge is in the journal before the base moves",
      "  relay.record(prepared);\n  return prepared;",
      `  const moved = await moveBase(git, { base, commit, expected: expectedBase });
  relay.record(prepared);
  if (!moved.moved) return prepared;
  await finish(relay, prepared);
  return "settled";`,
    ],
  ]),
].map((row) => ({ ...row, title: "killed as it was going to write" }));

const fullDisks = mutantsOf("src/store/journal.ts", "lab/test/torture/crash-points.test.ts", [
  [
    "an event that the disk has no room for is not acknowledged",
    "  } catch (cause) {\n    throw",
    '  } catch (cause) {\n    if ((cause as NodeJS.ErrnoException).code !== "ENOSPC") throw',
  ],
]).map((row) => ({ ...row, title: "or says that the disk is full" }));

const killStorms = [
  ...mutantsOf("src/store/lock.ts", "lab/test/torture/kill-storms.test.ts", [
    [
      "a lock that another holds is not taken",
      'if (!takes(fd, how === "alone")) {',
      'if (!takes(fd, how === "alone") && fd < 0) {',
    ],
  ]),
].map((row) => ({ ...row, title: "two runs of one issue" }));

const orphans = mutantsOf("src/agents/containment.ts", "lab/test/torture/kill-storms.test.ts", [
  ["a session ends with its runner", "--pdeathsig KILL -- unshare", "--pdeathsig CHLD -- unshare"],
]).map((row) => ({ ...row, title: "nothing of a session is left" }));

const resources = [
  {
    rule: "a line is kept up to its limit",
    find: "if (size < lineBytesMax) parts.push(part.subarray(0, lineBytesMax - size));",
    replace: "parts.push(part);",
    title: "a line of 100 MB",
  },
  {
    rule: "of standard error the end is kept",
    find: "chunk.subarray(-2_000)]).subarray(-2_000)",
    replace: "chunk])",
    title: "55 MB of stderr",
  },
].map((row) => ({ ...row, file: "src/agents/output.ts", test: "lab/test/torture/resources.test.ts" }));

export const torture: readonly Mutant[] = [
  ...crashPoints,
  ...fullDisks,
  ...killStorms,
  ...orphans,
  ...resources,
].map((row) => ({
  ...row,
  built: true,
}));

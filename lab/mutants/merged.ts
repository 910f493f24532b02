/** Who made a merged line, and which merges turned out to be wrong. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const lines = mutantsOf("src/core/report/lineage.ts", "test/core/report/why.test.ts", [
  [
    "what the base had is the base's",
    "parents.filter((parent) => parent !== head),",
    "parents.filter(() => false),",
  ],
  [
    "what people committed before a session is theirs",
    "walk(graph, [session.started.head, ...(before?.wip ? [before.wip] : [])], seen);",
    "",
  ],
  [
    "what is older than its session is not the session's",
    "committedAtS >= Math.floor(startedAtMs / 1000)",
    "true",
  ],
]);

const guards = mutantsOf("src/core/report/why.ts", "test/core/report/why.test.ts", [
  [
    "what is added lies behind the line that git names",
    "before.line + 1 : before.line;",
    "before.line : before.line;",
  ],
  ["a change that was replaced guards nothing", "if (line < start + before.count) return undefined;", ""],
  [
    "a name within another is no name of it",
    "word === path ||",
    "text.includes(path) || text.includes(name) ||",
  ],
]);

const escapes = mutantsOf("src/core/report/escapes.ts", "test/core/report/escapes.test.ts", [
  [
    "an escape is counted within its days",
    "atMs <= event.atMs + escapeDays",
    "atMs <= event.atMs + 99 * escapeDays",
  ],
  ["a revert that was reverted is none", "!undone.some((hash) => commit.startsWith(hash))", "true"],
  ["a mark is of the merge before it", "next < 0 ? events : events.slice(0, next)", "events"],
  ["too few merges have no share", "merges.length >= shareMergesMin", "true"],
  ["a longer id is another issue", "${issue}(?![\\\\w-])`", "${issue}`"],
]);

export const merged: readonly Mutant[] = [...lines, ...guards, ...escapes];

/** What a push to a remote and a pull from it never overwrite, and what never leaves. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const leases = mutantsOf("src/git/carry/remote.ts", "test/git/carry.test.ts", [
  [
    "a lease names its commit, so a fetch in the background changes nothing",
    "--force-with-lease=${ref}:${from}",
    "--force-with-lease=${ref}",
  ],
  ["the refs of a relay move together", 'how.unshift("--atomic")', "how.unshift()"],
]);

const sides = mutantsOf("src/core/carry/sides.ts", "test/core/carry/sides.test.ts", [
  [
    "a ref that moved on both sides is nobody's to take",
    ': "both";\n}\n\n/** The side of a relay',
    ': "here";\n}\n\n/** The side of a relay',
  ],
  ["only what was seen there may be replaced", 'if (there === seen) return "here";', 'return "here";'],
  ["a relay of which both went on is of both", 'return others.length > 0 ? "both" : one;', "return one;"],
]);

const carried = mutantsOf("src/core/carry/sides.ts", "test/commands/carry.test.ts", [
  [
    "sessions go only where it is asked for",
    'return carry.includes(of === "wip" ? "wip" : "sessions");',
    'return of !== "wip" || carry.includes("wip");',
  ],
]).map((row) => ({ ...row, title: "by default no words" }));

const scans = mutantsOf("src/app/carry/push.ts", "test/commands/carry.test.ts", [
  ["a relay with a secret stays", "if (found.length > 0) return", "if (found.length > 99) return"],
]).map((row) => ({ ...row, title: "a secret in what would leave" }));

const pulled = mutantsOf("src/core/journal/events/relay.ts", "test/core/carry/heard.test.ts", [
  ["nothing of a pulled journal is in force", "{ cleared: true, pulled: remote }", "{ pulled: remote }"],
]);

export const carry: readonly Mutant[] = [...leases, ...sides, ...carried, ...scans, ...pulled];

/** Whose words of a pull request count, and when its work is touched again. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const looks = mutantsOf("src/core/pulls/look.ts", "test/core/pulls/look.test.ts", [
  [
    "only those who may write ask for changes",
    '["OWNER", "MEMBER", "COLLABORATOR"].includes(',
    "![].includes(",
  ],
  ["a resolved thread is over", "if (isResolved) return [];", ""],
  ["an approval settles what its author wrote before", "if (approvedSince) return [];", ""],
  ["a check is what it was last", "? -1 : 1));", "? 1 : -1));"],
]);

const findings = mutantsOf("src/core/pulls/findings.ts", "test/core/pulls/judge.test.ts", [
  ["a remark is a finding once", "writes && !taken.has(id)", "writes"],
  ["a stranger's remark is none", "writes && !taken.has(id)", "!taken.has(id)"],
  ["a red check is a finding once a commit", "-${head.slice(0, 12)}`;", "`;"],
  ["red checks wait for the others", 'if (checks.some(({ is }) => is === "pending")) return [];', ""],
]);

const judges = mutantsOf("src/core/pulls/judge.ts", "test/core/pulls/judge.test.ts", [
  ["commits of others block", "if (look.head !== pull.commit) return", "if (false) return"],
  ["closed there is cancelled here", 'if (look.state === "closed")', "if (false)"],
]);

export const pulls: readonly Mutant[] = [...looks, ...findings, ...judges];

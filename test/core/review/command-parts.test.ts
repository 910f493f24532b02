/** Which parts of a command show behaviour, and which only read. */
import { expect, test } from "vitest";
import { withoutReading } from "../../../src/core/review/command-parts.ts";

const changed = ["README.md", "src/old.js"];

test.for<[string, string]>([
  ["grep -q shares README.md && node --test", "node --test"],
  ["test ! -e src/old.js && cd web && npm test", "cd web && npm test"],
  ["cat README.md | grep -q 'a && b' && node --test", "node --test"],
  ["node --test && grep -q shares README.md", "node --test"],
])("what only reads is left out: %s", ([command, left]) => {
  expect(withoutReading(command, changed)).toBe(left);
});

test.for([
  "node --test",
  "sh total.sh 1 2 && grep -q 3 total.txt",
  "cat src/a.mjs > b.mjs && node b.mjs",
  "sed -i s/1/2/ a.mjs && node a.mjs",
  "git checkout -q HEAD~1 -- src && node --test",
  "cd web && npm test",
  '. ./till.sh && [ "$(discount 200 10)" = 180 ]',
  "grep -q a README.md && node a.js || node b.js",
  "grep -q a README.md && node a.js; node b.js",
  "grep -q a README.md && node a.js & wait",
])("what others need, or what is no plain row, stays: %s", (command) => {
  expect(withoutReading(command, changed)).toBe(command);
});

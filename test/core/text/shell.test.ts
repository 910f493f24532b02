/** Which commands end with the exit status of the last command of a pipe. */
import { expect, test } from "vitest";
import * as fc from "fast-check";
import { endsByPipe } from "../../../src/core/text/shell.ts";

test.for([
  "npm test | tee log",
  "npm test 2>&1 | tee log",
  "npm test |& tee log",
  "npm test |\n  tee log\n",
  "npm test \\\n  | tee log",
  "npm test|tee log",
  "cd web && npm test | tee log",
  "npm test | tee log && npm run lint",
  "npm test | tee log || exit 1",
  "npm ci; npm test | tee log",
  "npm ci\nnpm test | tee log # keep it\n",
  "(echo 3 tests failed; exit 1) | tee test.log",
  "(cd web && npm test | tee log)",
  "{ npm test | tee log; }",
  "for each in a b; do sh $each | tee log; done",
  "for each in a b; do sh $each; done | tee log",
  "npm test -- 'a|b' | tee log",
  'npm test -- "$(echo "a|b")" | tee log',
  "echo a | node cli.js | tee log",
  "node server.js & npm test | tee log",
  "# don't\nnpm test | tee log",
])("a failure before its pipe is lost: %j", (command) => {
  expect(endsByPipe(command)).toBe(true);
});

test.for([
  "npm test",
  "npm test || npm run test:again",
  "npm test || \\\n npm run again",
  "npm test -- -t 'a|b'",
  'npm test -- -t "a|b"',
  "npm test -- -t a\\|b",
  'test "$(npm test | tail -1)" = ok',
  "test $(npm test | tail -1) = ok",
  "test `npm test | tail -1` = ok",
  "diff <(sort a | uniq) b",
  'test "$(sed -n "s/a | b/(/p" x | wc -l)" = 1',
  "npm test | tee log; test ${PIPESTATUS[0]} -eq 0",
  "npm test | tee log && test ${PIPESTATUS[0]} -eq 0",
  "npm test | tee log; grep -q '^ok' log",
  "npm test | tee log\ngrep -q '^ok' log\n",
  "set -o pipefail; npm test | tee log",
  "bash -o pipefail -c 'npm test | tee log'",
  "npm test >| log",
  "npm test &> log",
  "[[ $a =~ b|c ]]",
  "echo $((1 | 2))",
  "test ${a:-b|c} = b",
  "npm test # | tee log",
  "printf '2\\n1\\n' | node sort.js",
  "cat in.txt | node sort.js",
  "if npm test | grep -q FAIL; then exit 1; fi",
  "npm test && echo '|'",
  "",
])("nothing is lost: %j", (command) => {
  expect(endsByPipe(command)).toBe(false);
});

test("any text is read, in a time that grows with its length", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."|&;()[]{}'\"`\\$# \nab".split("")) }),
      (text) => void endsByPipe(text),
    ),
  );
  for (const part of ["(", "$(", "[", '"$(', "|", "| ", "\n", "a | b;"]) endsByPipe(part.repeat(100_000));
});

/** The review gate with the real CLIs: verdicts by schema or in words, one refused for want of evidence, one that does not reproduce, two rounds, a merge. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test as base } from "vitest";
import { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { installedDirs } from "./installed.ts";
import { endsOf, issue, makeStoryPlace, probe, shellTurn, whole, wrong } from "./story.ts";
import { full } from "../../test/support/full.ts";

/** What may be listed, by its id; what is not is left out. */
const answers = ["W1", "W2"].map((id) => ({ id, text: "the issue asks for it" }));

const evidence = (criterion: number, exitCode = 0): object => ({
  criterion,
  result: "met",
  command: probe,
  exitCode,
});

describe.for(kinds)("%s", (kind) => {
  // The others review in the stories.
  const test = (kind === "codex" ? base : full).skipIf(!installedDirs[kind]);
  const vendor = vendors[kind];
  const { verdict } = vendor;
  const submits = (command: string) => [
    shellTurn(vendor, `${command}; monoco issue submit`, 20_000),
    { text: "Submitted." },
  ];

  test("an approval without evidence goes back to the Reviewer, so does one that does not reproduce; two rounds, then the merge", async () => {
    const place = await makeStoryPlace(vendor, [
      { match: "You are session 1 of its relay", turns: submits(wrong) },
      // Each Reviewer is asked once more in the conversation that it had.
      {
        match: /You are the Reviewer[^]*Submission 1,/,
        turns: [
          verdict({
            verdict: "approve",
            criteria: [{ criterion: 1, result: "met", command: "npm test", exitCode: 0 }],
            probes: [],
            findings: [],
          }),
          verdict({
            verdict: "request_changes",
            criteria: [{ criterion: 2, result: "not_met", command: probe, exitCode: 1 }],
            probes: [{ command: probe, exitCode: 1 }],
            findings: [],
          }),
        ],
      },
      { match: "You are session 4 of its relay", turns: submits(whole) },
      {
        match: /You are the Reviewer[^]*Submission 2,/,
        turns: [
          verdict({
            verdict: "approve",
            criteria: [evidence(1), evidence(2, 3)],
            probes: [{ command: probe, exitCode: 0 }],
            findings: [],
          }),
          verdict({
            verdict: "approve",
            criteria: [evidence(2)],
            probes: [],
            findings: [],
            answers,
            summary: "Both were run",
          }),
        ],
      },
    ]);
    const ran = await place.monoco("run", issue);
    const events = eventsOf(place.project, issue);
    expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
      [1, "submitted"],
      [2, "decided"],
      [3, "decided"],
      [4, "submitted"],
      [5, "decided"],
      [6, "decided"],
    ]);
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(
      events.flatMap((event) => (event.type === "review.refused" ? [[event.session, event.why]] : [])),
    ).toEqual([
      [
        2,
        [
          expect.stringMatching(/^criterion 2 .*: no evidence$/),
          expect.stringMatching(/^no probe of its own/),
        ],
      ],
      [5, [expect.stringMatching(/^criterion 2 .* does not reproduce: exit status 0, not 3$/)]],
    ]);
    const [changes, approval] = events.flatMap((event) => (event.type === "review.decided" ? [event] : []));
    expect(changes).toMatchObject({
      submission: 1,
      session: 3,
      verdict: "request_changes",
      // What the first verdict said of the other stands.
      criteria: [{ criterion: 1 }, { criterion: 2, result: "not_met", reproduced: true }],
      findings: [{ severity: "blocker", criterion: 2, holds: true }],
    });
    expect(approval).toMatchObject({
      submission: 2,
      session: 6,
      verdict: "approve",
      criteria: [
        { criterion: 1, result: "met", reproduced: true },
        { criterion: 2, result: "met", reproduced: true },
      ],
      probes: [{ reproduced: true }],
    });
    // The finding reached a fresh Executor.
    const prompts = place.model.requests.map(({ prompt }) => prompt);
    expect(prompts.find((prompt) => prompt.includes("You are session 4 of its relay"))).toContain(
      "the sum of nothing is 0",
    );
    const file = readFileSync(join(place.project, "issues", `${issue}-sum.md`), "utf8");
    expect(file).toMatch(/^status: closed$/m);
    expect(existsSync(join(place.project, "sum.js"))).toBe(true);
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });

  base.skipIf(!installedDirs[kind])(
    "an honest piece of work merges at once by what a plain Reviewer names",
    { timeout: 120_000 },
    async () => {
      const test = `cat > sum-of-nothing.test.js <<'END'
import { test } from "node:test";
import assert from "node:assert/strict";
import { sum } from "./sum.js";
test("nothing, and what is no number", () => assert.deepEqual([sum([]), sum([1, "2", "x"])], [0, 3]));
END
git add -A; git commit -qm "${issue} Test it"`;
      const place = await makeStoryPlace(vendor, [
        { match: "You are session 1 of its relay", turns: submits(`${whole}; ${test}`) },
        {
          match: "You are the Reviewer",
          turns: [
            verdict({
              verdict: "approve",
              criteria: [1, 2].map((criterion) => ({
                criterion,
                result: "met",
                command: "npm test",
                exitCode: 0,
              })),
              probes: [{ command: probe, exitCode: 0 }],
              findings: [],
            }),
          ],
        },
      ]);
      const ran = await place.monoco("run", issue);
      expect(endsOf(eventsOf(place.project, issue)), ran.stdout + ran.stderr + place.unmatched()).toEqual([
        [1, "submitted"],
        [2, "decided"],
      ]);
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    },
  );
});

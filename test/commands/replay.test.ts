/** monoco replay, on the journals of real runs. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { approves, commit, openPlace, run, waitFor, works } from "../support/place.ts";
import type { Story } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const tick = run("sed -i 's/- \\[ \\]/- [x]/' issues/*.md");
/** Says that it is done, with every box ticked, and never submits. */
const saysDone = [{ write: { "file.js": "text\n" } }, tick, commit, { say: "The work is done." }];
const adds = [{ write: { "more.js": "more\n" } }, commit, { say: "All done. Nothing left to do." }];
const story: Story = { executor: [saysDone, adds], reviewer: [approves] };

it("two policies side by side on a recorded relay: what each would have decided, and by what turned out right", async () => {
  const place = await openPlace(story);
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("signal.scored").map(({ total, finished }) => [total, finished])).toEqual([
    [0.4, false],
    [0.65, true],
  ]);
  place.write("quick.yaml", "exit: { doneSessions: 1 }\n");
  place.write("slow.yaml", "exit: { doneSessions: 3 }\n");

  const told = await place.monoco("replay", "FEAT-0001", "--policy", "quick.yaml", "--policy", "slow.yaml");
  expect(told).toMatchObject({ exitCode: 0, stderr: "" });
  expect(told.stdout).toMatch(/after session 1 {2}go on {5}submit {6}go on\n/);
  expect(told.stdout).toMatch(/after session 2 {2}submit {4}unknown {5}go on\n/);
  expect(told.stdout).toContain("session 2 was done (approved)");

  const data = await place.monoco("replay", "--policy", "quick.yaml", "--policy", "slow.yaml", "--json");
  const { scores } = JSON.parse(data.stdout) as { scores: { name: string; score: object }[] };
  expect(scores).toMatchObject([
    { name: "recorded", score: { relays: 1, differing: 0, labels: { right: 1 }, sessions: 4 } },
    { name: "quick.yaml", score: { differing: 1, labels: { unknown: 1 }, sessions: 1 } },
    { name: "slow.yaml", score: { differing: 1, labels: { too_late: 1 }, sessions: 2 } },
  ]);

  // The same journals from somewhere else, with a person's word on them.
  const labelled = await place.sandbox.monoco(
    [
      "replay",
      "--policy",
      join(place.project, "quick.yaml"),
      "--label",
      "FEAT-0001=not-done",
      "--json",
    ].concat("--journals", place.project),
    { cwd: place.around },
  );
  expect(labelled).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(labelled.stdout)).toMatchObject({
    relays: [{ issue: "FEAT-0001", labels: [{ session: 2, truth: "not_done", source: "person" }] }],
    scores: [{ score: { prematureExits: 1 } }, {}],
  });
});

test("a mistake is exit code 2 with its place", async () => {
  const place = await openPlace({ executor: [[waitFor("never")], works], reviewer: [approves] });
  place.write("p.yaml", "exit:\n  doneSession: 1\n");
  place.write("good.yaml", "exit: { doneSessions: 1 }\n");
  const refused = async (words: RegExp, ...args: string[]): Promise<void> =>
    expect(await place.monoco("replay", ...args)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(words),
    });
  await refused(/^error: monoco replay takes --policy FILE/);
  await refused(
    /^error: p\.yaml:2: exit\.doneSession: .*\nhint: did you mean exit\.doneSessions\?/,
    "--policy",
    "p.yaml",
  );
  await refused(/^error: --policy: no such policy file: gone\.yaml\n/, "--policy", "gone.yaml");
  await refused(/^error: FEAT-0001 has no open relay/, "FEAT-0001", "--policy", "good.yaml");
  await refused(
    /^error: issues: expected a folder with a journal/,
    "--policy",
    "good.yaml",
    "--journals",
    "issues",
  );
  await refused(/^error: --label FEAT-0001=maybe: /, "--policy", "good.yaml", "--label", "FEAT-0001=maybe");
});

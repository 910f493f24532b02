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

it("a policy on a recorded relay: what it would have decided, and why", async () => {
  const place = await openPlace(story);
  expect(await place.monoco("run", "FEAT-0001")).toMatchObject({ exitCode: 0 });
  expect(place.all("signal.scored").map(({ total, finished }) => [total, finished])).toEqual([
    [0.4, false],
    [0.65, true],
  ]);
  place.write("quick.yaml", "exit: { doneSessions: 1 }\n");
  const told = await place.monoco("replay", "FEAT-0001", "--policy", "quick.yaml");
  expect(told).toMatchObject({ exitCode: 0, stderr: "" });
  expect(told.stdout).toMatch(/after session 1 {2}go on {5}submit\n/);
  expect(told.stdout).toMatch(/after session 2 {2}submit {4}unknown\n/);
  expect(told.stdout).toMatch(/\nquick\.yaml decides otherwise in 1 of 1 relay$/);

  // The same journals from somewhere else.
  const args = ["replay", "--policy", join(place.project, "quick.yaml"), "--json"];
  const data = await place.sandbox.monoco([...args, "--journals", place.project], { cwd: place.around });
  expect(data).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(data.stdout)).toMatchObject({
    policy: "quick.yaml",
    relays: [{ issue: "FEAT-0001", differs: { session: 1, recorded: "go_on", would: "submit" } }],
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
  await refused(/^error: required option/);
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
});

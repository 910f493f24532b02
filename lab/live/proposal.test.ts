/** monoco run "some text" with each vendor's real CLI: it reads a clone of the base, and its answer, by schema where it has one, is the issue. */
import { expect, test as base } from "vitest";
import { parseIssue } from "../../src/index.ts";
import { vendors } from "../../src/probe/vendors.ts";
import { processesOf } from "../../test/support/cli.ts";
import { installedDirs } from "./installed.ts";
import { inForm, makeStoryPlace, shellTurn } from "./story.ts";

const proposal = {
  title: "The sum of words is refused",
  type: "fix",
  objective: "Whoever sums words is told so.",
  criteria: [{ kind: "behaves", text: "`sum(['a'])` throws" }],
  checks: [],
};

for (const name of ["claude", "codex", "gemini", "opencode"] as const) {
  base.skipIf(!installedDirs[name])(`${name} proposes an issue for a text`, async () => {
    const vendor = vendors[name];
    const place = await makeStoryPlace(vendor, [
      {
        match: "You write the issue that another session will be given",
        turns: [shellTurn(vendor, "cat sum.js", 9_000), inForm(vendor, proposal)],
      },
    ]);
    const before = await place.sandbox.git(place.project, "rev-parse", "HEAD");
    const ran = await place.monoco("run", "Refuse to sum words");
    expect(ran.exitCode, ran.stdout + ran.stderr + place.unmatched()).toBe(2);
    expect(parseIssue(ran.stdout, "FIX-0001.md"), ran.stderr).toMatchObject({
      id: "FIX-0001",
      title: proposal.title,
      criteria: [{ text: "(behaves) `sum(['a'])` throws" }],
    });
    expect(ran.stderr).toContain("monoco run 'Refuse to sum words' --yes commits this very issue");
    // One session of two turns: it was asked once, and let stop.
    expect(place.model.requests.filter(({ conversation }) => conversation >= 0)).toHaveLength(2);
    expect(await place.sandbox.git(place.project, "rev-parse", "HEAD")).toBe(before);
    expect(await place.sandbox.git(place.project, "status", "--porcelain")).toBe("");
    expect(processesOf(place.sandbox.folder)).toEqual([]);
  });
}

/** finish.comment: what was merged is told on the GitHub issue that it came from; a stand-in for gh answers for GitHub. */
import { expect, it } from "vitest";
import type { Ran } from "../support/cli.ts";
import { githubIssue, standInGh } from "../support/gh.ts";
import type { StandInGh } from "../support/gh.ts";
import { approves, issuePath, issueText, openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const works = [
  { run: 'echo done > "$MONOCO_ISSUE.txt" && git add -A && git commit -qm work' },
  { submit: true },
];

type With = { place: Place; gh: StandInGh; monoco(...args: string[]): Promise<Ran> };

/** FEAT-0001 is imported from #12, FEAT-0002 is the person's own. */
async function placeWithImported(settings: string): Promise<With> {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    { issues: [], files: { [issuePath("FEAT-0002")]: issueText("FEAT-0002") }, settings },
  );
  const body = "A file.\n\n## Acceptance criteria\n- [ ] the @file is there\n";
  const gh = standInGh(place.sandbox, [githubIssue(12, "Write a file", { body })]);
  const monoco = (...args: string[]): Promise<Ran> =>
    place.sandbox.monoco(args, { cwd: place.project, env: gh.env });
  const imported = await monoco("import", "github", "12", "--json");
  expect(JSON.parse(imported.stdout)).toMatchObject({ steps: [{ id: "FEAT-0003" }] });
  await place.sh("git add -A && git commit -qm Import");
  return { place, gh, monoco };
}

const bodies = (gh: StandInGh): string[] => (gh.issues()[0]!.comments ?? []).map(({ body }) => body);

it("a merge that is to be told of is told once, with the dossier, and only where the work came from GitHub", async () => {
  const { place, gh, monoco } = await placeWithImported("finish: { comment: true }");
  const ran = await monoco("run", "--all", "-j", "1");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  expect(ran.stdout).toContain("FEAT-0003  told on owner/name#12");
  const { commit } = place.all("merge.done", "FEAT-0003")[0]!;
  expect(bodies(gh)).toEqual([
    expect.stringContaining(`<!-- monoco FEAT-0003 ${commit} -->\nMerged into \`main\` as ${commit}.`),
  ]);
  expect(bodies(gh)[0]).toContain("approve");
  // Nobody is called by what an issue says, and nothing of this machine is told.
  expect(bodies(gh)[0]).not.toMatch(/(?<!\\)@file/);
  expect(bodies(gh)[0]).not.toContain(place.project);
  expect(gh.calls().filter(([, verb]) => verb === "comment")).toEqual([
    ["issue", "comment", "12", "--repo", "owner/name", "--body-file", expect.any(String)],
  ]);
  expect(await monoco("run", "FEAT-0003")).toMatchObject({ exitCode: 0 });
  expect(bodies(gh)).toHaveLength(1);
});

test("a comment that cannot be posted costs nothing but itself: the merge stands, and the next run posts it", async () => {
  const { place, gh, monoco } = await placeWithImported("finish: { comment: true }");
  gh.be("down");
  const ran = await monoco("run", "FEAT-0003");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  expect(place.all("merge.done", "FEAT-0003")).toHaveLength(1);
  expect(ran.stdout).toContain(
    "merged, but that could not be told where it came from: gh issue view: GitHub cannot be reached: error connecting",
  );
  const byHand = /or by hand: (gh issue comment .*)$/m.exec(ran.stdout)?.[1];
  expect(byHand).toContain("gh issue comment 12 --repo owner/name --body-file ");
  gh.be("logged-out");
  const again = await monoco("run", "FEAT-0003");
  expect(again).toMatchObject({ exitCode: 0 });
  expect(again.stdout).toContain("gh is not logged in");
  expect(bodies(gh)).toEqual([]);
  gh.be("well");
  // The command that was told does what it says, and the next run finds that it is done.
  await place.sh(`PATH='${gh.env["PATH"]}' GH_FOLDER='${gh.env["GH_FOLDER"]}' ${byHand}`);
  expect(bodies(gh)).toHaveLength(1);
  expect(await monoco("run", "FEAT-0003")).toMatchObject({ exitCode: 0 });
  expect(bodies(gh)).toHaveLength(1);
});

test("without the setting nothing is posted, and gh is not called", async () => {
  const { gh, monoco } = await placeWithImported("");
  expect(await monoco("run", "FEAT-0003")).toMatchObject({ exitCode: 0 });
  expect(gh.calls()).toHaveLength(1);
  expect(await monoco("run", "FEAT-0003", "--set", "finish.comment=true")).toMatchObject({ exitCode: 0 });
  expect(bodies(gh)).toHaveLength(1);
});

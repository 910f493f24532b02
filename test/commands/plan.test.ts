/** monoco plan: what a worker can begin now, here and by the refs of the remote. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Lease } from "../../src/core/lease/lease.ts";
import { approves, issuePath, issueText, openPlace, run, works } from "../support/place.ts";
import { transcriptOf } from "../support/transcript.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { Clone, TwoClones } from "../support/two-clones.ts";

const story = { executor: [works], reviewer: [approves] };
type Matrix = { include: { issue: string; title: string; relay: string }[] };

const matrixOf = async (clone: Clone, args = "--remote"): Promise<string[]> => {
  const ran = await clone.monoco(`plan --json ${args}`);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return (JSON.parse(ran.stdout) as Matrix).include.map(({ issue }) => issue);
};

test("urgent issues come first; what is not open, or waits for another issue, is left out with its reason", async () => {
  const place = await openPlace(story, {
    issues: ["FEAT-0001"],
    files: {
      [issuePath("FEAT-0002")]: issueText("FEAT-0002", "priority: critical\n"),
      [issuePath("FEAT-0003")]: issueText("FEAT-0003", "dependencies: [FEAT-0001]\n"),
      [issuePath("FEAT-0004")]: issueText("FEAT-0004").replace("status: open", "status: backlog"),
      [issuePath("FEAT-0005")]: issueText("FEAT-0005", "dependencies: [FEAT-0009]\n"),
    },
  });
  const told = await transcriptOf(place.monoco, [
    ["plan"],
    ["plan", "--json"],
    ["plan", "--json", "--max", "1"],
    ["plan", "--ids"],
    ["plan", "FEAT-0003"],
    ["plan", "FEAT-0042", "--json"],
    ["plan", "no-id"],
  ]);
  expect(told).toMatchInlineSnapshot(`
    "$ monoco plan
    FEAT-0002  Write a file
    FEAT-0001  Write a file
    FEAT-0005  is left out: issues/FEAT-0005-write-a-file.md:6: FEAT-0005 depends on FEAT-0009, which main does not have
    FEAT-0003  is left out: it waits for FEAT-0001
    $ monoco plan --json
    {"include":[{"issue":"FEAT-0002","title":"Write a file","relay":"none"},{"issue":"FEAT-0001","title":"Write a file","relay":"none"}]}
    $ monoco plan --json --max 1
    {"include":[{"issue":"FEAT-0002","title":"Write a file","relay":"none"}]}
    $ monoco plan --ids
    FEAT-0002
    FEAT-0001
    $ monoco plan FEAT-0003
    nothing can begin now
    FEAT-0003  is left out: FEAT-0003 waits for FEAT-0001 (open, draft)
    $ monoco plan FEAT-0042 --json
    {"include":[]}
    $ monoco plan no-id
    ! error: "no-id" is not an issue's id
    ! hint: an id looks like FEAT-0001; monoco issue list shows those that are there
    exit 2"
  `);
});

test("a title is one short line of JSON, whatever its author wrote", async () => {
  const place = await openPlace(story);
  const title = `$(touch /tmp/x) \${{ secrets.KEY }} \`id\` ${"long ".repeat(60)}`;
  place.write(issuePath("FEAT-0001"), issueText("FEAT-0001").replace("Write a file", JSON.stringify(title)));
  await place.sh("git commit -qam title");
  const { stdout } = await place.monoco("plan", "--json");
  expect(stdout.split("\n")).toHaveLength(1);
  const [one] = (JSON.parse(stdout) as Matrix).include;
  expect(one!.title).toMatch(/^\$\(touch \/tmp\/x\) \$\{\{ secrets\.KEY \}\} `id` long/);
  expect(one!.title.length).toBeLessThanOrEqual(100);
});

test("more than 256 issues: the matrix has 256, and the most urgent ones are in it", async () => {
  const ids = Array.from({ length: 300 }, (_, at) => `FEAT-${String(at + 1).padStart(4, "0")}`);
  const place = await openPlace(story, {
    issues: [],
    files: Object.fromEntries(
      ids.map((id) => [issuePath(id), issueText(id, id === "FEAT-0300" ? "priority: high\n" : "")]),
    ),
  });
  const { include } = JSON.parse((await place.monoco("plan", "--json")).stdout) as Matrix;
  expect(include.map(({ issue }) => issue)).toEqual(["FEAT-0300", ...ids.slice(0, 255)]);
});

/** Pushes a lease as another machine would. */
async function lease({ a }: TwoClones, slot: string, minutesLeft: number, minutes = 45): Promise<void> {
  const one = {
    v: 1,
    issue: "FEAT-0001",
    slot,
    who: "maria",
    host: "laptop",
    attempt: 1,
    minutes,
    untilMs: Date.now() + minutesLeft * 60_000,
  } satisfies Lease;
  writeFileSync(join(a.folder, "..", "lease.json"), JSON.stringify(one));
  await a.sh(
    "git push -q -f origin $(git commit-tree $(git mktree < /dev/null) -F ../lease.json):refs/monoco/FEAT-0001/lease",
  );
}

test("by the remote: what somebody else holds is left out; a lease of its own CI job, one that is over, and what is no lease keep nothing out", async () => {
  const two = await openTwoClones(story, { issues: ["FEAT-0001", "FEAT-0002"] });
  const both = ["FEAT-0001", "FEAT-0002"];
  expect(await matrixOf(two.b)).toEqual(both);
  await lease(two, "clone 0123", 30);
  expect(await matrixOf(two.b)).toEqual(["FEAT-0002"]);
  expect((await two.b.monoco("plan --remote")).stdout).toContain(
    "FEAT-0001  is left out: maria on laptop works on it",
  );
  // Without --remote the remote is not asked.
  expect(await matrixOf(two.b, "--max 9")).toEqual(both);
  await lease(two, "named ci-FEAT-0001", 30);
  expect(await matrixOf(two.b)).toEqual(both);
  await lease(two, "clone 0123", -1);
  expect(await matrixOf(two.b)).toEqual(both);
  await two.a.sh("git push -q -f origin main:refs/monoco/FEAT-0001/lease main:refs/monoco/FEAT-0001/journal");
  expect(await matrixOf(two.b)).toEqual(both);
  await two.a.sh("git push -q -f origin $(git rev-parse main:story.yaml):refs/monoco/FEAT-0001/lease");
  expect(await matrixOf(two.b)).toEqual(both);
});

test("by the remote: a relay that waits for a person is left out, until a letter lies there or the person names the issue", async () => {
  const asks = { executor: [[run("monoco relay ask 'Which port?'")]], reviewer: [approves] };
  const two = await openTwoClones(asks, { issues: ["FEAT-0001", "FEAT-0002"] });
  const ran = await two.a.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 1 });
  expect(await matrixOf(two.b)).toEqual(["FEAT-0002"]);
  expect((await two.b.monoco("plan --remote")).stdout).toMatch(
    /FEAT-0001 {2}is left out: it waits for a person: session \d asks: Which port\?/,
  );
  expect(await matrixOf(two.b, "--remote FEAT-0001")).toEqual(["FEAT-0001"]);
  await two.a.sh(
    "git push -q origin main:refs/monoco/FEAT-0001/letters/00000000-0000-4000-8000-000000000000",
  );
  expect(await matrixOf(two.b)).toEqual(["FEAT-0001", "FEAT-0002"]);
  const { include } = JSON.parse((await two.b.monoco("plan --remote --json")).stdout) as Matrix;
  expect(include[0]).toMatchObject({ relay: "blocked" });
});

test("a remote that does not answer is told, and an empty backlog is an empty matrix", async () => {
  const two = await openTwoClones(story, { issues: ["FEAT-0001"] });
  await two.a.sh("git rm -qr issues && git commit -qm none");
  expect(await two.a.monoco("plan --json")).toMatchObject({ exitCode: 0, stdout: '{"include":[]}' });
  expect((await two.a.monoco("plan")).stdout).toBe("nothing can begin now");
  await two.a.sh(`git remote set-url origin ${two.bare}-gone`);
  expect(await two.a.monoco("plan --json --remote")).toMatchObject({ exitCode: 75, stdout: "" });
});

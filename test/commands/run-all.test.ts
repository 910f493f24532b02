/** monoco run --all: the backlog by dependencies and priority; and two policies that share it. */
import { expect, it } from "vitest";
import { approves, issuePath, issueText, openPlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";
import { transcript, transcriptOf } from "../support/transcript.ts";

const works = [
  { run: 'echo done > "$MONOCO_ISSUE.txt" && git add -A && git commit -qm work' },
  { submit: true },
];

/** The issues with front matter of their own; the last of `story` is repeated. */
async function placeWith(issues: Record<string, string>, executor: unknown[][] = [works]): Promise<Place> {
  const files = Object.fromEntries(
    Object.entries(issues).map(([id, more]) => [issuePath(id), issueText(id, more)]),
  );
  return openPlace({ executor, reviewer: [approves] }, { issues: [], files });
}

const timeOf = (place: Place, type: string, id: string): number =>
  place.events(id).find((event) => event.type === type)?.atMs ?? NaN;
const openedAt = (place: Place, id: string): number => timeOf(place, "relay.opened", id);
const mergedAt = (place: Place, id: string): number => timeOf(place, "merge.done", id);

it("a dependency is merged before what needs it begins, also with several at once; the urgent go first", async () => {
  const place = await placeWith({
    "FEAT-0001": "dependencies: [FEAT-0002]\npriority: high\n",
    "FEAT-0002": "",
    "FEAT-0003": "priority: urgent\n",
    "FEAT-0004": "type: epic\n",
  });
  place.write("issues/FEAT-0005-closed.md", issueText("FEAT-0005").replace("open", "backlog"));
  await place.sh("git add -A && git commit -qm More");
  const ran = await place.monoco("run", "--all", "-j", "2");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  expect(openedAt(place, "FEAT-0001")).toBeGreaterThan(mergedAt(place, "FEAT-0002"));
  expect(openedAt(place, "FEAT-0003")).toBeLessThan(openedAt(place, "FEAT-0001"));
  expect(ran.stdout.split("not done:\n")[0]).not.toMatch(/FEAT-000[45]/);
  expect(ran.stdout).toContain("put off: FEAT-0004, FEAT-0005");
  // Once more: all is done.
  const again = await place.monoco("run", "--all");
  expect(again).toMatchObject({ exitCode: 0 });
  expect(place.all("relay.opened", "FEAT-0001")).toHaveLength(1);
});

it("a backlog with nothing to run says so", async () => {
  const place = await placeWith({ "FEAT-0001": "type: epic\n" });
  expect(
    await transcriptOf(place.monoco, [
      ["run", "--all"],
      ["run", "--all", "--json"],
    ]),
  ).toMatchInlineSnapshot(`
    "$ monoco run --all
    not done:
    1          put off: FEAT-0001
    <time>  no open issues on main: nothing to run
    $ monoco run --all --json
    ! not done:
    ! 1          put off: FEAT-0001
    ! <time>  no open issues on main: nothing to run"
  `);
});

test("what waits for an issue that did not get through is not begun, and that is said", async () => {
  const place = await openPlace(
    { executor: [[{ exit: 1 }]], reviewer: [approves] },
    {
      issues: [],
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001"),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002", "dependencies: [FEAT-0001]\n"),
      },
      limits: { sessionsMax: 1 },
    },
  );
  const ran = await place.monoco("run", "--all");
  expect(ran.exitCode).toBe(1);
  expect(ran.stdout).toContain("FEAT-0002  was not begun: it waits for FEAT-0001");
  expect(place.all("relay.opened", "FEAT-0002")).toEqual([]);
});

test("a base that is gone once an issue is merged is told, and nobody waits for ever", async () => {
  const place = await openPlace(
    { executor: [works], reviewer: [approves] },
    {
      issues: [],
      files: {
        [issuePath("FEAT-0001")]: issueText("FEAT-0001", "source: github:owner/name#1\n"),
        [issuePath("FEAT-0002")]: issueText("FEAT-0002", "dependencies: [FEAT-0001]\n"),
      },
      settings: "finish: { comment: true }",
    },
  );
  // It is called between the merge and the look for what comes next.
  place.write("bin/gh", '#!/bin/sh\ncd "$PERSON" && git update-ref -d refs/heads/main\n');
  await place.sh("chmod +x bin/gh");
  const PATH = `${place.project}/bin:${place.sandbox.env["PATH"]}`;
  const ran = await place.sandbox.monoco(["run", "--all", "-j", "2"], {
    cwd: place.project,
    env: { PATH, PERSON: place.project },
  });
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(2);
  expect(ran.stderr).toContain("error: FEAT-0001: branch main does not exist or has no commit");
  expect(ran.stdout).toContain("FEAT-0002  was not begun: it waits for FEAT-0001");
  expect(place.all("merge.done", "FEAT-0001")).toHaveLength(1);
});

test("a circle, a file that cannot be read and a dependency that is nowhere are told, and the rest is run", async () => {
  const place = await placeWith({
    "FEAT-0001": "dependencies: [FEAT-0002]\n",
    "FEAT-0002": "dependencies: [FEAT-0001]\n",
    "FEAT-0003": "priority: low\n",
    "FEAT-0004": "stage: gone\n",
    "FEAT-0005": "dependencies: [FEAT-0404]\n",
    "FEAT-0006": "dependencies: [FEAT-0004]\n",
    "FEAT-0007": "priority: high\n",
  });
  const ran = await place.monoco("run", "--all", "-j", "1");
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(
    "FEAT-0001-write-a-file.md:6: these issues wait for each other: FEAT-0001 → FEAT-0002 → FEAT-0001",
  );
  expect(ran.stderr).toMatch(/issues\/FEAT-0004-write-a-file\.md:\d: stage/);
  expect(ran.stderr).toContain(
    "issues/FEAT-0005-write-a-file.md:6: FEAT-0005 depends on FEAT-0404, which main does not have",
  );
  expect(ran.stdout).toContain("FEAT-0006  was not begun: it waits for FEAT-0004");
  expect(mergedAt(place, "FEAT-0007")).toBeLessThan(mergedAt(place, "FEAT-0003"));
  for (const id of ["FEAT-0001", "FEAT-0002", "FEAT-0004", "FEAT-0005", "FEAT-0006"])
    expect(place.all("relay.opened", id)).toEqual([]);
});

test("an issue that waits for others is refused with what is open and the command; named with them it runs after them", async () => {
  const place = await placeWith({
    "FEAT-0001": "dependencies: [FEAT-0002]\n",
    "FEAT-0002": "",
    "FEAT-0003": "parent: FEAT-0002\n",
    "FEAT-0004": "dependencies: [FEAT-0005]\n",
  });
  const dropped = issueText("FEAT-0005", "solution: wontfix\n")
    .replace("open", "closed")
    .replace("draft", "done");
  place.write(issuePath("FEAT-0005"), dropped);
  await place.sh("git add -A && git commit -qm More");

  const alone = await place.monoco("run", "FEAT-0001");
  expect(alone).toMatchObject({ exitCode: 2, stdout: "" });
  expect(alone.stderr).toBe(
    "error: FEAT-0001 waits for FEAT-0002 (open, draft)\nhint: monoco run FEAT-0003 FEAT-0002 FEAT-0001 runs them in order; or go on all the same: monoco run FEAT-0001 --ignore-dependencies",
  );
  const never = await place.monoco("run", "FEAT-0004");
  expect(never).toMatchObject({ exitCode: 2, stdout: "" });
  expect(never.stderr).toContain(
    "issues/FEAT-0004-write-a-file.md:6: FEAT-0004 waits for FEAT-0005 (wontfix): closed, and never done",
  );
  expect(place.all("relay.opened", "FEAT-0001")).toEqual([]);

  const together = await place.monoco("run", "FEAT-0001", "FEAT-0002", "FEAT-0003", "-j", "3");
  expect(together.exitCode, together.stderr).toBe(0);
  expect(openedAt(place, "FEAT-0001")).toBeGreaterThan(mergedAt(place, "FEAT-0002"));
  // A parent is done after its children.
  expect(openedAt(place, "FEAT-0002")).toBeGreaterThan(mergedAt(place, "FEAT-0003"));

  const anyway = await place.monoco("run", "FEAT-0004", "--ignore-dependencies");
  expect(anyway.exitCode, anyway.stderr).toBe(0);
  expect(place.all("relay.opened", "FEAT-0004")[0]).toMatchObject({ waived: ["dependencies"] });
});

test("an issue that says not when it is done is run only when a person says so, and that is journaled", async () => {
  const place = await openPlace(
    { executor: [[{ exit: 1 }], works], reviewer: [approves] },
    { issues: [], files: { [issuePath("FEAT-0001")]: issueText("FEAT-0001").split("## Acceptance")[0]! } },
  );
  const refused = await place.monoco("run", "FEAT-0001");
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toMatch(/no acceptance criteria[\s\S]*monoco run FEAT-0001 --without-criteria/);
  expect(await place.monoco("run", "FEAT-0001", "--without-criteria", "--once")).toMatchObject({
    exitCode: 1,
  });
  expect(place.all("relay.opened")[0]).toMatchObject({ waived: ["criteria"] });
  expect((await place.monoco("relay", "status", "FEAT-0001")).stdout).toContain(
    "waived    opened without its criteria",
  );
  // It is open already.
  const resumed = await place.monoco("relay", "resume", "FEAT-0001");
  expect(resumed.exitCode, resumed.stderr).toBe(0);
});

test("the base is what counts: a dependency that is only closed in the working copy is still open", async () => {
  const place = await placeWith({ "FEAT-0001": "dependencies: [FEAT-0002]\n", "FEAT-0002": "" });
  await place.monoco("issue", "cancel", "FEAT-0002");
  expect(transcript(await place.monoco("run", "FEAT-0001"))).toMatchInlineSnapshot(`
    "! error: FEAT-0001 waits for FEAT-0002 (open, draft)
    ! hint: monoco run FEAT-0002 FEAT-0001 runs them in order; or go on all the same: monoco run FEAT-0001 --ignore-dependencies
    exit 2"
  `);
});

it("run without an id and without --all is refused", async () => {
  const place = await placeWith({ "FEAT-0001": "" });
  expect(transcript(await place.monoco("run"))).toMatchInlineSnapshot(`
    "! error: which issue? No id was given
    ! hint: monoco run FEAT-0001, or monoco run --all for the whole backlog
    exit 2"
  `);
});

test("a policy file is in force for each issue, and journaled with its origins", async () => {
  const names = ["FEAT-0001", "FEAT-0002"];
  const place = await placeWith(Object.fromEntries(names.map((id) => [id, ""])));
  place.write("calm.yaml", "limits: { stalledMax: 5 }\n");
  const ran = await place.monoco("run", "--all", "--policy", "calm.yaml");
  expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  for (const id of names)
    expect(place.all("relay.opened", id)[0]).toMatchObject({
      policy: "calm.yaml",
      settings: { limits: { stalledMax: 5 } },
      origins: { "limits.stalledMax": "calm.yaml:1" },
    });
  const missing = await place.monoco("run", "--all", "--policy", "gone.yaml");
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).toContain("gone.yaml");
});

/** monoco run --remote after something went wrong: what is merged is not merged again, what was cleared begins anew, and a remote that is away for a while ends no run. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approves, run } from "../support/place.ts";
import { openTwoClones } from "../support/two-clones.ts";

const worksAndSubmits = [run("echo text > file.txt; git add -A; git commit -qm work"), { submit: true }];
const story = { executor: [worksAndSubmits], reviewer: [approves] };

test("a relay that was cleared begins anew, and the remote keeps the work of the one before", async () => {
  const two = await openTwoClones(story);
  await two.a.monoco("run FEAT-0001 --remote --once");
  const before = await two.there("git rev-parse refs/monoco/FEAT-0001/head");
  await two.a.monoco("relay clear FEAT-0001");
  const ran = await two.a.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(await two.there(`git rev-parse refs/monoco/FEAT-0001/earlier/head-${before.slice(0, 12)}`)).toBe(
    before,
  );
  expect(await two.there("git show main:file.txt")).toBe("text");
});

test("what is merged on the remote is not done again where the base could not follow", async () => {
  const two = await openTwoClones(story);
  await two.a.sh("echo '# mine' >> monoco.yaml");
  const first = await two.a.monoco("run FEAT-0001 --remote");
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  expect(first.stdout).toContain("merged on origin; main here follows with git pull origin main\n");
  const second = await two.a.monoco("run --all");
  expect(second.stdout).toMatch(/FEAT-0001 {2}is done: merged as \w+\n.*hint: git pull origin main$/);
  await two.a.sh("git checkout -q monoco.yaml && git pull -q origin main");
  await two.a.monoco("run FEAT-0001");
  expect(two.a.all("relay.opened")).toHaveLength(1);
});

test("work that is left on another machine's branch is not done again", async () => {
  const two = await openTwoClones(story, { settings: "finish: branch\n" });
  await two.a.monoco("run FEAT-0001 --remote");
  const second = await two.b.monoco("run FEAT-0001 --remote");
  expect(second.stdout).toContain("is done: its work is on branch monoco/FEAT-0001");
  expect(two.b.all("relay.opened")).toHaveLength(1);
});

test("a run of the backlog outlives a remote that is away, and names that once an issue", async () => {
  const slow = {
    ...story,
    executor: [[run("sleep 3; echo $MONOCO_ISSUE > $MONOCO_ISSUE.txt"), ...worksAndSubmits]],
  };
  const two = await openTwoClones(slow, { issues: ["FEAT-0001", "FEAT-0002"] });
  const first = two.place.start("run", "--all", "--remote", "-j", "1");
  await expect.poll(() => two.a.all("session.started").length, { timeout: 20_000 }).toBe(1);
  renameSync(two.bare, `${two.bare}.away`);
  await expect.poll(() => two.a.all("submission.requested").length, { timeout: 20_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  renameSync(`${two.bare}.away`, two.bare);
  const { exitCode, stdout, stderr } = await first;
  expect({ exitCode, stderr }, stdout).toMatchObject({ exitCode: 0 });
  expect(stderr.match(/^error: FEAT-0002: origin does not answer/gm)).toHaveLength(1);
  for (const issue of ["FEAT-0001", "FEAT-0002"]) expect(two.a.all("merge.done", issue)).toHaveLength(1);
});

test("a merge that others overtake many times is made again on top of theirs, and no person is asked", async () => {
  const two = await openTwoClones(story);
  const hook = join(two.bare, "hooks", "update");
  const overtakes = `test "$1" = refs/heads/main && test $(git rev-list --count main) -lt 12 || exit 0
git update-ref refs/heads/main $(git -c user.name=o -c user.email=o@example.com commit-tree -p main -m theirs main^{tree})`;
  writeFileSync(hook, `#!/bin/sh\n${overtakes}\n`, { mode: 0o755 });
  const ran = await two.a.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(two.a.all("merge.prepared").length).toBeGreaterThan(8);
  expect(await two.there("git log -1 --format=%B main")).toContain("FEAT-0001");
});

test("a hook of this clone that refuses a push is no remote that is away", async () => {
  const two = await openTwoClones(story);
  const hook = join(two.a.folder, ".git", "hooks", "pre-push");
  writeFileSync(hook, "#!/bin/sh\necho 'no pushes on sundays' >&2; exit 1\n", { mode: 0o755 });
  const ran = await two.a.monoco("run FEAT-0001 --remote");
  expect(ran.exitCode).toBe(1);
  expect(ran.stderr).toMatch(
    /origin refuses the push: a hook of this clone refuses it: no pushes on sundays/,
  );
});

test("what only this clone had is kept where the relay goes on from another machine, and is named", async () => {
  const two = await openTwoClones(story);
  await two.a.monoco("run FEAT-0001 --remote --once");
  await two.b.monoco("run FEAT-0001 --once");
  const ran = await two.b.monoco("run FEAT-0001 --remote");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toMatch(
    /warning: FEAT-0001 goes on from origin; what only this clone had is kept: refs\/monoco\/FEAT-0001\/earlier\/\d+\/head-/,
  );
});

test("a question that one machine left is not asked again by another that works the backlog off; whoever names the issue lets it go on", async () => {
  const asks = { executor: [[run("monoco relay ask 'Hello or hi?'")]], reviewer: [approves] };
  const { a, b } = await openTwoClones(asks);
  expect(await a.monoco("run FEAT-0001 --remote")).toMatchObject({ exitCode: 1 });
  const sessions = a.all("session.started").length;
  for (const _ of [1, 2]) {
    const ran = await b.monoco("run --all --remote");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 1 });
    expect(ran.stdout).toContain('monoco answer FEAT-0001 "…"');
    expect(b.all("session.started")).toHaveLength(sessions);
  }
  await b.monoco("run FEAT-0001 --remote");
  expect(b.all("session.started").length).toBeGreaterThan(sessions);
});

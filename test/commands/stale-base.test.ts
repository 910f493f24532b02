/** A base that lacks commits which were fetched: said before the first session, and fast-forwarded only if asked for. */
import { expect, test, vi } from "vitest";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full, testRows } from "../support/full.ts";
import { transcriptOf } from "../support/transcript.ts";

vi.setConfig({ testTimeout: 120_000 });

/** `main` lacks two commits of `origin/main`. */
async function openStale(settings = ""): Promise<Place> {
  const place = await openPlace({ executor: [works], reviewer: [approves] }, { settings });
  await place.sh(`git clone -q --bare . ../remote.git && git remote add origin ../remote.git && git fetch -q
    git branch -q -u origin/main && git commit -q --allow-empty -m newer && git commit -q --allow-empty -m newest
    git push -q && git reset -q --hard HEAD~2`);
  return place;
}

const said = "main is 2 commits behind origin/main, as last fetched";
const remedy = "monoco run --update; or on main: git merge --ff-only origin/main";

test("a run, a dry run and doctor say how many commits the base lacks; the run goes on", async () => {
  const place = await openStale();
  const { stdout: ahead } = await place.monoco("run", "FEAT-0001", "--dry-run");
  expect(ahead).toContain(`base       ${said}: ${remedy}\n`);
  const { stdout: diagnosis } = await place.monoco("doctor");
  expect(diagnosis).toContain(said);
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran.stdout.split("\n")[0]).toContain(`${said}: ${remedy}`);
  expect(ran).toMatchObject({ exitCode: 0 });
});

full("--update fast-forwards the base and its checkout before the first session", async () => {
  const place = await openStale();
  const { stdout } = await place.monoco("run", "FEAT-0001", "--update");
  expect(stdout.split("\n")[0]).toContain("main is fast-forwarded to origin/main: 2 commits");
  expect(await place.git("merge-base", "main", "origin/main")).toBe(
    await place.git("rev-parse", "origin/main"),
  );
  expect(await place.git("log", "-1", "--format=%s")).toContain("FEAT-0001");
});

testRows([
  [
    "of a base that diverged",
    "git commit -q --allow-empty -m own",
    "main is 2 commits behind and 1 commit ahead of origin/main, as last fetched\nhint: merge origin/main into main, or rebase main onto it",
  ],
  [
    "under a checkout with changes",
    "echo changed >> issues/FEAT-0001-write-a-file.md",
    "main cannot be fast-forwarded to origin/main: PROJECT: it has uncommitted changes\nhint: commit or stash there",
  ],
] as const)("--update %s is refused: nothing is changed and no session begins", async ([, spoil, words]) => {
  const place = await openStale();
  await place.sh(spoil);
  const before = await place.sh("git for-each-ref; git status --porcelain");
  const ran = await place.monoco("run", "FEAT-0001", "--update");
  expect(ran.stderr).toContain(words.replace("PROJECT", place.project));
  expect(ran).toMatchObject({ exitCode: 2 });
  expect(await place.sh("git for-each-ref; git status --porcelain")).toBe(before);
});

full("--update without an issue updates the base, and runs nothing", async () => {
  const place = await openStale();
  const brought = await place.monoco("run", "--update");
  expect(brought).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("main is fast-forwarded") as string,
  });
  const again = await place.monoco("run", "--update");
  expect(again.stdout).toContain("main has all that was fetched of its upstream");
  expect(place.events()).toEqual([]);
});

full("finish: pr does not begin on a base that is behind", async () => {
  const place = await openStale("finish: pr\n");
  expect(await transcriptOf(place.monoco, [["run", "FEAT-0001"]])).toContain(`error: FEAT-0001: ${said}\n`);
  expect(place.events()).toEqual([]);
});

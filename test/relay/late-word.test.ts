/** A person's word after a runner that was killed in the middle of a merge: what is put up last lands, and what has landed stays. */
import { expect } from "vitest";
import { fixture } from "../support/cli.ts";
import { approves, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { full as test } from "../support/full.ts";

/** An approved submission whose runner was killed at `event`: journaled (`synced`), or done and half journaled (`torn`). */
async function killedAt(event: "merge.prepared" | "merge.done", when: "synced" | "torn"): Promise<Place> {
  const story = { executor: [works], reviewer: [approves] };
  const counting = await openPlace(story);
  await counting.monoco("run", "FEAT-0001");
  const at = counting.events().findIndex(({ type }) => type === event) + 1;
  const place = await openPlace(story);
  const ran = await place.sandbox.monoco(["run", "FEAT-0001"], {
    cwd: place.project,
    env: {
      NODE_OPTIONS: `--import=${fixture("kill-at-append.mjs")}`,
      KILL_AT: String(at),
      KILL_WHEN: when,
    },
  });
  expect(ran.signal).toBe("SIGKILL");
  return place;
}

// TRAP 26
test("what is put up while a merge stands prepared is what lands, once it is checked and reviewed", async () => {
  const place = await killedAt("merge.prepared", "synced");
  await place.sh("git checkout -q monoco/FEAT-0001 && echo better > file.txt && git commit -qam Better");
  const submitted = await place.monoco("issue", "submit");
  expect(submitted).toMatchObject({ exitCode: 0, stderr: "" });
  await place.sh("git checkout -q main");
  const resumed = await place.monoco("relay", "resume", "FEAT-0001");
  expect(resumed.exitCode, resumed.stdout + resumed.stderr).toBe(0);
  expect(place.all("merge.done")).toMatchObject([{ submission: 2 }]);
  expect(place.all("review.decided").map(({ submission }) => submission)).toEqual([1, 2]);
  expect(await place.git("show", "main:file.txt")).toBe("better\n".trim());
});

// TRAP 26
test("what has landed is neither taken back nor replaced: the word is refused with what to do", async () => {
  const place = await killedAt("merge.done", "torn");
  const landed = await place.git("rev-parse", "main");
  const says = /submission 1 is on main already: monoco resume FEAT-0001 records that/;
  const changes = ["issue", "review", "FEAT-0001", "--request-changes", "-m", "No"];
  const reviewed = await place.monoco(...changes);
  expect(reviewed).toMatchObject({ exitCode: 2, stdout: "" });
  expect(reviewed.stderr).toMatch(says);
  await place.sh("git checkout -q -b late refs/monoco/FEAT-0001/head && git commit -qm Late --allow-empty");
  const submitted = await place.monoco("issue", "submit", "FEAT-0001");
  expect(submitted).toMatchObject({ exitCode: 2, stdout: "" });
  expect(submitted.stderr).toMatch(says);
  await place.sh("git checkout -q main");
  const resumed = await place.monoco("relay", "resume", "FEAT-0001");
  expect(resumed.exitCode, resumed.stdout + resumed.stderr).toBe(0);
  expect(place.all("merge.done")).toMatchObject([{ submission: 1, commit: landed }]);
  expect(await place.git("rev-parse", "main")).toBe(landed);
});

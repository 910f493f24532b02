/** monoco run --remote: a relay belongs to one machine at a time, and whoever lost it can push nothing. */
import { describe, expect, test } from "vitest";
import { parseLease } from "../../src/core/lease/lease.ts";
import type { Lease } from "../../src/core/lease/lease.ts";
import { approves, run } from "../support/place.ts";
import { openTwoClones } from "../support/two-clones.ts";
import type { TwoClones } from "../support/two-clones.ts";

const worksAndSubmits = [run("echo text > file.txt; git add -A; git commit -qm work"), { submit: true }];
const story = { executor: [worksAndSubmits], reviewer: [approves] };
const leaseRef = "refs/monoco/FEAT-0001/lease";

async function leaseOf({ there }: TwoClones): Promise<Lease | undefined> {
  const commit = await there(`git rev-parse -q --verify ${leaseRef} || true`);
  return commit === "" ? undefined : parseLease(await there(`git log -1 --format=%B ${commit}`));
}

describe("alone", () => {
  test("the merge is on the remote's base, and the lease is given back", async () => {
    const two = await openTwoClones(story);
    const ran = await two.a.monoco("run FEAT-0001 --remote");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await two.there("git show main:file.txt")).toBe("text");
    expect(await two.there("git rev-parse main")).toBe(await two.a.sh("git rev-parse main"));
    expect(await leaseOf(two)).toBeUndefined();
    expect(two.a.all("merge.done")).toHaveLength(1);
  });
});

/** The push of a runner, which holds its relay's lock: other refs go with it, all or none. */
import { expect, test } from "vitest";
import { wholeCarrier } from "../../../src/app/carry/carrier.ts";
import type { Carrier } from "../../../src/app/carry/own.ts";
import { pushRelay } from "../../../src/app/carry/push.ts";
import type { PushOf } from "../../../src/app/carry/push.ts";
import { openHere, placesFor } from "../../../src/app/here.ts";
import { takeRunnerLock } from "../../../src/app/runner-lock.ts";
import type { Outcome } from "../../../src/core/carry/outcome.ts";
import { listRemote } from "../../../src/git/carry/remote.ts";
import { within } from "../../../src/io/io.ts";
import { keepGit } from "../../../src/git/git.ts";
import { openJournal } from "../../../src/store/journal.ts";
import { run } from "../../support/place.ts";
import { inTwoSessions, openTwoClones, work } from "../../support/two-clones.ts";
import type { TwoClones } from "../../support/two-clones.ts";

const prefix = "refs/monoco/FEAT-0001";
const said = { type: "note.said", by: "person" } as const;
const halfDone = {
  ...inTwoSessions,
  executor: [[run("echo one > one.txt; git add -A; git commit -qm one; echo half > half.txt")]],
};

/** Acts in the first clone, which has a relay with uncommitted work. */
async function inClone(
  act: (two: TwoClones, carrier: Carrier, push: (of?: Partial<PushOf>) => Promise<Outcome>) => Promise<void>,
): Promise<void> {
  const two = await openTwoClones(halfDone);
  await two.a.monoco("run FEAT-0001 --once");
  await within({ cwd: two.a.folder, env: two.place.sandbox.env }, async () => {
    const here = await openHere();
    const carrier = wholeCarrier(here, {});
    const leave = keepGit(here.repository.root);
    try {
      await act(two, carrier, async (of) =>
        pushRelay(carrier, "FEAT-0001", { listed: await listRemote(carrier.remote), allowed: [], ...of }),
      );
    } finally {
      leave();
    }
  });
}

test("everything goes, the uncommitted work too, and the journal as the lock's holder has written it just now", () =>
  inClone(async ({ a, there }, { here }, push) => {
    const { journal: path, runnerLock } = placesFor(here, "FEAT-0001");
    const lock = await takeRunnerLock(runnerLock, "FEAT-0001");
    const journal = openJournal(path);
    const last = journal.append(journal.events().length, { ...said, text: "now" }, Date.now());
    expect(await push()).toMatchObject({ is: "pushed" });
    expect(await there(`git show ${prefix}/journal:000001`)).not.toContain(`"seq":${last.seq},`);
    for (const locked of [journal, true] as const) {
      journal.append(journal.events().length, { ...said, text: "more" }, Date.now());
      expect(await push({ locked })).toMatchObject({ is: "pushed", refs: 1 });
      expect(`${await there(`git show ${prefix}/journal:000001`)}\n`).toBe(journal.verify().toString());
    }
    journal.close();
    lock.release();
    const names = await there(`git for-each-ref --format='%(refname:lstrip=3)' refs/monoco`);
    expect(names.split("\n")).toEqual(["handoffs", "head", "journal", "sessions/1/head", "sessions/1/wip"]);
    expect(await there(`git show ${prefix}/sessions/1/wip:half.txt`)).toBe("half");
    expect(await a.sh("git status --porcelain")).toBe("");
  }));

test("other refs move in the same push, though none of the relay does; a ref that is deleted has no commit", () =>
  inClone(async ({ a, there }, _, push) => {
    await push();
    expect(await push()).toMatchObject({ is: "up_to_date" });
    const [one, two] = (await a.sh("git rev-parse main main^{tree}")).split("\n");
    const commit = await a.sh(`git commit-tree ${two} -m lease`);
    const [lease, letter] = [`${prefix}/lease`, `${prefix}/letters/1`];
    const also = [
      { ref: lease, from: "", to: commit },
      { ref: letter, from: "", to: one! },
    ];
    expect(await push({ also })).toMatchObject({ is: "pushed", refs: 2 });
    const head = await work(a, "two");
    // Somebody else's lease by now: neither the head nor the letter moves.
    const stale = { ref: lease, from: one!, to: "" };
    const gone = { ref: letter, from: one!, to: "" };
    const before = await there("git for-each-ref");
    expect(await push({ also: [stale, gone] })).toEqual({ is: "moved" });
    expect(await there("git for-each-ref")).toBe(before);
    expect(await push({ also: [{ ...stale, from: commit }, gone] })).toMatchObject({ is: "pushed" });
    expect(await there(`git rev-parse ${prefix}/head`)).toBe(head);
    expect(await there("git for-each-ref")).not.toMatch(/lease|letters/);
  }));

test("a secret in what goes with it, or in uncommitted work, keeps all of it here", () =>
  inClone(async ({ a, there }, _, push) => {
    const secret = `ghp_${"a1B2c3D4e".repeat(4)}`;
    const leak = await a.sh(`git commit-tree main^{tree} -m ${secret}`);
    const also = [{ ref: `${prefix}/lease`, from: "", to: leak }];
    expect(await push({ also })).toMatchObject({ is: "secrets", found: [{ rule: "github" }] });
    await a.sh(`git update-ref ${prefix}/sessions/1/wip ${leak}`);
    expect(await push()).toMatchObject({ is: "secrets" });
    expect(await there("git for-each-ref refs/monoco")).toBe("");
  }));

test("a relay that has not begun has a lease to push, and nothing else", () =>
  inClone(async ({ a, there }, carrier, push) => {
    await push();
    const ref = "refs/monoco/FEAT-0002/lease";
    const to = await a.sh("git commit-tree main^{tree} -m lease");
    const of = { listed: await listRemote(carrier.remote), allowed: [], locked: true } as const;
    expect(await pushRelay(carrier, "FEAT-0002", of)).toEqual({ is: "absent" });
    expect(await pushRelay(carrier, "FEAT-0002", { ...of, also: [{ ref, from: "", to }] })).toMatchObject({
      is: "pushed",
      refs: 1,
    });
    expect(await there(`git rev-parse ${ref}`)).toBe(to);
  }));

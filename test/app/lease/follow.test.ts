/** The local base follows the remote's, whoever else moves it here at that moment. */
import { expect, test } from "vitest";
import { carrierHere } from "../../../src/app/carry/carrier.ts";
import { openHere } from "../../../src/app/here.ts";
import { followBase } from "../../../src/app/lease/base.ts";
import { within } from "../../../src/io/io.ts";
import { openTwoClones } from "../../support/two-clones.ts";

test("several relays bring it up at once, and the checkout of none is taken for a person's changes", async () => {
  const two = await openTwoClones();
  const { env } = two.place.sandbox;
  await within({ cwd: two.a.folder, env }, async () => {
    const here = await openHere();
    const { remote } = carrierHere(here, {});
    for (const round of [1, 2, 3]) {
      await two.b.sh(
        `git pull -q origin main; mkdir -p d; for i in $(seq 400); do echo ${round} > d/$i; done; git add -A; git commit -qm more; git push -q origin main`,
      );
      await Promise.all([1, 2, 3, 4].map(async () => followBase(here, remote, "main")));
      expect(await two.a.sh("git status --short; git rev-parse main")).toBe(
        await two.b.sh("git rev-parse main"),
      );
    }
  });
});

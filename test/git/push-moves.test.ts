/** A push of several refs to a remote that others push to at the same moment. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pushMoves } from "../../src/git/carry/remote.ts";
import { openTwoClones } from "../support/two-clones.ts";

test("a lock that somebody has for a moment is waited for, and one that stays is a refusal", async () => {
  const { a, bare, place } = await openTwoClones();
  const remote = { name: "origin", run: { cwd: a.folder, env: { ...place.sandbox.env, LC_ALL: "C" } } };
  const to = await a.sh("git commit-tree -m news -p main main^{tree}");
  const from = await a.sh("git rev-parse main");
  const move = { ref: "refs/heads/main", from, to };
  const lock = join(bare, "refs", "heads", "main.lock");
  writeFileSync(lock, "");
  expect(await pushMoves(remote, [move])).toMatchObject({ is: "refused" });
  const pushed = pushMoves(remote, [move]);
  setTimeout(() => rmSync(lock), 700);
  expect(await pushed).toEqual({ is: "taken" });
});

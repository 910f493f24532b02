/** A push of several refs to a remote that others push to at the same moment. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pushMoves, refuseTwoPlaces } from "../../src/git/carry/remote.ts";
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

test("a hook of the clone is asked about work, and not about a lease or a letter alone", async () => {
  const { a, place } = await openTwoClones();
  const remote = { name: "origin", run: { cwd: a.folder, env: { ...place.sandbox.env, LC_ALL: "C" } } };
  const asked = join(a.folder, "asked");
  writeFileSync(join(a.folder, ".git", "hooks", "pre-push"), `#!/bin/sh\ntouch '${asked}'\n`, {
    mode: 0o755,
  });
  const to = await a.sh("git rev-parse main");
  const below = "refs/monoco/FEAT-0001";
  for (const name of ["lease", "letters/one"]) {
    expect(await pushMoves(remote, [{ ref: `${below}/${name}`, from: "", to }])).toEqual({ is: "taken" });
    expect(existsSync(asked)).toBe(false);
  }
  const move = { ref: `${below}/lease`, from: to, to: "" };
  expect(await pushMoves(remote, [move, { ref: `${below}/head`, from: "", to }])).toEqual({ is: "taken" });
  expect(existsSync(asked)).toBe(true);
});

test("an address of its own for pushes is taken if it is the same repository, and refused if it is another", async () => {
  const { a, bare, place } = await openTwoClones();
  const remote = { name: "origin", run: { cwd: a.folder, env: { ...place.sandbox.env, LC_ALL: "C" } } };
  const to = await a.sh("git rev-parse main");
  const move = { ref: "refs/monoco/FEAT-0001/lease", from: "", to };
  await a.sh(`git remote set-url --push origin 'file://${bare}'`);
  expect(await pushMoves(remote, [move])).toEqual({ is: "taken" });
  await expect(refuseTwoPlaces(remote, move)).resolves.toBeUndefined();
  await a.sh(
    `git clone -q --bare '${bare}' ../second.git; git remote set-url --push origin '${bare}/../second.git'`,
  );
  const next = { ...move, ref: "refs/monoco/FEAT-0002/lease" };
  expect(await pushMoves(remote, [next])).toEqual({ is: "taken" });
  await expect(refuseTwoPlaces(remote, next)).rejects.toMatchObject({ kind: "input" });
  expect(await a.sh("git ls-remote ../second.git refs/monoco/FEAT-0002/lease")).toBe("");
});

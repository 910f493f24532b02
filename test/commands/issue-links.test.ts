/** Links below issues/: none leads a command out of the repository, or round in circles. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { approves, openPlace, works } from "../support/place.ts";
import { full as test } from "../support/full.ts";

const outside =
  "---\nid: FEAT-0050\ntitle: Outside\nstatus: closed\nstage: doing\nsolution: implemented\n---\n\n## Acceptance Criteria\n\n- [ ] it stays\n";

it("a link to a folder is told once and not followed: nothing outside is listed, mended or moved", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const folder = join(place.around, "outside");
  mkdirSync(folder);
  const file = join(folder, "FEAT-0050-outside.md");
  writeFileSync(file, outside);
  symlinkSync(folder, join(place.project, "issues", "ext"));
  symlinkSync(".", join(place.project, "issues", "loop"));
  const linted = await place.monoco("issue", "lint", "--fix");
  expect(linted.exitCode).toBe(2);
  for (const name of ["issues/ext", "issues/loop"])
    expect(
      `${linted.stdout}${linted.stderr}`.split(`${name}:1: it is a link, which is not followed`),
    ).toHaveLength(2);
  expect(await place.monoco("issue", "reopen", "FEAT-0050")).toMatchObject({ exitCode: 2 });
  expect(readFileSync(file, "utf8")).toBe(outside);
  const listed = await place.monoco("issue", "list", "--json");
  expect(listed.stdout.match(/FEAT-0001/g)?.length).toBeLessThan(5);
  expect(listed.stdout).not.toContain("FEAT-0050");
});

it("a copy of an issue gets the new id, not the issue", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const path = "issues/FEAT-0001-write-a-file.md";
  place.write("issues/FEAT-0001-write-a-file-copy.md", place.read(path));
  const before = place.read(path);
  await place.monoco("issue", "lint", "--fix");
  expect(place.read(path)).toBe(before);
  expect(await place.sh("ls issues")).toContain("FEAT-0002");
});

test("a board is no wider than anybody's terminal", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const ran = await place.sandbox.monoco(["issue", "board"], {
    cwd: place.project,
    env: { COLUMNS: "1000000000" },
  });
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(Math.max(...ran.stdout.split("\n").map((line) => line.length))).toBeLessThan(2_000);
});

/** All repositories in one view: each in which monoco ran, and none that is gone. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { initRepository } from "../../support/repository.ts";
import { hasTmux, monocoIn, openWindow } from "../../support/tmux.ts";
import { approves, issuePath, issueText, openPlace, works } from "../../support/place.ts";

test("a run notes its repository once; one that was moved is dropped with a word", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  const { sandbox, project } = place;
  const list = join(sandbox.folder, "state/monoco/repositories");
  await place.monoco("run", "FEAT-0001");
  await place.monoco("run", "--all");
  expect(readFileSync(list, "utf8")).toBe(`${project}\n`);

  const other = join(sandbox.folder, "other");
  initRepository(other, { name: "P", email: "p@example.com" });
  await sandbox.sh(other, `cp "${project}/monoco.yaml" "${project}/story.yaml" . && mkdir issues`);
  writeFileSync(join(other, issuePath("FEAT-0009")), issueText("FEAT-0009"));
  await sandbox.sh(other, "git add -A && git commit -qm Begin");
  expect(await sandbox.monoco(["run", "FEAT-0009"], { cwd: other })).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  const both = await sandbox.monoco(["inbox", "--everywhere", "--json"], { cwd: sandbox.folder });
  const told = JSON.parse(both.stdout) as { root: string; counts: { merged: number } }[];
  expect(told.map(({ root, counts }) => [root, counts.merged])).toEqual([
    [project, 1],
    [other, 1],
  ]);
  const shown = await sandbox.monoco(["inbox", "--everywhere"], { cwd: sandbox.folder });
  expect(shown.stdout).toContain(`cd '${project}'\nneeds you   none`);
  expect(shown.stdout).toContain(`cd ${other}\nneeds you   none`);

  if (hasTmux()) {
    const window = await openWindow(place, { width: 100, height: 24 });
    await window.type(monocoIn("watch --everywhere"));
    await window.keys("Enter");
    await window.shows("all repositories");
    await window.keys("3");
    const screen = await window.shows("FEAT-0009");
    expect(screen).toMatch(/done +2 merged/);
    expect(screen).toMatch(/\+ a project,… +FEAT-0001/);
    expect(screen).toMatch(/\+ other +FEAT-0009/);
    await window.keys("C-c");
  }

  renameSync(other, `${other}-moved`);
  const dropped = await sandbox.monoco(["inbox", "--everywhere"], { cwd: sandbox.folder });
  expect(dropped.stderr).toBe(
    `${other}: no relays are there any more; it is dropped from the list of repositories`,
  );
  const quiet = await sandbox.monoco(["inbox", "--everywhere"], { cwd: sandbox.folder });
  expect(quiet.stderr).toBe("");
  expect(readFileSync(list, "utf8")).toBe(`${project}\n`);
});

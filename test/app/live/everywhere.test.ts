/** All repositories in one view: each in which monoco ran, and none that is gone. */
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHere } from "../../../src/app/here.ts";
import { everywhere, noteRepository } from "../../../src/app/live/everywhere.ts";
import { within } from "../../../src/io/io.ts";
import { openSandbox } from "../../support/cli.ts";
import type { Sandbox } from "../../support/cli.ts";
import { expectWords } from "../../support/picture.ts";
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
  expect(quiet.stdout).toContain(`cd '${project}'`);
});

const list = "state/monoco/repositories";

/** A repository with a folder of monoco's, in a sandbox that ends with its test. */
function openOne(name: string): { sandbox: Sandbox; path: string; there<T>(task: () => T): T } {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.dispose());
  const path = join(sandbox.folder, name);
  make(path);
  return { sandbox, path, there: (task) => within({ cwd: sandbox.folder, env: sandbox.env }, task) };
}

function make(path: string): void {
  initRepository(path, { name: "P", email: "p@example.com" });
  mkdirSync(join(path, ".monoco"));
}

const rootsOf = ({ heres }: Awaited<ReturnType<typeof everywhere>>): string[] =>
  heres.map(({ repository }) => repository.root);

test("a link, a subfolder and a worktree lead to one repository, whose name may have blanks at its ends", async () => {
  const { sandbox, path, there } = openOne(" a  b ");
  const [link, tree] = [join(sandbox.folder, "link"), join(sandbox.folder, "tree")];
  symlinkSync(path, link);
  await sandbox.sh(
    path,
    `git commit -q --allow-empty -m Begin && mkdir sub && git worktree add -q "${tree}"`,
  );
  await there(async () => {
    for (const way of [path, link, join(link, "sub"), tree]) noteRepository(await openHere(way));
    expect(rootsOf(await everywhere())).toEqual([path]);
    // A line end would be two lines of the list.
    make(`${path}\n`);
    await expect(openHere(`${path}\n`)).rejects.toThrow("a line end in its name");
  });
  expect(readFileSync(join(sandbox.folder, list), "utf8")).toBe(`${path}\n`);
});

test("what another process notes while one is dropped is not lost, and one that came back is shown again", async () => {
  const { sandbox, path, there } = openOne("one");
  const [stays, other, away] = [
    join(sandbox.folder, "stays"),
    join(sandbox.folder, "other"),
    `${path}-moved`,
  ];
  for (const one of [stays, other]) make(one);
  await there(async () => {
    for (const one of [path, stays]) noteRepository(await openHere(one));
    const late = await openHere(other);
    renameSync(path, away);
    const looking = everywhere();
    noteRepository(late);
    expect((await looking).said).toEqual([expect.stringContaining(`${path}: no relays are there any more`)]);
    expect(rootsOf(await everywhere())).toEqual([stays, other]);
    renameSync(away, path);
    noteRepository(await openHere(path));
    expect(rootsOf(await everywhere())).toEqual([stays, other, path]);
  });
});

test("one that cannot be read hides no other, and stays noted", async () => {
  const { sandbox, path, there } = openOne("one");
  const [shut, odd] = [join(sandbox.folder, "shut"), join(sandbox.folder, "odd")];
  for (const one of [shut, odd]) make(one);
  await there(async () => {
    for (const one of [shut, odd, path]) noteRepository(await openHere(one));
  });
  writeFileSync(join(shut, ".git/config"), "[");
  writeFileSync(join(odd, ".monoco/relays"), "");
  for (const flags of [[], ["--json"]]) {
    const ran = await sandbox.monoco(["inbox", "--everywhere", ...flags]);
    expect(ran.stdout).toContain(path);
    expect(ran.stdout).not.toContain(odd);
    expect(ran.stderr).toContain(`${shut}: git does not open the repository`);
    expect(ran.stderr.split(shut)).toHaveLength(2);
    expect(ran.stderr).toContain(`${odd}/.monoco/relays`);
    expectWords(ran);
    expect(ran.exitCode).toBe(2);
  }
});

test("where none is noted, it says so, outside of any repository, too", async () => {
  const { sandbox, path } = openOne("one");
  for (const cwd of [sandbox.folder, path]) {
    const ran = await sandbox.monoco(["inbox", "--everywhere"], { cwd });
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: "monoco has run in no repository of this machine yet",
    });
    const json = await sandbox.monoco(["inbox", "--everywhere", "--json"], { cwd });
    expect(json).toMatchObject({ exitCode: 0, stderr: "", stdout: "[]" });
  }
});

/** A disk that is full before a relay, or fills while it runs: words, nothing half done, and after some room is made it goes on. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import type { TestContext } from "vitest";
import { eventsOf, processesOf } from "../support/cli.ts";
import { pictureOf } from "../support/picture.ts";
import { approves, commit, issue, issuePath, issueText, makePlace, works } from "../support/bad-place.ts";
import type { Place, Story } from "../support/bad-place.ts";
import { mountSmallDisk, smallDisksWork } from "../support/small-disk.ts";
import type { SmallDisk } from "../support/small-disk.ts";
import { full as test, testRows } from "../support/full.ts";

let mountable = false;
beforeAll(() => {
  mountable = smallDisksWork();
});

type Where = { name: string; folder(place: Place): string; mebibytes: number };
const runtime: Where = {
  name: "the runtime files",
  folder: (place) => join(place.project, ".monoco"),
  mebibytes: 1,
};
const clones: Where = { name: "the clones", folder: (place) => place.state, mebibytes: 3 };
const repository: Where = { name: "the repository", folder: (place) => place.project, mebibytes: 4 };
const temporary: Where = {
  name: "the temporary files",
  folder: (place) => join(place.sandbox.folder, "tmp"),
  mebibytes: 1,
};

type Small = {
  place: Place;
  disk: SmallDisk;
  run(...args: string[]): ReturnType<Place["monoco"]>;
  types(): string[];
};

async function placeOn(where: Where, context: TestContext, story?: Story): Promise<Small> {
  if (!mountable) context.skip("no small disk can be mounted here: tmpfs in a user namespace is not allowed");
  const place = await makePlace(story);
  const disk = await mountSmallDisk(where.folder(place), where.mebibytes);
  onTestFinished(() => disk.unmount());
  mkdirSync(join(place.sandbox.folder, "tmp"), { recursive: true });
  const env = { TMPDIR: join(place.sandbox.folder, "tmp") };
  return {
    place,
    disk,
    run: (...args) => place.monoco(args, { under: disk.under(place.project), env }),
    types: () => eventsOf(disk.seen(place.project), issue).map((event) => event.type),
  };
}

/** All but the empty locks of a run. */
const personsOwn = (disk: SmallDisk, place: Place): object =>
  Object.fromEntries(
    Object.entries(pictureOf(disk.seen(place.project))).filter(([path]) => !path.includes("/.monoco")),
  );

const noRoom = /^error: [^\n]*(no room is left on the disk|No space left on device|ENOSPC|Out of diskspace)/;

describe("full before", () => {
  testRows([runtime, clones, repository])(
    "the disk of $name: nothing is opened, and a run goes well once there is room",
    async (where, context) => {
      const { place, disk, run, types } = await placeOn(where, context);
      await disk.fill();
      const before = personsOwn(disk, place);
      const ran = await run("run", issue, "--json");
      expect(ran).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(noRoom) as string });
      expect(ran.stderr).toMatch(/\nhint: [^\n]*(make room|fix)/);
      expect(types()).toEqual([]);
      if (where === repository) expect(personsOwn(disk, place)).toEqual(before);
      expect(await run("relay", "status")).toMatchObject({ exitCode: 0 });
      await disk.free();
      expect(await run("run", issue)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(types().at(-1)).toBe("merge.done");
    },
  );

  test("the disk of the repository: what a person keeps there stays whole", async (context) => {
    const { place, disk, run } = await placeOn(repository, context);
    await disk.sh('cd "$1" && printf "# Mine\\n" > AGENTS.md && rm monoco.yaml');
    await disk.fill();
    const before = pictureOf(disk.seen(place.project));
    for (const args of [["issue", "create", "Another"], ["init"]]) {
      expect(await run(...args)).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(noRoom) as string,
      });
      expect(pictureOf(disk.seen(place.project))).toEqual(before);
    }
    expect(await run("issue", "list")).toMatchObject({ exitCode: 0 });
    expect(await disk.sh(`cat "$1/${issuePath}"`)).toBe(issueText.trimEnd());
  });
});

describe("mounted read-only", () => {
  test("the repository's: every command that writes is refused with the folder and a remedy, and changes nothing", async (context) => {
    const { place, disk, run } = await placeOn(repository, context);
    await disk.sh('rm -rf "$1"/.monoco && mount -o remount,ro "$1"');
    const before = pictureOf(disk.seen(place.project));
    for (const args of [["run", issue], ["init"], ["issue", "create", "Another"]])
      expect({ args, ...(await run(...args)) }).toEqual({
        args,
        exitCode: 2,
        stdout: "",
        stderr: expect.stringMatching(
          /^error: (FEAT-0001: )?[^\n]*a project[^\n]*: the file system is read-only \(EROFS, \w+\)\nhint: make it writable/,
        ) as string,
        signal: undefined,
      });
    expect(pictureOf(disk.seen(place.project))).toEqual(before);
    expect(await run("issue", "list")).toMatchObject({ exitCode: 0 });
    await disk.sh('mount -o remount,rw "$1"');
    expect(await run("run", issue)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("the clones': the run is refused with the folder and a remedy, and goes well once it may write", async (context) => {
    const { disk, run } = await placeOn(clones, context);
    await disk.sh('mount -o remount,ro "$1"');
    expect(await run("run", issue)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: [^\n]*\/state[^\n]*: the file system is read-only \(EROFS, \w+\)\nhint: [^\n]*XDG_STATE_HOME/,
      ) as string,
    });
    await disk.sh('mount -o remount,rw "$1"');
    expect(await run("run", issue)).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("filled by a session", () => {
  const fills = (folder: string): Story => ({
    executor: [
      [
        { write: { "a.txt": "committed" } },
        commit,
        { write: { "b.txt": "uncommitted" } },
        { run: `dd if=/dev/zero of="${folder}/filler" bs=4096; true` },
        { submit: true },
      ],
      works,
    ],
    reviewer: [approves],
  });

  test.for<[string, Where, string]>([
    [runtime.name, runtime, "$PERSON/.monoco"],
    [clones.name, clones, "$PWD/../../.."],
    [repository.name, repository, "$PERSON"],
  ])(
    "the disk of %s: the run ends in words, all work is kept, and with room it goes on",
    async ([, where, folder], context) => {
      const { place, disk, run, types } = await placeOn(where, context, fills(folder));
      const ran = await run("run", issue);
      expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(noRoom) as string });
      expect(ran.stderr).toMatch(/\nhint: /);
      expect(processesOf(place.sandbox.folder)).toEqual([]);
      expect(await run("relay", "status", issue)).toMatchObject({ exitCode: 0 });
      await disk.free();
      expect(await run("run", issue)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(types().at(-1)).toBe("merge.done");
      const kept = 'cd "$1" && git show main:a.txt main:b.txt main:file.txt';
      expect(await disk.sh(kept.replace('"$1"', `"${place.project}"`))).toBe("committeduncommittedtext");
    },
  );
});

test("the disk of the temporary files, filled by a session: monoco has nothing there that it needs, and goes on", async (context) => {
  const story = {
    executor: [[{ run: 'dd if=/dev/zero of="$PWD/../../../../tmp/filler" bs=4096; true' }, ...works]],
    reviewer: [approves],
  };
  const { disk, run } = await placeOn(temporary, context, story);
  expect(await run("run", issue)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(Number(await disk.sh('df --output=avail "$1" | tail -n 1'))).toBe(0);
});

test("the disk of the repository, filled at the merge: the person's checkout is as it was, and the merge is made later", async (context) => {
  const { place, disk, run, types } = await placeOn(repository, context, {
    executor: [works],
    reviewer: [[{ run: 'dd if=/dev/zero of="$PERSON/filler" bs=4096; true' }, ...approves]],
  });
  const ran = await run("run", issue);
  expect(ran.exitCode).toBe(1);
  expect(ran.stdout + ran.stderr).toMatch(/No space left|no room is left|ENOSPC|Out of diskspace/);
  expect(await disk.sh('cd "$1" && git --no-optional-locks status --porcelain --untracked-files=no')).toBe(
    "",
  );
  await disk.free();
  expect(await run("run", issue)).toMatchObject({ exitCode: 0 });
  expect(types().at(-1)).toBe("merge.done");
  expect(await disk.sh('cd "$1" && git status --porcelain && cat file.txt')).toBe("text");
  expect(processesOf(place.sandbox.folder)).toEqual([]);
});

/** A power loss takes nothing that was acknowledged: some hundred of the cases of `npm run torture -w lab -- --only "power loss"`. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashed } from "../../torture/power-loss/crash.ts";
import { bytesOf, emptyDisk, lay, top } from "../../torture/power-loss/disk.ts";
import type { Disk, Step } from "../../torture/power-loss/disk.ts";
import { recorded } from "../../torture/power-loss/recorder.ts";
import type { Recording } from "../../torture/power-loss/recorder.ts";
import { losePower } from "../../torture/power-loss.ts";
import { attempt } from "../../../src/core/error/attempt.ts";
import { openJournal, readJournal } from "../../../src/store/journal.ts";
import { writeAtomically, writeDurably, writeNew } from "../../../src/store/durable.ts";
import { diceFrom } from "../../../test/core/support/simulation.ts";
import { temporaryFolder } from "../../../test/support/repository.ts";

/** A few seconds; `seconds` keeps it short where the machine is busy. */
const cases = { seeds: 300, seconds: 30 };
/** In which a line of the journal had one byte in its first sector, and was torn there. */
const edge = 12_618;

test("what was acknowledged is there after three power losses, and nothing that was never written", async () => {
  const { n, violations } = await losePower(cases, { seed: 1, say: () => undefined });
  expect(violations).toEqual([]);
  expect(n).toBeGreaterThan(cases.seeds / 10);
});

test("so it is where a line of the journal lost the one byte in its first sector", async () => {
  const { violations } = await losePower({ seeds: 1, seconds: 30 }, { seed: edge, say: () => undefined });
  expect(violations).toEqual([]);
});

test("a torn tail is cut for good before the next line is written, which would else lie among its pieces", async () => {
  const first = await recorded(temporaryFolder(), emptyDisk(), async ({ folder }) => {
    const journal = openJournal(join(folder, "file"));
    journal.append(0, note("one"), 1);
    journal.append(1, note("two, ".repeat(150)), 1);
    journal.close();
  });
  // The next line is as long as the sectors that are zeros, and shorter than the torn one: what is left of that has no zeros.
  const torn = crashes(emptyDisk(), first.steps, 400).filter((disk) => contentOf(disk).endsWith('"}\n'));
  const damaged: string[] = [];
  for (const disk of torn.filter((one) => contentOf(one).includes("\0")).slice(0, 20)) {
    const folder = temporaryFolder();
    lay(disk, folder);
    const { steps } = await recorded(folder, disk, async () => {
      const journal = openJournal(join(folder, "file"));
      journal.append(1, note("three, ".repeat(60)), 1);
      journal.close();
    });
    const path = join(temporaryFolder(), "file");
    for (const content of new Set(crashes(disk, steps, 200).map(contentOf))) {
      writeFileSync(path, content);
      const events = attempt(() => readJournal(path), []);
      if (events.length === 0) damaged.push(content);
    }
  }
  expect(torn.length).toBeGreaterThan(10);
  expect(damaged).toEqual([]);
});

test("a durable writing is noted as its temporary file, the sync of that, the new name, and the sync of the folder", async () => {
  const { steps } = await notedOf((path) => writeDurably(path, "new"));
  expect(steps.map((step) => step.do)).toEqual(["make", "name", "write", "sync", "name", "sync"]);
});

test.for([
  ["one that is synced leaves the new file only", writeDurably, ["new"]],
  ["one of a new file leaves the whole of it only", writeNew, ["new"]],
  [
    "one that is not leaves any part of it, zeros, or none",
    writeAtomically,
    ["", "\0\0\0", "n", "ne", "new", "none"],
  ],
] as const)("of writings, %s", async ([, write, expected]) => {
  const { steps } = await notedOf((path) => write(path, "new"));
  const left = Array.from({ length: 200 }, (_, seed) => {
    return contentOf(crashed(emptyDisk(), steps, steps.length, diceFrom(seed)));
  });
  expect([...new Set(left)].sort()).toEqual(expected);
});

test("a view is not written over what a crash left of the one before", async () => {
  const { steps } = await notedOf((path) => writeAtomically(path, "old"));
  const renamed = steps.findLastIndex(({ do: did }) => did === "name");
  const [made] = steps.flatMap((step) => (step.do === "make" ? [step.node] : []));
  const synced: Step[] = [made!, top].map((node) => ({ do: "sync", node }));
  const before = [...steps.slice(0, renamed), ...synced];
  const left = crashed(emptyDisk(), before, before.length, diceFrom(1));
  expect([...left.files.values()].map(String)).toEqual(["old"]);

  const folder = temporaryFolder();
  lay(left, folder);
  const second = await recorded(folder, left, async () => writeAtomically(join(folder, "file"), "n"));
  const contents = Array.from({ length: 200 }, (_, seed) =>
    contentOf(crashed(left, second.steps, second.steps.length, diceFrom(seed))),
  );
  expect([...new Set(contents)].sort()).toEqual(["", "\0", "n", "none"]);
});

test("a new file is whole or not there, wherever the power goes as it is made", async () => {
  const { steps } = await notedOf((path) => writeNew(path, "new"));
  const left = steps.flatMap((_, taken) =>
    Array.from({ length: 100 }, (__, seed) => contentOf(crashed(emptyDisk(), steps, taken, diceFrom(seed)))),
  );
  expect([...new Set(left)].sort()).toEqual(["new", "none"]);
});

test("the folder that a new file needs is there as well, once it is acknowledged", async () => {
  const { steps } = await notedOf((path) => writeNew(join(path, "issue.md"), "new"));
  const left = Array.from({ length: 200 }, (_, seed) => {
    const disk = crashed(emptyDisk(), steps, steps.length, diceFrom(seed));
    return disk.folders.get(disk.folders.get(top)?.get("file") ?? -1)?.has("issue.md");
  });
  expect(new Set(left)).toEqual(new Set([true]));
});

test("what the recorder does not know is refused, not missed", async () => {
  await expect(
    notedOf((path) => {
      appendFileSync(path, "unseen");
    }),
  ).rejects.toThrow("does not know appendFileSync");
  const path = join(temporaryFolder(), "after");
  appendFileSync(path, "the real one again");
  expect(readFileSync(path, "utf8")).toBe("the real one again");
});

const note = (text: string) => ({ type: "note.said", by: "person", text }) as const;

/** What a power loss just before the last sync may leave. */
function crashes(start: Disk, steps: readonly Step[], seeds: number): Disk[] {
  return Array.from({ length: seeds }, (_, seed) => crashed(start, steps, steps.length - 1, diceFrom(seed)));
}

function notedOf(write: (path: string) => void): Promise<Recording> {
  const folder = temporaryFolder();
  return recorded(folder, emptyDisk(), async () => write(join(folder, "file")));
}

function contentOf(disk: Disk): string {
  const node = disk.folders.get(top)?.get("file");
  return node === undefined ? "none" : bytesOf(disk, node).toString();
}

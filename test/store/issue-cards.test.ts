/** Cards that were read before: what is got from them is what the files say, whatever becomes of files and cache. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as cards from "../../src/core/issue/card.ts";
import * as folder from "../../src/store/issue-folder.ts";
import { issueCards } from "../../src/store/issues/issue-cards.ts";
import type { IssueCards } from "../../src/store/issues/issue-cards.ts";
import { issuePath, issueText } from "../support/place.ts";

vi.mock(import("../../src/store/issue-folder.ts"), { spy: true });

let root: string;
let cache: string;
const count = 50;
const idOf = (n: number): string => `FEAT-${String(n).padStart(4, "0")}`;
const pathOf = (n: number): string => join(root, issuePath(idOf(n)));
/** Long after every file was written. */
let nowMs: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "monoco-cards-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cache = join(root, ".monoco", "cache", "issues.json");
  mkdirSync(join(root, "issues"));
  mkdirSync(join(root, ".monoco"));
  for (let n = 1; n <= count; n++) writeFileSync(pathOf(n), issueText(idOf(n)));
  nowMs = Date.now() + 60_000;
});

/** What was read, and how many files had to be read for it. */
async function look(): Promise<IssueCards & { reads: number }> {
  vi.mocked(folder.readIssueFile).mockClear();
  const all = await issueCards(root, { cache, nowMs });
  return { ...all, reads: vi.mocked(folder.readIssueFile).mock.calls.length };
}

/** The same without any cache. */
const truth = (): Promise<IssueCards> => issueCards(root, { cache: undefined, nowMs });

async function expectTruth(reads: number): Promise<void> {
  const { reads: had, ...all } = await look();
  expect(all).toEqual(await truth());
  expect(had).toBe(reads);
}

test("nothing that has not changed is read again", async () => {
  await expectTruth(count);
  await expectTruth(0);
});

test("texts are read where they are asked for", async () => {
  await look();
  const { issues } = await issueCards(root, { cache, texts: true, nowMs });
  expect(issues.map(({ text }) => text)).toEqual(issues.map(({ card }) => issueText(card.id)));
});

describe("what has changed is read again", () => {
  const other = (n: number): string => issueText(idOf(n)).replace("Write a file", "Write a book");
  test.for<[string, () => void, number]>([
    ["with the same size", () => writeFileSync(pathOf(1), other(1)), 1],
    [
      "with the same size and the same time, set back",
      () => {
        const { atime, mtime } = statSync(pathOf(1));
        writeFileSync(pathOf(1), other(1));
        utimesSync(pathOf(1), atime, mtime);
      },
      1,
    ],
    [
      "by another file in its place, with its time",
      () => {
        const { atime, mtime } = statSync(pathOf(1));
        writeFileSync(join(root, "new"), other(1));
        utimesSync(join(root, "new"), atime, mtime);
        renameSync(join(root, "new"), pathOf(1));
      },
      1,
    ],
    ["by being moved over another", () => renameSync(pathOf(1), pathOf(2)), 1],
    ["by being broken", () => writeFileSync(pathOf(1), "---\nid: FEAT-0001\nstage: gone\n---\n"), 1],
    ["by being a link", () => (rmSync(pathOf(1)), symlinkSync(pathOf(2), pathOf(1))), 1],
    ["by being gone", () => rmSync(pathOf(1)), 0],
    ["by being new", () => writeFileSync(pathOf(9_999), issueText("FEAT-9999")), 1],
  ])("%s", async ([, change, reads]) => {
    await look();
    change();
    await expectTruth(reads);
  });

  test("and a broken one each time, with the line of what is wrong", async () => {
    writeFileSync(pathOf(1), "---\nid: FEAT-0001\ntitle: T\nstage: gone\n---\n");
    for (const reads of [count, 1]) {
      await expectTruth(reads);
      const { broken } = await look();
      expect(broken.map(({ id, error }) => [id, error.message])).toEqual([
        ["FEAT-0001", `${issuePath("FEAT-0001")}:4: stage cannot be "gone"`],
      ]);
    }
  });
});

test("a file that has changed just now may change once more at the same time: it is not kept", async () => {
  nowMs = Date.now();
  await expectTruth(count);
  await expectTruth(count);
});

describe("a cache that is not what was written is not used", () => {
  test.for<[string, (text: string) => string | Buffer]>([
    ["empty", () => ""],
    ["cut", (text) => text.slice(0, text.length / 2)],
    ["zeros", (text) => Buffer.alloc(text.length)],
    ["not an object", () => "[]"],
    ["without cards", () => JSON.stringify({ v: cards.cardVersion })],
    ["cards in another shape", () => JSON.stringify({ v: cards.cardVersion, cards: [1, null, "x", {}] })],
    ["of another version", (text) => text.replace(`{"v":${cards.cardVersion},`, '{"v":0,')],
    ["with values that no card has", (text) => text.replaceAll('"status":"open"', '"status":"gone"')],
  ])("%s", async ([, damage]) => {
    await look();
    writeFileSync(cache, damage(readFileSync(cache, "utf8")));
    await expectTruth(count);
    // It was written anew.
    await expectTruth(0);
  });

  test("a folder in its place", async () => {
    mkdirSync(cache, { recursive: true });
    await expectTruth(count);
    await expectTruth(count);
  });
});

describe("nothing is written", () => {
  test("where there is no .monoco yet", async () => {
    rmSync(join(root, ".monoco"), { recursive: true });
    await expectTruth(count);
    expect(existsSync(join(root, ".monoco"))).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)("where it is read-only, and nobody is told", async () => {
    chmodSync(join(root, ".monoco"), 0o500);
    onTestFinished(() => chmodSync(join(root, ".monoco"), 0o700));
    await expectTruth(count);
    expect(readdirSync(join(root, ".monoco"))).toEqual([]);
  });

  test("where a file stands in the place of its folder", async () => {
    writeFileSync(join(root, ".monoco", "cache"), "");
    await expectTruth(count);
    expect(readFileSync(join(root, ".monoco", "cache"), "utf8")).toBe("");
  });

  test("for a few changes", async () => {
    await look();
    const before = readFileSync(cache, "utf8");
    writeFileSync(pathOf(1), issueText("FEAT-0001", "priority: high\n"));
    await look();
    expect(readFileSync(cache, "utf8")).toBe(before);
  });
});

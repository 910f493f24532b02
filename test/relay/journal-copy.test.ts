/** The copy of a journal: what is printed of it is the journal, and a copy of a long one writes little. */
import { execaSync } from "execa";
import { chmodSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { partBytes, printCopy } from "../../src/core/journal/copy-parts.ts";
import { keepGit } from "../../src/git/git.ts";
import { openRepository } from "../../src/git/repository.ts";
import { compareWithCopy, keepJournalCopy } from "../../src/relay/journal-copy.ts";
import { temporaryRepository } from "../support/repository.ts";

const ref = "refs/monoco/FEAT-0001/journal";

async function copying(before = "true", isKept = true) {
  const { folder, git } = await temporaryRepository();
  execaSync("/bin/sh", ["-ec", before], { cwd: folder });
  const repository = await openRepository(folder);
  if (isKept) onTestFinished(keepGit(folder));
  const journal = join(folder, "journal.jsonl");
  const told: unknown[] = [];
  const write = (text: string): void => writeFileSync(journal, text);
  const keep = async (text: string): Promise<void> => {
    write(text);
    const verify = (): Buffer => Buffer.from(text);
    await keepJournalCopy({
      repository,
      issue: "FEAT-0001",
      journal: { verify },
      onProgress: (news) => void told.push(news),
    });
    expect(told).toEqual([]);
  };
  const compare = (): Promise<void> =>
    compareWithCopy({ repository, issue: "FEAT-0001", places: { journal } });
  const below = join(folder, "below");
  mkdirSync(below);
  const print = (): string =>
    execaSync("/bin/sh", ["-ec", printCopy(ref)], { cwd: below, stripFinalNewline: false }).stdout;
  const objects = (): string[] =>
    readdirSync(join(folder, ".git/objects"), { recursive: true, encoding: "utf8" }).filter((name) =>
      /^[0-9a-f]{2}\/./.test(name),
    );
  return { git, folder, write, keep, compare, print, objects };
}

const line = (n: number): string => `${JSON.stringify({ n, 文: "x".repeat(1_000) })}\n`;
const linesTo = (n: number): string => Array.from({ length: n }, (_, at) => line(at)).join("");
const many = (4 * partBytes) / 1_000;

test.for<[string, string, boolean]>([
  ["in a plain repository", "true", true],
  ["where git has to write its objects", "git config core.fsync loose-object", true],
  ["where no git is kept", "true", false],
])("a copy is printed as the journal, and what it holds may not change: %s", async ([, before, isKept]) => {
  const { keep, compare, print, write } = await copying(before, isKept);
  await keep(linesTo(many));
  expect(print()).toBe(linesTo(many));
  write(linesTo(many + 1));
  await compare();
  for (const other of [linesTo(many - 1), linesTo(many).replace('"n":0', '"n":9'), line(1)]) {
    write(other);
    await expect(compare()).rejects.toThrow("were changed or cut");
  }
  await keep(linesTo(2 * many));
  expect(print()).toBe(linesTo(2 * many));
});

test("a copy that goes on writes the last part and the list of parts", async () => {
  const { keep, objects } = await copying();
  await keep(linesTo(many));
  const before = objects();
  await keep(linesTo(many + 1));
  expect(objects().length - before.length).toBe(2);
});

test.for<[string, (path: string) => void]>([
  ["gone", rmSync],
  ["empty, as after a power loss", (path) => truncateSync(path)],
])(
  "a copy of which parts are %s accuses nobody, cannot be printed, and the next one has them again",
  async ([, lose]) => {
    const { git, folder, keep, compare, print } = await copying();
    await keep(linesTo(many));
    for (const part of (await git("ls-tree", "--object-only", ref)).split("\n")) {
      const object = join(folder, ".git/objects", part.slice(0, 2), part.slice(2));
      chmodSync(object, 0o644);
      lose(object);
    }
    await compare();
    expect(print).toThrow();
    await keep(linesTo(many + 1));
    await compare();
    expect(print()).toBe(linesTo(many + 1));
  },
);

test("a copy from before copies had parts counts, and the next one has parts", async () => {
  const { git, keep, compare, print, write } = await copying();
  write(linesTo(3));
  const blob = await git("hash-object", "-w", "--", "journal.jsonl");
  await git("update-ref", ref, blob);
  await compare();
  expect(print()).toBe(linesTo(3));
  write(linesTo(2));
  await expect(compare()).rejects.toThrow("were changed or cut");
  await keep(linesTo(4));
  expect(print()).toBe(linesTo(4));
});

/** Folders beside the repository that are shown beside its clones: which are, and which are refused in words. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { siblingSchema } from "../../src/core/text/sibling.ts";
import { refuseSiblings, shownBeside } from "../../src/git/siblings.ts";
import { testRows } from "../support/full.ts";
import { temporaryRepository } from "../support/repository.ts";

const elsewhere = "expected a folder beside the repository, as ../lib";
const taken = "monoco has a folder of this name beside its clones: give yours another name";

test.for<[string, string?]>([
  ["../lib"],
  ["../lib/"],
  ["../libs/a b/ä"],
  ["lib", elsewhere],
  ["/lib", elsewhere],
  ["..", elsewhere],
  ["../", elsewhere],
  ["../../lib", elsewhere],
  ["../lib/../../x", elsewhere],
  ["../FEAT-0001.review", taken],
  ["../packages/lib", taken],
  ["../work", taken],
])("siblings: [%s]", ([text, why]) => {
  expect(siblingSchema.safeParse(text).error?.issues[0]?.message).toBe(why);
});

testRows<[string, string | undefined]>([
  ["lib", undefined],
  ["gone", "is no folder"],
  ["repository", "is this repository, or has it inside"],
  ["linked", "is this repository, or has it inside"],
  ["around", "is this repository, or has it inside"],
])("of the folders beside a repository, %s is refused: %s", async ([name, why]) => {
  const { folder, outside, git } = await temporaryRepository();
  mkdirSync(join(outside, "lib"));
  await git("worktree", "add", "--quiet", "-b", "linked", join(outside, "linked"));
  symlinkSync("..", join(outside, "around"));
  const repository = { root: folder, commonDir: join(folder, ".git") };
  const refuse = (): void => refuseSiblings(repository, [`../${name}`]);
  if (why === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(why);
  const shown = why === undefined ? [[join(outside, name), `/clones/${name}`]] : [];
  expect(shownBeside(repository, [`../${name}`], "/clones/FEAT-0001")).toEqual(shown);
});

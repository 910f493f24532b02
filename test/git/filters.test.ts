/** Filters that git would run on tracked files are refused, since a clone is without them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { MonocoError } from "../../src/core/error/error.ts";
import { filteredIn, refuseFilters } from "../../src/git/filters.ts";
import { gitIn } from "../../src/git/git.ts";
import { testRows } from "../support/full.ts";
import { temporaryRepository, writeFiles } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";

testRows<[string, string, string | undefined]>([
  ["in the root", ".gitattributes", ".gitattributes"],
  ["in a folder", "data/模型/.gitattributes", "data/模型/.gitattributes"],
  ["in a file that is not git's", "docs/lfs.md", undefined],
])("LFS is refused by name: %s", async ([, path, named]) => {
  const place = await temporaryRepository({ [path]: "*.bin filter=lfs diff=lfs merge=lfs -text\n" });
  const error: unknown = await refuseFilters(gitIn(place.folder), "HEAD", "ignore").catch(
    (error: unknown) => error,
  );
  const words = error instanceof MonocoError ? `${error.kind}: ${error.message}` : undefined;
  expect(words).toBe(named && `input: ${named} uses Git LFS, which monoco does not handle yet`);
});

const clean = (place: TestRepository, ...scope: string[]) =>
  place.git("config", ...scope, "filter.crypt.clean", "rot13");
const attributes = "secrets/** filter=crypt diff=crypt\n";

testRows<[string, (place: TestRepository) => unknown, string[]]>([
  ["a driver of the repository", (place) => clean(place), ["secrets/a"]],
  ["a driver of the person", (place) => clean(place, "--global"), ["secrets/a"]],
  ["a process as driver", (place) => place.git("config", "filter.crypt.process", "x"), ["secrets/a"]],
  ["no driver", () => undefined, []],
  ["a driver that is switched off", (place) => place.git("config", "filter.crypt.clean", ""), []],
  ["a driver of another name", (place) => place.git("config", "filter.other.clean", "x"), []],
  [
    "attributes of the checkout alone",
    async (place) => {
      await clean(place);
      writeFileSync(join(place.folder, ".git/info/attributes"), "b.txt filter=crypt\n");
    },
    ["b.txt", "secrets/a"],
  ],
  [
    "attributes of the person's",
    async (place) => {
      await clean(place);
      writeFiles(place.outside, { "home/.config/git/attributes": "b.txt filter=crypt\n" });
    },
    ["b.txt", "secrets/a"],
  ],
  [
    "attributes of the person's, elsewhere",
    async (place) => {
      await clean(place);
      writeFiles(place.outside, { "home/attributes": "b.txt filter=crypt\n" });
      await place.git("config", "--global", "core.attributesFile", "~/attributes");
    },
    ["b.txt", "secrets/a"],
  ],
  [
    "attributes that only the checkout has changed",
    async (place) => {
      await clean(place);
      writeFiles(place.folder, { ".gitattributes": "" });
    },
    ["secrets/a"],
  ],
])("files behind a filter with %s are found", async ([, prepare, paths]) => {
  const place = await temporaryRepository({ ".gitattributes": attributes, "secrets/a": "a\n", "b.txt": "" });
  await prepare(place);
  const found = await filteredIn(gitIn(place.folder), "HEAD");
  expect(found).toEqual(paths.length > 0 ? { filter: "crypt", paths } : undefined);
});

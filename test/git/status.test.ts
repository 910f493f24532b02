/** What differs from a commit in a folder of many files. */
import { execaSync } from "execa";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { temporaryRepository } from "../support/repository.ts";

test("uncommitted work among 2,000 files is all of it", async () => {
  const place = await temporaryRepository();
  const make = "mkdir many; cd many; for n in $(seq 2000); do : > $n; done; git add .; git commit -qm Many";
  execaSync("/bin/sh", ["-ec", make], { cwd: place.folder });
  const head = await place.git("rev-parse", "HEAD");
  execaSync("/bin/sh", ["-ec", "echo 1 > many/7; rm many/8; echo 2 > new; mkdir -p a/b; echo 3 > a/b/c"], {
    cwd: place.folder,
  });
  const person = { root: place.folder, commonDir: join(place.folder, ".git") };
  const { tree, uncommitted, leftOut } = await takeSnapshot(person, place.folder, head);
  expect({ uncommitted, leftOut }).toEqual({
    uncommitted: ["a/b/c", "many/7", "many/8", "new"],
    leftOut: [],
  });
  await place.git("add", "--all");
  expect(tree).toBe(await place.git("write-tree"));
});

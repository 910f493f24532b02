/** What differs from an index: two gits side by side say what one says. */
import { execaSync } from "execa";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { statusInTwo, statusOf } from "../../src/git/status.ts";
import { temporaryRepository } from "../support/repository.ts";

/** Each kind of thing that a session may leave. */
const everything = `
for name in kept edited touched gone bit link file folder/in folder/out; do mkdir -p "$(dirname $name)"; echo $name > $name; done
printf '%s\\n' '*.log' 'built/' '!kept.log' > .gitignore
git add -A; git commit -qm Files
echo more >> edited; touch -d '1 hour ago' touched; rm gone; chmod +x bit
rm link; ln -s kept link; rm file; mkdir file; echo 1 > file/inside
mv folder away; echo 2 > folder
mkdir -p built deep/er empty 'a name' 登录; echo 3 > built/it; echo 4 > deep/er/it; echo 5 > deep/one.log; echo 6 > deep/kept.log
echo 7 > 'a name/with "quotes"'; echo 8 > 'a name/and
lines'; echo 9 > 登录/ö; ln -s away linked; ln -s nowhere dangling; mkfifo pipe; echo a > --all; echo b > staged; git add staged
printf 'one.txt\\n' > deep/.gitignore; echo c > deep/one.txt
git init -q nested; git init -q other; (cd nested; git commit -q --allow-empty -m Nested; echo d > in)
mkdir -p deep/repo; (cd deep/repo; git init -q; echo e > in; git add in; git commit -qm In)
`;

test("of each kind of thing that a session may leave", async () => {
  const { folder } = await temporaryRepository();
  execaSync("/bin/sh", ["-ec", everything], { cwd: folder });
  const git = gitIn(folder);
  const inOne = await statusOf(git, folder, "all");
  expect(inOne.length).toBeGreaterThan(20);
  expect((await statusInTwo(git, folder)).toSorted()).toEqual(inOne.toSorted());
});

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

/** The last commits as `git log` has them, without its process where they are a plain line. */
import { execaSync } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { gitIn, keepGit } from "../../src/git/git.ts";
import { logOf } from "../../src/git/log.ts";
import type { Git } from "../../src/git/git.ts";
import { temporaryRepository } from "../support/repository.ts";

test.for<[string, string, "asked" | "read"]>([
  ["no commit", "true", "read"],
  ["one commit", "git commit -qm one --allow-empty", "read"],
  ["more than ten", "for n in $(seq 12); do git commit -qm $n --allow-empty; done", "read"],
  [
    "subjects of several lines, and none",
    "printf '\\n \\none \\n two\\t\\n \\nbody' | git commit -qF - --cleanup=verbatim --allow-empty; git commit -qm '' --allow-empty --allow-empty-message; git commit -qm 'é 项目\u00a0' --allow-empty",
    "read",
  ],
  [
    "a signature",
    "git cat-file commit HEAD | sed 's/^committer.*/&\\ngpgsig -----BEGIN-----\\n parent 1\\n \\n -----END-----/; s/^author/parent '$(git rev-parse HEAD)'\\nauthor/' | git hash-object -t commit -w --stdin | xargs git update-ref HEAD",
    "read",
  ],
  [
    "a branch whose name is a commit's",
    "git commit -qm one --allow-empty; git commit -qm two --allow-empty; git branch $(git rev-parse --short=7 HEAD^)",
    "read",
  ],
  ["another encoding", "git -c i18n.commitEncoding=ISO-8859-1 commit -qm one --allow-empty", "asked"],
  [
    "a merge",
    "git commit -qm one --allow-empty; git checkout -qb side HEAD^; git commit -qm two --allow-empty; git merge -q --no-ff -m merge main",
    "asked",
  ],
  ["another history", "git checkout -q --orphan other; git commit -qm one --allow-empty", "asked"],
])("of %s", async ([, work, how]) => {
  const { git, folder } = await temporaryRepository();
  const start = await git("rev-parse", "HEAD");
  execaSync("/bin/sh", ["-ec", work], { cwd: folder });
  const head = await git("rev-parse", "HEAD");
  onTestFinished(keepGit(folder));
  const own = gitIn(folder);
  let asked = 0;
  const counted: Git = Object.assign(
    async (...args: Parameters<Git>) => {
      asked += 1;
      return own(...args);
    },
    { ask: own.ask! },
  );
  const told = await own(["log", "--format=%h %s", "--max-count=10", `${start}..${head}`]);
  const expected = told.split("\n").filter(Boolean);
  const isNamed = /branch /.test(work);
  const lines = await logOf(counted, start, head);
  expect(isNamed ? lines.map((line) => line.replace(/^(\w{7})\w/, "$1")) : lines).toEqual(expected);
  expect(asked).toBe(how === "read" ? 0 : 1);
  // The second time the commits are known.
  expect(await logOf(own, start, head)).toEqual(lines);
});

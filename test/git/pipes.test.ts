/** Pipes that an agent leaves where git looks for a file: git would wait at them for ever. */
import { join } from "node:path";
import { execaSync } from "execa";
import { expect, test } from "vitest";
import { takeSnapshot } from "../../src/git/snapshot.ts";
import { fetchSession, headsOf } from "../../src/git/clone/fetch-session.ts";
import { makeClone, renewClone } from "../../src/git/clone/workspace.ts";
import { takeBack } from "../../src/git/folders.ts";
import { gitIn } from "../../src/git/git.ts";
import { approves, openPlace, run, submit } from "../support/place.ts";
import { temporaryRepository } from "../support/repository.ts";

// TRAP 62
test.for<[string, string]>([
  [".gitignore", "mkfifo .gitignore"],
  [".gitattributes", "mkfifo .gitattributes"],
  ["sub/.gitattributes", "mkdir -p sub && mkfifo sub/.gitattributes && echo new > sub/new.txt"],
  [".git/HEAD", "rm -f .git/HEAD && mkfifo .git/HEAD"],
  [".git/config", 'rm -f "$0/pipe" && mkfifo "$0/pipe" && ln -sf "$0/pipe" .git/config'],
  ["sub/.git/HEAD", "git init -q sub && rm sub/.git/HEAD && mkfifo sub/.git/HEAD"],
])("a pipe at %s is removed and told, and no git waits at it", async ([path, script]) => {
  const { folder, outside } = await temporaryRepository();
  const [workspace, commonDir] = [join(outside, "clone"), join(folder, ".git")];
  const source = {
    root: folder,
    base: "main",
    ref: "HEAD",
    branch: "monoco/FEAT-0001",
    clones: "borrowed" as const,
  };
  await makeClone(source, workspace);
  const leavePipe = () =>
    execaSync("/bin/sh", ["-ec", `${script}; echo two > a.txt`, outside], { cwd: workspace });
  leavePipe();
  expect(await takeBack(workspace)).toEqual([path]);
  const git = gitIn(folder);
  const head = (await git(["rev-parse", "HEAD"])).trim();
  const from = { workspace, issue: "FEAT-0001", session: 1, previousHead: head };
  expect(await fetchSession({ ...source, ref: "refs/monoco/FEAT-0001/head" }, from)).toMatchObject({ head });
  const { uncommitted } = await takeSnapshot({ root: folder, commonDir }, workspace, head);
  expect(uncommitted).toContain("a.txt");
  await headsOf(git, workspace);
  leavePipe();
  await renewClone(source, workspace);
  expect((await takeSnapshot({ root: folder, commonDir }, workspace, head)).uncommitted).not.toContain(
    "a.txt",
  );
});

test("the end of a session tells of the pipe that it left, and its work is kept", async () => {
  const hides = run("echo '# RALPH.md' > RALPH.md; rm -f .gitignore; mkfifo .gitignore");
  const session = [
    { write: { "file.txt": "text\n", "sub/new.txt": "new\n" } },
    run("git add file.txt && git commit -qm work"),
    hides,
  ];
  const place = await openPlace(
    { executor: [session, [submit]], reviewer: [approves] },
    { limits: { sessionsMax: 2 } },
  );
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project });
  const [first] = place.all("session.ended");
  expect(first).toMatchObject({ commits: 1, filesChanged: 2, wip: expect.any(String) });
  expect(first!.evidence).toContainEqual({ rule: "pipes_removed", paths: [".gitignore"] });
});

test("a pipe that was in no git's way is gone for the next session's", async () => {
  const leaves = run("echo 1 > a; git add a; git commit -qm a; mkdir d; mkfifo d/.gitattributes");
  const gone = "timeout 20 sh -c 'while [ -p d/.gitattributes ]; do sleep 0.02; done'";
  const adds = run(`${gone} && echo 2 > d/b && timeout 20 git add d/b && git commit -qm b`);
  const place = await openPlace(
    { executor: [[leaves], [adds, submit]], reviewer: [approves] },
    { limits: { sessionsMax: 3 } },
  );
  await place.sandbox.monoco(["run", "FEAT-0001"], { cwd: place.project });
  expect(
    place
      .all("session.ended")
      .map(({ commits }) => commits)
      .slice(0, 2),
  ).toEqual([1, 1]);
});

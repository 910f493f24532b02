/** Replaying a branch's commits without a working tree: as git rebase would, or not at all and why. */
import { describe, expect, test } from "vitest";
import { execa } from "execa";
import { replayCommitsMax } from "../../src/core/limits.ts";
import { gitIn } from "../../src/git/git.ts";
import { mergeTrees } from "../../src/git/landing.ts";
import { replayCommits } from "../../src/git/replay.ts";
import { temporaryRepository } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";

const issue = "issues/FEAT-0001-登录.md";
const lines = (...words: string[]): string => words.join("\n\n\n\n\n");

type Parted = TestRepository & { base: string };

/** `work` and `main` went different ways from one commit; `work` is checked out, and still at that commit. */
async function parted(theirs: Record<string, string>): Promise<Parted> {
  const place = await temporaryRepository({ "a.txt": lines("one", "two", "three"), [issue]: "open\n" });
  await place.git("branch", "work");
  const base = await place.commit(theirs);
  await place.git("checkout", "--quiet", "work");
  return { ...place, base };
}

const replayed = async ({ folder, base, git }: Parted) =>
  replayCommits(gitIn(folder), {
    base,
    head: await git("rev-parse", "work"),
    settled: issue,
    scratch: `${folder}.scratch`,
  });

const tipOf = async (place: Parted): Promise<string> => {
  const done = await replayed(place);
  if ("because" in done) throw new Error(done.because);
  return done.tip;
};

describe("what is replayed", () => {
  test("is each commit on the base of now, in order: author, date and message as they were, by the person", async () => {
    const place = await parted({ "theirs.txt": "theirs\n" });
    const env = {
      GIT_AUTHOR_NAME: "Ann 安",
      GIT_AUTHOR_EMAIL: "ann@example.invalid",
      GIT_AUTHOR_DATE: "@86400 +0530",
    };
    const messages = [
      "FEAT-0001: the first\n\nWhy: because\n",
      "second, with ünïcode\n",
      "# third\n\n\nend\n",
    ];
    for (const [index, message] of messages.entries()) {
      await place.commit({ [`${index}.txt`]: `${index}\n` });
      const amend = ["commit", "--quiet", "--amend", "--reset-author", "--cleanup=verbatim", "--file=-"];
      await execa("git", amend, { cwd: place.folder, env, input: message });
    }
    const tip = await tipOf(place);
    const format = "--format=%an <%ae> %ad|%cn|%B|";
    const shown = ["--reverse", "--date=raw", format];
    const before = await place.git("log", ...shown, "main~1..work");
    expect(await place.git("log", ...shown, `${place.base}..${tip}`)).toBe(before);
    expect(before).toContain("Ann 安 <ann@example.invalid> 86400 +0530|A Person|FEAT-0001: the first");
    expect(await place.git("rev-list", "--merges", tip)).toBe("");
    expect(await place.git("merge-base", tip, place.base)).toBe(place.base);
  });

  test("comes to the same tree as the merge, renames, modes and links too", async () => {
    const place = await parted({ "a.txt": lines("ONE", "two", "three") });
    await place.git("mv", "--", "a.txt", "-b.txt");
    await place.commit({});
    await place.commit({ "-b.txt": lines("one", "two", "THREE"), "run.sh": "#!/bin/sh\n" });
    await place.git("update-index", "--chmod=+x", "run.sh");
    await place.git("commit", "--quiet", "--message", "may be run");
    await execa("ln", ["-s", "run.sh", "link"], { cwd: place.folder });
    const head = await place.commit({});
    const done = await replayed(place);
    const merged = await mergeTrees(gitIn(place.folder), place.base, head);
    expect(done).toMatchObject({ tree: merged.tree });
    expect(await place.git("show", `${await tipOf(place)}:-b.txt`)).toBe(lines("ONE", "two", "THREE"));
  });

  test("leaves out a commit whose change is on the base already, and keeps one that was empty", async () => {
    const place = await parted({ "same.txt": "same\n" });
    await place.commit({ "same.txt": "same\n" }, "there already");
    await place.commit({}, "empty");
    await place.commit({ "w.txt": "w\n" }, "work");
    const subjects = await place.git("log", "--format=%s", `${place.base}..${await tipOf(place)}`);
    expect(subjects.split("\n")).toEqual(["work", "empty"]);
  });

  test("is nothing where the branch has nothing of its own", async () => {
    const place = await parted({ "b.txt": "" });
    expect(await replayed(place)).toEqual({
      tip: place.base,
      tree: await place.git("rev-parse", "main^{tree}"),
    });
  });

  test("the settled file stands as on the base where both changed it", async () => {
    const place = await parted({ [issue]: "open, and edited\n" });
    await place.commit({ [issue]: "ticked\n", "w.txt": "w\n" });
    const tip = await tipOf(place);
    expect(await place.git("show", `${tip}:${issue}`)).toBe("open, and edited");
    expect(await place.git("show", `${tip}:w.txt`)).toBe("w");
  });
});

test.for<[string, Record<string, string>, (place: Parted) => Promise<unknown>, RegExp]>([
  [
    "a merge commit",
    { "b.txt": "" },
    async (place) => {
      await place.commit({ "w.txt": "" });
      await place.git("merge", "--quiet", "--no-edit", "main");
    },
    /^[0-9a-f]{8} is a merge commit$/,
  ],
  [
    "a commit that conflicts, though the whole does not",
    { "a.txt": lines("one", "two", "THREE") },
    async (place) => {
      await place.commit({ "a.txt": lines("one", "two", "3") });
      await place.commit({ "a.txt": lines("ONE", "two", "three") });
    },
    /^[0-9a-f]{8} by itself conflicts in a\.txt$/,
  ],
  [
    "a conflict in the settled file where the base has none any more",
    { [issue]: "edited\n" },
    async (place) => {
      await place.commit({ [issue]: "ticked\n" });
      await place.git("checkout", "--quiet", "main");
      await place.git("rm", "--quiet", issue);
      place.base = await place.commit({});
      await place.git("checkout", "--quiet", "work");
    },
    /^[0-9a-f]{8} by itself conflicts in issues\//,
  ],
  [
    "an author without a name",
    {},
    async (place) => {
      const tree = await place.git("rev-parse", "HEAD^{tree}");
      const raw = `tree ${tree}\nparent ${await place.git("rev-parse", "HEAD")}\nauthor  <a@b> 1 +0000\ncommitter  <a@b> 1 +0000\n\nwork\n`;
      const hash = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
      const { stdout } = await execa("git", hash, { cwd: place.folder, input: raw });
      await place.git("update-ref", "refs/heads/work", stdout);
    },
    /^[0-9a-f]{8} cannot be made again: .*empty ident name/,
  ],
  [
    "more commits than are replayed",
    {},
    async (place) => {
      const commits = Array.from(
        { length: replayCommitsMax + 1 },
        () => "commit refs/heads/many\ncommitter A <a@b> 1 +0000\ndata 1\nx\n",
      );
      const first = commits[0]!.replace("data", "data").replace("\nx\n", "\nx\nfrom refs/heads/work^0\n");
      const input = [first, ...commits.slice(1)].join("\n");
      await execa("git", ["fast-import", "--quiet"], { cwd: place.folder, input });
      await place.git("checkout", "--quiet", "-B", "work", "many");
    },
    /^301 commits are more than the 300 that are replayed$/,
  ],
])("not at all, and why: %s", async ([, theirs, prepare, because]) => {
  const place = await parted(theirs);
  await prepare(place);
  expect(await replayed(place)).toEqual({ because: expect.stringMatching(because) });
});

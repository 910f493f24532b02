/** What simple-git refuses to run with, runs: its guards are for arguments that come from outside, ours do not. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitIn } from "../../src/git/git.ts";
import { plainGit, temporaryFolder, temporaryRepository, writeFiles } from "../support/repository.ts";

// TRAP 45
describe("git runs", () => {
  test.for([
    ["PAGER", "less"],
    ["GIT_PAGER", "less"],
    ["EDITOR", "vi"],
    ["GIT_EDITOR", "vi"],
    ["GIT_SEQUENCE_EDITOR", "vi"],
    ["GIT_SSH_COMMAND", "ssh -v"],
    ["GIT_ASKPASS", "askpass"],
    ["GIT_EXTERNAL_DIFF", "meld"],
    ["GIT_CONFIG_COUNT", "1"],
    ["GIT_TEMPLATE_DIR", "/nowhere"],
    ["GIT_DIR", "/nowhere"],
    ["GIT_INDEX_FILE", "/nowhere"],
    ["GIT_WORK_TREE", "/nowhere"],
  ])("whatever %s is in the person's environment", async ([name = "", value]) => {
    const { folder, commit } = await temporaryRepository();
    await commit({ "a.txt": "one\n" });
    const before = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
    writeFiles(folder, { "a.txt": "two\n" });
    expect(await gitIn(folder)(["diff", "--stat"])).toContain("a.txt | 2 +-");
  });

  test("with an index of ours, and the repository's own is left alone", async () => {
    const { folder, commit } = await temporaryRepository();
    await commit({ "a.txt": "one\n" });
    writeFiles(folder, { "b.txt": "two\n" });
    const env = { GIT_INDEX_FILE: join(temporaryFolder(), "index") };
    await gitIn(folder)(["add", "b.txt"], { env });
    expect(await gitIn(folder)(["ls-files"], { env })).toBe("b.txt\n");
    expect(await plainGit(folder)("ls-files")).toBe("a.txt");
  });

  test("between folders, and over no other transport", async () => {
    const { folder, commit } = await temporaryRepository();
    const head = await commit({ "a.txt": "one\n" });
    const other = await temporaryRepository();
    const git = gitIn(other.folder);
    await git(["fetch", "--quiet", folder, "HEAD:refs/heads/fetched"]);
    expect((await git(["rev-parse", "refs/heads/fetched"])).trim()).toBe(head);
    for (const url of ["ext::true", "ssh://127.0.0.1:1/x", "https://127.0.0.1:1/x", "git://127.0.0.1:1/x"]) {
      await expect(git(["fetch", url]), url).rejects.toThrow(/transport '\w+' not allowed/);
    }
  });
});

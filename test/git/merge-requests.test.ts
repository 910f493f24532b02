/** Merge requests of GitLab, whose answers come from a stand-in for glab that notes how it was called. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describePull, openPull, seePull } from "../../src/git/host/pulls.ts";
import type { PersonRun } from "../../src/git/person.ts";

const gitlab = { host: "gitlab.example.org", owner: "group/sub", name: "app" };
const url = "https://gitlab.example.org:8443/group/sub/app/-/merge_requests/7";
const [head, earlier] = ["a".repeat(40), "b".repeat(40)];
const opened = { state: "opened", sha: head, has_conflicts: false };

/** `asked`: the arguments of each call, a line each. */
function standIn(answer: unknown): { at: PersonRun; asked(): string } {
  const folder = mkdtempSync(join(tmpdir(), "monoco-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [log, said] = [join(folder, "log"), join(folder, "said")];
  writeFileSync(log, "");
  writeFileSync(said, JSON.stringify(answer));
  for (const name of ["glab", "gh"])
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\ncat '${said}'\n`, {
      mode: 0o755,
    });
  return {
    at: { cwd: folder, env: { PATH: `${folder}:${process.env["PATH"]}` } },
    asked: () => readFileSync(log, "utf8"),
  };
}

test("one is asked at the host and project of the remote, also where its page has a port", async () => {
  const { at, asked } = standIn(opened);
  expect(await seePull(at, { url, gitlab })).toMatchObject({ state: "open", head, checks: [] });
  expect(asked()).toBe(
    "glab api projects/group%2Fsub%2Fapp/merge_requests/7 --hostname gitlab.example.org\n",
  );
});

test.for([
  "https://evil.example/group/sub/app/-/merge_requests/7",
  "https://gitlab.example.org/group/other/-/merge_requests/7",
  "https://gitlab.example.org@evil.example/group/sub/app/-/merge_requests/7",
])("glab, which sends its token to any host, is not called for %s", async (address) => {
  const { at, asked } = standIn(opened);
  await seePull(at, { url: address, gitlab }).catch(() => undefined);
  await describePull(at, { url: address, gitlab, body: "text" });
  expect(asked()).not.toMatch(/^glab/m);
});

test("the commit of a merge is that of the merge, of the squash, or the head itself by a fast-forward", async () => {
  const merged = { ...opened, state: "merged", merge_commit_sha: null, squash_commit_sha: null };
  const commitOf = async (answer: unknown): Promise<unknown> =>
    (await seePull(standIn(answer).at, { url, gitlab })).commit;
  expect(await commitOf({ ...merged, merge_commit_sha: earlier })).toBe(earlier);
  expect(await commitOf({ ...merged, squash_commit_sha: earlier })).toBe(earlier);
  expect(await commitOf(merged)).toBe(head);
});

test("a pipeline counts if it is of the head, or of a merged result, and not if it is of an earlier commit", async () => {
  const red = { status: "failed", web_url: "https://gitlab.example.org/p/9" };
  const checksOf = async (pipeline: object): Promise<string[]> => {
    const { checks } = await seePull(standIn({ ...opened, head_pipeline: pipeline }).at, { url, gitlab });
    return checks.map(({ is }) => is);
  };
  expect(await checksOf({ ...red, sha: head, ref: "work" })).toEqual(["red"]);
  expect(await checksOf({ ...red, sha: earlier, ref: "refs/merge-requests/7/merge" })).toEqual(["red"]);
  expect(await checksOf({ ...red, sha: earlier, ref: "work" })).toEqual([]);
});

test("no text of a body is a quick action, or closes an issue", async () => {
  const { at, asked } = standIn({});
  const body = "```\n/merge\nFixes #12, GL-12, https://gitlab.example.org/g/p/-/issues/3\n```\n";
  expect(await describePull(at, { url, gitlab, body })).toBeUndefined();
  expect(asked()).toContain("description=```\n /merge\nFixes # 12, GL -12, https: //gitlab.example.org");
});

test("one from a fork is left to the person, with its command", async () => {
  const { at, asked } = standIn({});
  const across = { fork: { ...gitlab, owner: "me" }, of: gitlab };
  const pull = { base: "main", branch: "work", across, gitlab, title: "Work", body: "" };
  expect(await openPull(at, pull)).toMatchObject({ because: expect.stringContaining("by hand") as string });
  expect(asked()).toBe("");
});

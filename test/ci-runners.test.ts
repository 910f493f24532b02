/**
 * CI runners as workers: the workflow that `monoco init --ci github` writes is run, job by job and step by step, against a bare
 * remote and a stand-in for gh. Jobs that are cut at any moment: `npm run torture -w lab -- --only runners`.
 */
import { beforeAll, expect, test } from "vitest";
import type { TestContext } from "vitest";
import { openCiPlace, partsMax } from "./support/ci-place.ts";
import type { CiPlace } from "./support/ci-place.ts";
import { isHere, skipWithout } from "./support/namespaces.ts";
import type { JobRan } from "./support/workflow-runner.ts";

/** Without a sandbox a runner refuses to work. */
const needsSandbox = (context: TestContext): void => skipWithout("bubblewrap", context);
beforeAll(() => void isHere("bubblewrap"));

const short = (jobs: readonly JobRan[]): string[] =>
  jobs.map(({ job, matrix, result }) => [job, matrix["issue"], result].filter(Boolean).join(" "));
const logOf = (jobs: readonly JobRan[], job: string): string =>
  jobs.find((one) => one.job === job)?.log ?? "";

/** The one pull request, whose branch has every part of the work once. */
async function expectPull({ gh, there }: CiPlace): Promise<string> {
  expect(gh.pulls().map(({ headRefName, state }) => [headRefName, state])).toEqual([
    ["monoco/FEAT-0001", "OPEN"],
  ]);
  const parts = Array.from({ length: partsMax }, (_, at) => `part-${at + 1}`);
  const files = (await there("git ls-tree --name-only monoco/FEAT-0001")).split("\n");
  expect(files.filter((name) => name.startsWith("part-"))).toEqual(parts);
  return there("git rev-parse monoco/FEAT-0001");
}

test("on a schedule: the plan's matrix, one job an issue, and one pull request at its end", async (context) => {
  needsSandbox(context);
  const ci = await openCiPlace();
  const jobs = await ci.happens("schedule");
  expect(short(jobs), JSON.stringify(jobs, null, 1)).toEqual([
    "comments skipped",
    "plan success",
    "work FEAT-0001 success",
  ]);
  expect(logOf(jobs, "plan")).toContain("FEAT-0001  Write a file\n");
  await expectPull(ci);
  // The lease is given back, and the agents had neither the token nor a variable of the runner.
  expect(await ci.there("git for-each-ref refs/monoco/FEAT-0001/lease")).toBe("");
  const names = (await ci.there("git show monoco/FEAT-0001:names.txt")).split("\n");
  expect(names.filter((name) => /TOKEN|^GITHUB|^RUNNER|ANTHROPIC|SLOT/.test(name))).toEqual([]);
  expect(names).toContain("MONOCO_SESSION_DIR");
  // The next run only looks at the pull request.
  const again = await ci.happens("schedule");
  expect(short(again), JSON.stringify(again, null, 1)).toEqual([
    "comments skipped",
    "plan success",
    "work FEAT-0001 success",
  ]);
  await expectPull(ci);
});

test("nothing to do: no job begins, and nothing fails", async (context) => {
  needsSandbox(context);
  const ci = await openCiPlace({ issues: [] });
  expect(short(await ci.happens("schedule"))).toEqual(["comments skipped", "plan success", "work skipped"]);
});

test("by hand with an issue: that one alone; with what is no id, the plan fails, and nothing of it is run as a command", async (context) => {
  needsSandbox(context);
  const ci = await openCiPlace({ issues: ["FEAT-0001", "FEAT-0002"] });
  const cutMs = (job: string): number | undefined => (job === "work" ? 1 : undefined);
  const one = await ci.happens("workflow_dispatch", { inputs: { issue: "FEAT-0002" }, cutMs });
  expect(short(one)).toEqual(["comments skipped", "plan success", "work FEAT-0002 cut"]);
  const evil = '"; touch "$GITHUB_WORKSPACE/../../evil" #';
  const none = await ci.happens("workflow_dispatch", { inputs: { issue: evil } });
  expect(short(none)).toEqual(["comments skipped", "plan failure", "work skipped"]);
  expect(await ci.place.sandbox.sh(ci.place.around, "ls")).not.toContain("evil");
});

test.for([
  ["issue_comment", { comment: { body: "/monoco answer 8080" } }, true],
  ["issue_comment", { comment: { body: "please /monoco answer 8080" } }, false],
  ["issues", { label: { name: "monoco" } }, true],
  ["issues", { action: "labeled", label: { name: "bug" } }, false],
  ["issues", { action: "closed" }, true],
] as const)("%s with %j begins the job that reads it: %s", async ([name, payload, begins], context) => {
  needsSandbox(context);
  const ci = await openCiPlace();
  const jobs = await ci.happens(name, { payload, cutMs: () => 1 });
  expect(short(jobs)).toEqual([begins ? "comments cut" : "comments skipped", "plan skipped", "work skipped"]);
});

test("the label brings an issue in by a pull request, and a stranger's command begins no work", async (context) => {
  needsSandbox(context);
  const ci = await openCiPlace();
  const issue = { number: 12, title: "Exit codes", body: "It is always 0." };
  ci.gh.setHub({
    users: { maria: { permission: "write" }, stranger: { permission: "read" } },
    issues: { 12: { ...issue, labels: [{ name: "monoco" }] } },
    comments: [
      { id: 1, place: "issues/12", user: "stranger", body: "/monoco say Hello", at: "2026-11-29T12:00:00Z" },
    ],
  });
  const repository = { html_url: "https://github.com/owner/name" };
  const sender = { login: "maria" };
  const labelled = { action: "labeled", label: { name: "monoco" }, issue, sender, repository };
  const only = ["comments success", "plan skipped", "work skipped"];
  const jobs = await ci.happens("issues", { payload: labelled });
  expect(short(jobs), logOf(jobs, "comments")).toEqual(only);
  expect(ci.gh.pulls().map(({ headRefName }) => headRefName)).toEqual(["monoco-intake/FEAT-0002"]);
  // The second one was deleted before the job began.
  for (const node_id of ["IC_1", "IC_2"]) {
    const comment = { node_id, body: "/monoco say Hello", user: { login: "stranger" } };
    const said = await ci.happens("issue_comment", { payload: { action: "created", comment, repository } });
    expect(short(said), logOf(said, "comments")).toEqual(only);
  }
});

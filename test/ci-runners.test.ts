/**
 * CI runners as workers: the workflow that `monoco init --ci github` writes is run, job by job and step by step, against a bare
 * remote and a stand-in for gh. Jobs are cut at any moment, with all that runs on their machines, and the next ones go on.
 */
import { beforeAll, expect, test } from "vitest";
import type { TestContext } from "vitest";
import { testRows } from "./support/full.ts";
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

/** Numbers between 0 and 1, from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A job lives for at most this long, ms; a whole one takes about twice as much. */
const lifeMsMax = 12_000;
const roundsMax = 15;

testRows(
  Array.from({ length: 100 }, (_, seed) => seed),
  (seed) => seed < 1,
)(
  "jobs cut at random seconds (seed %s): the next job goes on, no commit on the remote is lost, and there is one pull request",
  { timeout: 600_000 },
  async (seed, context) => {
    needsSandbox(context);
    const ci = await openCiPlace();
    const random = randomFrom(seed);
    const heads = new Set<string>();
    const told: string[] = [];
    for (let round = 0; round < roundsMax; round += 1) {
      // The last round is not cut: it has to end the work.
      const lifeMs = round === roundsMax - 1 ? undefined : Math.round(random() * lifeMsMax);
      const jobs = await ci.happens("schedule", { cutMs: (job) => (job === "work" ? lifeMs : undefined) });
      told.push(`${lifeMs} ms: ${short(jobs).join(", ")}\n${logOf(jobs, "work")}`);
      expect(
        jobs.map(({ result }) => result),
        told.join("\n"),
      ).not.toContain("failure");
      const head = await ci.there("git rev-parse -q --verify refs/monoco/FEAT-0001/head || true");
      if (head !== "") heads.add(head);
      if (ci.gh.pulls().length > 0 && jobs.at(-1)!.result === "success") break;
    }
    const tip = await expectPull(ci);
    for (const head of heads)
      expect(
        await ci.there(`git merge-base --is-ancestor ${head} ${tip} && echo kept || echo lost`),
        told.join("\n"),
      ).toBe("kept");
    // Each session was begun once: no two jobs worked at the same time.
    const started = (await ci.journal())
      .filter(({ type }) => type === "session.started")
      .map((one) => one["session"]);
    expect(new Set(started).size, told.join("\n")).toBe(started.length);
  },
);

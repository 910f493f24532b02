/** CI runners of GitLab as workers: the pipeline that `monoco init --ci gitlab` writes is run, job by job, against a bare remote and a stand-in for glab. */
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { inParts, partsMax } from "./support/ci-place.ts";
import { processesOf } from "./support/cli.ts";
import { standInGh } from "./support/gh.ts";
import { runPipeline } from "./support/gitlab-runner.ts";
import { isHere, skipWithout } from "./support/namespaces.ts";
import { openPlace } from "./support/place.ts";
import type { JobRan } from "./support/workflow-runner.ts";

beforeAll(() => void isHere("bubblewrap"));

const short = (jobs: readonly JobRan[]): string[] => jobs.map(({ job, result }) => `${job} ${result}`);

test("on a schedule: the plan's child pipeline has a job an issue, which ends in one merge request; when its pipeline fails, the next job goes on", async (context) => {
  skipWithout("bubblewrap", context);
  const place = await openPlace(inParts, {
    sandbox: "default",
    settings: "baseline: none\nexit: { submit: false, ask: false }\n",
    files: { ".gitlab-ci.yml": "include: [{ local: .gitlab/monoco.yml }]\n" },
  });
  const bare = join(place.around, "bare.git");
  const there = (command: string): Promise<string> => place.sandbox.sh(bare, command);
  await place.monoco("init", "--ci", "gitlab");
  await place.sh(`git add -A && git commit -qm CI && git clone -q --bare . '${bare}'`);
  const gh = standInGh(place.sandbox, [], bare);
  gh.setHub({ users: {}, comments: [], viewer: "project_7_bot" });
  onTestFinished(() => expect(processesOf(place.around)).toEqual([]));
  const host = {
    folder: place.around,
    remote: bare,
    env: gh.env,
    secrets: { GITLAB_TOKEN: "a-token", ANTHROPIC_API_KEY: "a-key" },
    read: place.read,
  };
  const pipeline = (source: string): Promise<JobRan[]> =>
    runPipeline(host, place.read(".gitlab-ci.yml"), source);
  const said = (jobs: readonly JobRan[]): string => jobs.map(({ job, log }) => `${job}\n${log}`).join("\n");

  // Nobody's push begins work.
  expect(short(await pipeline("push"))).toEqual(["monoco:plan skipped", "monoco:work skipped"]);

  const jobs = await pipeline("schedule");
  const all = ["monoco:plan success", "monoco:planned success", "FEAT-0001 success"];
  expect(short(jobs).toSorted(), said(jobs)).toEqual(all.toSorted());
  expect(said(jobs)).toContain("nothing is wrong here");
  expect(gh.hub().requests, said(jobs)).toMatchObject([
    { iid: 1, branch: "monoco/FEAT-0001", target_branch: "main", title: "FEAT-0001: Write a file" },
  ]);
  const parts = Array.from({ length: partsMax }, (_, at) => `part-${at + 1}`);
  const files = (await there("git ls-tree --name-only monoco/FEAT-0001")).split("\n");
  expect(files.filter((name) => name.startsWith("part-"))).toEqual(parts);
  expect(await there("git for-each-ref refs/monoco/FEAT-0001/lease")).toBe("");
  // The agents had neither the token nor a variable of the runner.
  const names = (await there("git show monoco/FEAT-0001:names.txt")).split("\n");
  expect(names.filter((name) => /TOKEN|^GITLAB|^CI|ANTHROPIC|SLOT/.test(name))).toEqual([]);

  // A red pipeline of the merge request is a finding: an Executor goes on, and the same request has its work.
  const sha = await there("git rev-parse monoco/FEAT-0001");
  const red = { status: "failed", sha, web_url: "https://gitlab.com/group/sub/name/-/pipelines/9" };
  gh.setHub({ requests: gh.hub().requests.map((one) => ({ ...one, says: { head_pipeline: red } })) });
  const again = await pipeline("schedule");
  expect(said(again), said(again)).toMatch(/session \d+ \(executor, a\) started: /);
  expect(gh.hub().requests, said(again)).toHaveLength(1);
});

/**
 * Runs a pipeline of GitLab on this machine: jobs by their rules, `extends` and `needs`, each on a machine of its own as in
 * workflow-runner.ts, and the child pipelines that they begin by an artifact.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { inTurn, makeMachine, runOn, throwAway } from "./workflow-runner.ts";
import type { Hosted, JobRan } from "./workflow-runner.ts";

type Job = {
  extends?: string;
  rules?: { if: string }[];
  variables?: Record<string, string>;
  before_script?: string[];
  script?: string[];
  needs?: string[];
  artifacts?: { paths: string[] };
  trigger?: { include: { artifact: string; job: string }[] };
  resource_group?: string;
};
type Included = { local: string };
type Configuration = Record<string, Job>;

export type PipelineOf = Pick<Hosted, "folder" | "remote" | "env" | "secrets"> & {
  /** A file of the repository, by its path. */
  read(path: string): string;
};

/** The address that the remote has for its jobs. */
const url = "https://gitlab.com/group/sub/name";
const notJobs = ["include", "stages", "variables", "default", "workflow"];

/** Runs all jobs that the source begins (`schedule`, `push`), and returns them in the order of their ends. */
export async function runPipeline(
  host: PipelineOf,
  text: string,
  source: string,
  variables: Record<string, string> = {},
): Promise<JobRan[]> {
  const all = configurationOf(host, text);
  const ran: JobRan[] = [];
  const kept: Record<string, string> = {};
  const jobs = Object.keys(all).filter((name) => !name.startsWith("."));
  const given = {
    ...host.secrets,
    ...variables,
    GITLAB_CI: "true",
    CI_COMMIT_BRANCH: "main",
    CI_PIPELINE_SOURCE: source,
    CI_PROJECT_URL: url,
    CI_SERVER_HOST: "gitlab.com",
    CI_SERVER_URL: "https://gitlab.com",
    GITLAB_USER_NAME: "Maria",
    GITLAB_USER_EMAIL: "maria@example.com",
  };
  const begin = async (name: string): Promise<JobRan[]> => {
    const job = extended(all, name);
    const of = { job: name, matrix: {}, log: "" };
    const isReady = (job.needs ?? []).every((one) =>
      ran.some((it) => it.job === one && it.result === "success"),
    );
    if (!isReady || !(job.rules ?? []).some((rule) => holds(rule.if, given)))
      return [{ ...of, result: "skipped" }];
    const artifact = job.trigger?.include[0]?.artifact;
    if (artifact === undefined)
      return [await inTurn(job.resource_group, () => runJob(host, { name, job, given, kept }))];
    return runPipeline(host, kept[artifact] ?? "", "parent_pipeline", variables);
  };
  // A job that needs others comes after them; those that need none run at once.
  const [later, first] = [true, false].map((needs) =>
    jobs.filter((name) => Boolean(all[name]?.needs) === needs),
  );
  ran.push(...(await Promise.all(first!.map(begin))).flat());
  for (const name of later!) ran.push(...(await begin(name)));
  return ran;
}

function configurationOf(host: PipelineOf, text: string): Configuration {
  const { include = [], ...own } = parse(text) as Configuration & { include?: Included[] };
  const included = include.map(({ local }) => configurationOf(host, host.read(local)));
  const all = Object.assign({}, ...included, own) as Configuration;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !notJobs.includes(name)));
}

/** A mapping is merged key by key; anything else replaces what it extends. */
function extended(all: Configuration, name: string): Job {
  const job = all[name];
  if (!job) throw new Error(`no such job: ${name}`);
  const base = job.extends === undefined ? {} : extended(all, job.extends);
  return { ...base, ...job, variables: { ...base.variables, ...job.variables } };
}

/** `$NAME == "text"` and `$NAME =~ /pattern/`, joined by `&&`: others are not ours. */
function holds(condition: string, given: Record<string, string | undefined>): boolean {
  return condition.split("&&").every((part) => {
    const [, name = "", is, text = ""] = /^\s*\$(\w+) (==|=~) (.*?)\s*$/.exec(part) ?? [];
    if (is === undefined) throw new Error(`not understood: ${part}`);
    const value = given[name] ?? "";
    return is === "==" ? value === JSON.parse(text) : new RegExp(text.slice(1, -1)).test(value);
  });
}

type JobOf = { name: string; job: Job; given: Record<string, string>; kept: Record<string, string> };

async function runJob(host: PipelineOf, { name, job, given, kept }: JobOf): Promise<JobRan> {
  const folder = mkdtempSync(join(host.folder, "machine-"));
  try {
    const machine = makeMachine(host, folder);
    const env = { ...machine.env, ...given, ...job.variables, CI_JOB_STARTED_AT: new Date().toISOString() };
    // What GitLab's runner does before a job: the job's token is in the address, and a commit is checked out.
    const clone = `git init -q . && git config url.'file://${host.remote}'.insteadOf ${url}.git && git remote add origin https://gitlab-ci-token:a-token@gitlab.com/group/sub/name.git && git fetch -q 'file://${host.remote}' main && git checkout -q --detach FETCH_HEAD`;
    const ready = await runOn(machine, clone, { env });
    if (ready.exitCode !== 0) throw new Error(ready.log);
    const script = [...(job.before_script ?? []), ...(job.script ?? [])].join("\n");
    const { exitCode, log } = await runOn(machine, script, { env });
    for (const path of job.artifacts?.paths ?? [])
      if (exitCode === 0) kept[path] = readFileSync(join(machine.workspace, path), "utf8");
    return { job: name, matrix: {}, result: exitCode === 0 ? "success" : "failure", log };
  } finally {
    await throwAway(folder);
  }
}

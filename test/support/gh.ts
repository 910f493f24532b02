/** A `gh` on the PATH that answers from a file: the real one needs a login and GitHub. See test/fixtures/gh.mjs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixture } from "./cli.ts";
import type { Sandbox } from "./cli.ts";

export type GithubIssue = {
  number: number;
  title: string;
  body: string;
  labels: { id: string; name: string; description: string; color: string }[];
  state: "OPEN" | "CLOSED";
  stateReason: string;
  url: string;
  comments?: { body: string }[];
};

export function githubIssue(number: number, title: string, more: Partial<GithubIssue> = {}): GithubIssue {
  const url = `https://github.com/owner/name/issues/${number}`;
  return { number, title, body: "", labels: [], state: "OPEN", stateReason: "", url, ...more };
}

export const label = (name: string): GithubIssue["labels"][number] => ({
  id: `LA_${name}`,
  name,
  description: "",
  color: "d73a4a",
});

export type StandInGh = {
  /** For the environment of a command. */
  env: Record<string, string>;
  issues(): GithubIssue[];
  /** What it was asked, call by call. */
  calls(): string[][];
  /** `down`, `logged-out`, `limited`, or well again. */
  be(how: "down" | "logged-out" | "limited" | "well"): void;
  /** Kills who calls with this word. */
  killAt(word: string | undefined): void;
  pulls(): PullOnHub[];
  /** What somebody does to the newest pull request there. */
  change(patch: Partial<PullOnHub>): void;
  /** What a job of GitHub Actions has printed. */
  log(job: number, text: string): void;
  /** What the API knows, and what it has been told: see test/fixtures/host-api.mjs. */
  hub(): Hub;
  setHub(patch: Partial<Hub>): void;
};

/** A comment, and where it is: `issues/12`, `pulls/3` or `merge_requests/3`. */
export type HubComment = {
  id: number;
  place: string;
  user: string | null;
  body: string;
  at: string;
  edited?: string;
  hidden?: boolean;
  branch?: string;
  line?: boolean;
  system?: boolean;
  repository?: string;
};

export type Hub = {
  /** The account that `gh` is logged in with. */
  viewer: string;
  users: Record<string, { type?: string; permission?: string; id?: number; bot?: boolean; level?: number }>;
  comments: HubComment[];
  issues: Record<string, object>;
  /** By a part of what is asked, how it fails. */
  fail: Record<string, string>;
  /** By comment, what somebody does to it once it was listed. */
  afterList: Record<string, Partial<HubComment>>;
  merge: object[];
  requests: {
    iid: number;
    branch: string;
    fork?: boolean;
    title?: string;
    description?: string;
    target_branch?: string;
    /** What GitLab says of it besides. */
    says?: object;
  }[];
  /** The rules of GitLab for protected branches. */
  rules: object[];
};

/** In the words of GitHub. */
export type PullOnHub = {
  number: number;
  url: string;
  state: "OPEN" | "CLOSED" | "MERGED";
  headRefName: string;
  /** Whether the branch is in a fork. */
  isCrossRepository?: boolean;
  body: string;
  mergeCommit: { oid: string } | null;
  mergeable?: string;
  reviewDecision?: string;
  statusCheckRollup: object[];
  reviews: object[];
  comments: object[];
  threads: object[];
};

/** `by`: OWNER, MEMBER and COLLABORATOR may write. */
export const remark = (id: string, body: string, by = "MEMBER", more: object = {}): object => ({
  id,
  author: { login: by === "NONE" ? "stranger" : "maria" },
  authorAssociation: by,
  body,
  url: `https://github.com/owner/name/pull/1#${id}`,
  isMinimized: false,
  ...more,
});

export const onLine = (path: string, line: number, ...nodes: object[]): object => ({
  isResolved: false,
  path,
  line,
  originalLine: line,
  comments: { nodes },
});

export const checkRun = (name: string, conclusion: string, more: object = {}): object => ({
  __typename: "CheckRun",
  name,
  workflowName: "CI",
  status: conclusion === "" ? "IN_PROGRESS" : "COMPLETED",
  conclusion,
  startedAt: "2026-11-23T08:00:00Z",
  detailsUrl: "https://github.com/owner/name/actions/runs/1/job/7",
  ...more,
});

/** `remote`: the repository whose branches the pull requests are of. */
export function standInGh(sandbox: Sandbox, issues: readonly GithubIssue[], remote = ""): StandInGh {
  const folder = join(sandbox.folder, "gh");
  mkdirSync(join(folder, "bin"), { recursive: true });
  const program = join(folder, "bin", "gh");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${fixture("gh.mjs")}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "issues.json"), JSON.stringify(issues));
  const hub = join(folder, "pulls.json");
  const pulls = (): PullOnHub[] => (JSON.parse(readFileSync(hub, "utf8")) as { pulls: PullOnHub[] }).pulls;
  writeFileSync(hub, JSON.stringify({ remote, pulls: [] }));
  const other = join(folder, "bin", "glab");
  writeFileSync(other, `#!/bin/sh\nexec '${process.execPath}' '${fixture("glab.mjs")}' "$@"\n`);
  chmodSync(other, 0o755);
  const log = join(folder, "calls.log");
  const known = join(folder, "hub.json");
  const readHub = (): Hub => JSON.parse(readFileSync(known, "utf8")) as Hub;
  return {
    env: { PATH: `${join(folder, "bin")}:${sandbox.env["PATH"]}`, GH_FOLDER: folder },
    issues: () => JSON.parse(readFileSync(join(folder, "issues.json"), "utf8")) as GithubIssue[],
    calls: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as string[])
        : [],
    be: (how) => {
      for (const name of ["down", "logged-out", "limited"]) rmSync(join(folder, name), { force: true });
      if (how !== "well") writeFileSync(join(folder, how), "");
    },
    killAt: (word) => {
      if (word === undefined) rmSync(join(folder, "kill"));
      else writeFileSync(join(folder, "kill"), word);
    },
    pulls,
    change: (patch) => {
      const all = pulls();
      Object.assign(all.at(-1)!, patch);
      writeFileSync(hub, JSON.stringify({ remote, pulls: all }));
    },
    hub: readHub,
    setHub: (patch) => {
      const before = existsSync(known) ? readHub() : { viewer: "monoco-bot", users: {}, comments: [] };
      writeFileSync(known, JSON.stringify({ ...before, ...patch }));
    },
    log: (job, text) => writeFileSync(join(folder, `job-${job}.log`), text),
  };
}

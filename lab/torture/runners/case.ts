/** A repository on a host and its workflow: the jobs on its issues are cut at random times until all issues have landed. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSandbox, processesOf } from "../../../test/support/cli.ts";
import type { Sandbox } from "../../../test/support/cli.ts";
import { standInGh } from "../../../test/support/gh.ts";
import type { StandInGh } from "../../../test/support/gh.ts";
import { initRepository } from "../../../test/support/repository.ts";
import { runWorkflow } from "../../../test/support/workflow-runner.ts";
import type { Hosted } from "../../../test/support/workflow-runner.ts";
import { randomBy } from "../place/random.ts";
import { phaseOf } from "./phase.ts";

export type CaseOf = {
  seed: number;
  /** Two ways to end: a pull request, and a merge into the base of the remote. */
  finish: "pr" | "merge";
  /** No job lives longer, in ms; undefined for a case without cuts. */
  lifeMsMax: number | undefined;
  /** The rounds after these are not cut: they have to end the work. */
  roundsMax?: number;
};

/** `cuts`: what each job was doing when it was cut. `wholeMs`: how long the longest round took. */
export type CaseCame = { wrong: string[]; cuts: string[]; wholeMs: number };

export const issues = ["FEAT-0001", "FEAT-0002", "FEAT-0003"];
const partsMax = 2;
const closingMax = 3;

/** A session does the next part, and the last one submits. */
const story = {
  executor: [
    [
      {
        run: `n=$(($(ls "$MONOCO_ISSUE"-part-* 2> /dev/null | wc -l) + 1)); echo "$n" > "$MONOCO_ISSUE-part-$n"; git add -A; git commit -qm "$MONOCO_ISSUE part $n"; sleep 0.3; test "$n" -lt ${partsMax} || monoco issue submit`,
      },
    ],
  ],
  reviewer: [[{ verdict: "approve" }]],
};

type World = { sandbox: Sandbox; bare: string; gh: StandInGh; host: Hosted; workflow: string };

export async function runnersCase(of: CaseOf): Promise<CaseCame> {
  const sandbox = openSandbox({ sandbox: "default" });
  try {
    return await cutUp(await openWorld(sandbox, of), of);
  } finally {
    sandbox.dispose();
  }
}

async function openWorld(sandbox: Sandbox, { finish }: CaseOf): Promise<World> {
  const project = join(sandbox.folder, "project");
  const bare = join(sandbox.folder, "bare.git");
  const files: Record<string, string> = {
    "story.yaml": JSON.stringify(story),
    "monoco.yaml":
      "agents: { a: { kind: scripted, script: story.yaml } }\nroles: { executor: { agents: [a] }, reviewer: { agents: [a] } }\nlimits: { backoffSeconds: 0 }\nbaseline: none\nexit: { submit: false, ask: false }\n",
  };
  for (const id of issues)
    files[`issues/${id}-write-a-file.md`] =
      `---\nid: ${id}\ntitle: Write a file\nstatus: open\nstage: draft\n---\n\n## Objective\n\nA file.\n\n## Acceptance Criteria\n\n- [ ] the file is there\n`;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  initRepository(project, { name: "P", email: "p@example.com" });
  await sandbox.sh(project, "git add -A && git commit -qm Begin");
  await sandbox.monoco(["init", "--ci", "github"], { cwd: project });
  await sandbox.sh(project, `git add -A && git commit -qm CI && git clone -q --bare . '${bare}'`);
  // The remote keeps a record of each move of its refs.
  await sandbox.sh(bare, "git config core.logAllRefUpdates always && git config gc.auto 0");
  const gh = standInGh(sandbox, [], bare);
  const NODE_COMPILE_CACHE = process.env["NODE_COMPILE_CACHE"] ?? join(sandbox.folder, "compiled");
  const by = (workflow: string): string => workflow.replace("finish.by=pr", `finish.by=${finish}`);
  return {
    sandbox,
    bare,
    gh,
    host: { folder: sandbox.folder, remote: bare, env: { ...gh.env, NODE_COMPILE_CACHE }, change: by },
    workflow: readFileSync(join(project, ".github/workflows/monoco.yml"), "utf8"),
  };
}

async function cutUp(world: World, of: CaseOf): Promise<CaseCame> {
  const { seed, lifeMsMax, roundsMax = 12 } = of;
  const random = randomBy(seed);
  const rounds = lifeMsMax === undefined ? 0 : roundsMax;
  const came: CaseCame = { wrong: [], cuts: [], wholeMs: 0 };
  const told: string[] = [];
  for (let round = 0; round < rounds + closingMax && (await left(world, of)).length > 0; round += 1) {
    let beginMs = performance.now();
    const cutMs = (job: string): number | undefined => {
      if (job === "work") beginMs = performance.now();
      return job === "work" && round < rounds ? random.whole(0, lifeMsMax ?? 0) : undefined;
    };
    const jobs = await runWorkflow(world.host, world.workflow, { name: "schedule", cutMs });
    came.wholeMs = Math.max(came.wholeMs, performance.now() - beginMs);
    for (const job of jobs) {
      told.push(`${round}: ${job.job} ${JSON.stringify(job.matrix)} ${job.result}\n${job.log}`);
      if (job.result === "failure") came.wrong.push(`round ${round}: job ${job.job} failed: ${job.log}`);
      if (job.result === "cut") came.cuts.push(phaseOf(job));
    }
  }
  const not = await left(world, of);
  came.wrong.push(...not.map((issue) => `${issue} has not landed`));
  for (const issue of issues) came.wrong.push(...(await wrongWith(world, of, issue)));
  came.wrong.push(...(await wrongAround(world)));
  if (came.wrong.length > 0) came.wrong.push(told.join("\n"));
  return came;
}

const there = ({ sandbox, bare }: World, command: string): Promise<string> => sandbox.sh(bare, command);

/** The issues that have not landed. */
async function left(world: World, { finish }: CaseOf): Promise<string[]> {
  const landed =
    finish === "pr"
      ? world.gh.pulls().map(({ headRefName }) => headRefName.replace("monoco/", ""))
      : (await there(world, "git log --format='%(trailers:key=Monoco-Issue,valueonly,separator=%x2C)' main"))
          .split("\n")
          .filter(Boolean);
  return issues.filter((issue) => !landed.includes(issue));
}

async function wrongWith(world: World, { finish }: CaseOf, issue: string): Promise<string[]> {
  const ask = (command: string): Promise<string> => there(world, `${command} 2> /dev/null || true`);
  const lines = async (command: string): Promise<string[]> =>
    (await ask(command)).split("\n").filter(Boolean);
  const tip = finish === "pr" ? `monoco/${issue}` : "main";
  // Each head that the remote ever had, and each commit that was submitted.
  const heads = await lines(`git log -g --format=%H refs/monoco/${issue}/head`);
  const submitted = await lines(`git for-each-ref --format='%(objectname)' refs/monoco/${issue}/submissions`);
  const lost = await Promise.all(
    [...new Set([...heads, ...submitted])].map(async (commit) =>
      (await ask(`git merge-base --is-ancestor ${commit} ${tip} && echo kept`)) === "kept"
        ? []
        : [`${issue}: commit ${commit} is lost`],
    ),
  );
  const parts = (await lines(`git ls-tree --name-only ${tip}`)).filter((name) =>
    name.startsWith(`${issue}-part`),
  );
  const subjects = await lines(`git log --format=%s --grep '^${issue} part' ${tip}`);
  const started = (await journalOf(world, issue)).flatMap(({ type, session }) =>
    type === "session.started" ? [session] : [],
  );
  const pulls = world.gh.pulls().filter(({ headRefName }) => headRefName === `monoco/${issue}`).length;
  const merges = (await lines(`git log --format=%H --grep '^Monoco-Issue: ${issue}$' main`)).length;
  const expected = Array.from({ length: partsMax }, (_, at) => `${issue}-part-${at + 1}`);
  return [
    ...lost.flat(),
    ...(parts.join() === expected.join() ? [] : [`${issue}: parts ${parts.join()}`]),
    ...(subjects.length === partsMax ? [] : [`${issue}: commits ${subjects.join("; ")}`]),
    ...(started.length > partsMax && new Set(started).size === started.length
      ? []
      : [`${issue}: sessions started: ${started.join(" ")}`]),
    ...(pulls === (finish === "pr" ? 1 : 0) ? [] : [`${issue}: ${pulls} pull requests`]),
    ...(merges === (finish === "pr" ? 0 : 1) ? [] : [`${issue}: ${merges} merges on main`]),
  ];
}

async function journalOf(world: World, issue: string): Promise<{ type: string; session?: unknown }[]> {
  const ref = `refs/monoco/${issue}/journal`;
  const command = `for name in $(git ls-tree --name-only ${ref}); do git show "${ref}:$name"; done`;
  const lines = (await there(world, command)).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as { type: string });
}

async function wrongAround(world: World): Promise<string[]> {
  const damage = await there(world, "git fsck --no-dangling --no-progress 2>&1 || true");
  // A move that replaces what was there, instead of adding to it. A merge that was prepared, and not yet in a pull request, is made anew.
  const lost = (log: string, ref: string): string =>
    `git log -g --format=%H ${log} ${ref} | while read -r one; do git merge-base --is-ancestor "$one" ${ref} || echo "${ref} lost $one"; done`;
  const work = "--invert-grep --grep='^Monoco-Issue: '";
  const back = await there(
    world,
    [
      lost("", "main"),
      ...issues.map(
        (issue) =>
          `git rev-parse -q --verify monoco/${issue} > /dev/null && ${lost(work, `monoco/${issue}`)}`,
      ),
    ].join("; ") + "; true",
  );
  const processes = processesOf(world.sandbox.folder).map((one) => `still runs: ${one}`);
  return [
    ...(damage === "" ? [] : [`git fsck: ${damage}`]),
    ...back.split("\n").filter(Boolean),
    ...processes,
  ];
}

/** One seeded submission before a Reviewer: a repository of its own, opened as a relay at the point of the review. */
import { endingWords } from "../../src/core/reason/ending-rows.ts";
import type { Evidence } from "../../src/core/reason/ending-schema.ts";
import type { AgentEntry } from "../../src/core/settings/agent-schema.ts";
import { settle } from "../../src/core/settings/layers.ts";
import type { Values } from "../../src/core/settings/values.ts";
import type { StopReason } from "../../src/index.ts";
import type { Judged } from "./judge-figures.ts";
import { gitIn } from "../../src/git/git.ts";
import { openOrResume } from "../../src/relay/open.ts";
import { openRelay } from "../../src/relay/relay.ts";
import type { RelaySetup } from "../../src/relay/relay.ts";
import { acceptSubmission } from "../../src/relay/review/submission.ts";
import { runRelay } from "../../src/relay/run-relay.ts";
import { openHere } from "../../src/app/here.ts";
import { takeRunnerLock } from "../../src/app/runner-lock.ts";
import { settledHere } from "../../src/app/settings.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../src/app/wire.ts";
import { beginRepository, commitFiles } from "../../src/commands/agent/probe-live.ts";
import type { Seed } from "./seeds.ts";

export type Judge = { name: string; entry: AgentEntry; agents: RelaySetup["agents"] };

/** `ended`: how its session did; `why` it gave no verdict. */
export type Reviewed = Judged & { ended?: StopReason | undefined; why?: string | undefined };

const issue = "FEAT-0001";

/** Stops once the verdict is weighed: nothing is merged. `project` is the folder that this runs in. */
export async function reviewSeed(
  seed: Seed,
  project: string,
  { judge, stop }: { judge: Judge; stop: AbortSignal },
): Promise<Reviewed> {
  const commit = await makeProject(seed, project);
  const weighed = new AbortController();
  const here = await openHere(project);
  const setup = setUpRelay(here, issue, {
    control: { interrupt: AbortSignal.any([stop, weighed.signal]) },
    onProgress: (news) => {
      if (news.type === "event" && /^review\.(?:decided|refused)$/.test(news.event.type)) weighed.abort();
    },
  });
  layOut(here);
  const settled = settle([{ values: settingsFor(seed, judge), at: givenHere }, ...settledHere(here).given]);
  const lock = await takeRunnerLock(setup.places.runnerLock, issue);
  try {
    const relay = openRelay({ ...setup, agents: judge.agents });
    await openOrResume(relay, loadTerms(here, settled), await findIssueOnBase(here, issue, "main"));
    const refused = await acceptSubmission(relay, { commit, by: "person" });
    if (refused === undefined) await runRelay(relay, { once: true, wait: () => false });
    const [submission, session] = [relay.state.submissions[0], relay.state.sessions[0]];
    // What was weighed is no longer among what was given.
    const said = submission?.review ?? submission?.refusals[0] ?? submission?.given;
    const red = submission?.checks?.results.find(({ exitCode }) => exitCode !== 0);
    return {
      submission: seed.name,
      kind: seed.kind,
      verdict: session && said ? said.verdict : null,
      counts: session !== undefined && submission?.review !== undefined,
      why: said ? undefined : (refused ?? (red ? `${red.command} failed here` : whyOf(session?.ended))),
      ended: session?.ended?.reason,
    };
  } finally {
    lock.release();
  }
}

const givenHere = (): { from: "flag"; where: string } => ({ from: "flag", where: "npm run probe-review" });

function settingsFor({ checks }: Seed, { name, entry }: Judge): Values {
  const player = { agents: [name] };
  return { base: "main", checks, agents: { [name]: entry }, roles: { executor: player, reviewer: player } };
}

function whyOf(ended: { reason: StopReason; evidence: readonly Evidence[] } | undefined): string {
  return ended ? [ended.reason, ...endingWords(ended.evidence)].join("; ") : `no session was run`;
}

/** The base on main, the work as a commit on a branch. Nothing here says what kind of submission it is. */
async function makeProject({ base, work, ...seed }: Seed, project: string): Promise<string> {
  await beginRepository(project);
  await commitFiles(project, { ...base, [`issues/${issue}-work.md`]: issueText(seed) }, "Begin");
  await gitIn(project)(["checkout", "--quiet", "-b", "work"]);
  return commitFiles(project, work, `${issue} ${seed.title}`);
}

function issueText({ title, objective, criteria }: Pick<Seed, "title" | "objective" | "criteria">): string {
  const front = `---\nid: ${issue}\ntype: feature\ntitle: ${title}\nstatus: open\nstage: doing\n---\n`;
  const boxes = criteria.map((one) => `- [ ] ${one}\n`).join("");
  return `${front}\n## Objective\n\n${objective}\n\n## Acceptance Criteria\n\n${boxes}`;
}

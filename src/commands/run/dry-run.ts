/** monoco run --dry-run: shows what a run would do, by the rules of the run itself; locks, writes and clones nothing. */
import { existsSync } from "node:fs";
import { lookAt } from "../../app/overview/relay-look.ts";
import { heldByAnother } from "../../app/runner-lock.ts";
import { queueOf } from "../../app/queue/queue.ts";
import type { Ended, RunQueue } from "../../app/queue/queue.ts";
import { baselineSeen } from "../../app/baseline.ts";
import { behindUpstream } from "../../git/remotes.ts";
import { placesFor } from "../../app/here.ts";
import { validId } from "../../app/valid-id.ts";
import { findIssueOnBase, homeAhead, loadTerms, setUpRelay } from "../../app/wire.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Issue } from "../../core/issue/issue.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { isHumanGate } from "../../core/relay/gate.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { withKept } from "../../core/settings/change.ts";
import type { Settled } from "../../core/settings/layers.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { reportOf } from "../../core/report/report.ts";
import { io } from "../../io/io.ts";
import { canGoOn, canOpen } from "../../relay/open.ts";
import { systemClock } from "../../relay/clock.ts";
import { renderAhead } from "../../views/ahead.ts";
import type { Ahead, InOrder } from "../../views/ahead.ts";
import { printJson } from "../../views/json.ts";
import { agentReports } from "../../app/doctor/agent-reports.ts";
import { agentLines } from "../agent/list.ts";
import { isLeft } from "./left.ts";
import { queueFlags, runHere, waivedFor } from "./run-flags.ts";
import type { InForce, RunFlags } from "./run-flags.ts";
import { untilTime } from "./until.ts";
import { adviceWords } from "../../views/hint.ts";
import { t } from "../../core/language/translate.ts";

/** Exit status 0 if something would run, else 1. */
export async function dryRun(ids: string[], flags: Omit<RunFlags, "resume">): Promise<number> {
  if (flags.until !== undefined) untilTime(flags.until, systemClock.nowMs());
  const inForce = await runHere(flags);
  const { here, settled } = inForce;
  const { base, limits, budgets } = settled.settings;
  const wanted = [...new Set(ids.map(validId))];
  const next = await queueOf(here, wanted, queueFlags(flags, base));
  const queued = await lookAhead(inForce, { next, flags });
  const all = await agentReports(settled.settings, here.repository.checkout);
  const agents = all.filter(({ roles }) => roles.length > 0);
  const ahead: Ahead = {
    base,
    jobs: flags.jobs,
    ...queued,
    policy: settled.policy ?? null,
    sessionsMax: limits.sessionsMax,
    budgets,
    baseline: (await baselineSeen(here, settled.settings)) ?? null,
    ...(unlessRefused(() => homeAhead(here, settled.settings)) ?? {
      hidden: [],
      fallbacks: [],
      profiles: [],
    }),
    behind: (await behindUpstream(here.repository.git, base)) ?? null,
    protectedToo: settled.settings.gates.protected !== "reviewer",
  };
  if (flags.json) printJson({ ...ahead, agents });
  else io().stdout.write(renderAhead(ahead, agentLines(agents)));
  return ahead.order.length > 0 ? 0 : 1;
}

type With = { next: RunQueue; flags: Partial<RunFlags> };

/** Supposes that every issue that begins is done in the end, so that its dependents follow. */
async function lookAhead(
  { here, settled }: InForce,
  { next, flags }: With,
): Promise<Pick<Ahead, "order" | "refused" | "waiting">> {
  const order: InOrder[] = [];
  const refused: Ahead["refused"] = [];
  const refuse = (id: string, { message, hint }: MonocoError): void =>
    void refused.push({ id, because: message, hint: hint === undefined ? null : adviceWords(hint) });
  for (const { id, error } of next.refused()) refuse(id, error);
  await next.order(async (id, after): Promise<Ended> => {
    try {
      const begun = await begins({ here, settled }, id, { next, flags });
      if ("ended" in begun) {
        refused.push({ id, because: begun.because, hint: null });
        return begun.ended;
      }
      const { title, criticality, goesOn, waits, gates } = begun;
      const approval = isHumanGate({ gates }, criticality);
      order.push({ id, title, criticality: criticality ?? null, after, goesOn, waits, approval });
      return "done";
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      refuse(id, error);
      return "failed";
    }
  });
  return { order, refused, waiting: next.left().map(({ id, by }) => ({ id, waitsFor: by })) };
}

type Begun = Pick<InOrder, "title" | "goesOn" | "waits"> & {
  criticality: Issue["criticality"] | undefined;
  gates: Settings["gates"];
};

/** Throws the error with which a run would refuse the issue. `ended`: nothing is left to do for it. */
async function begins(
  { here, settled }: { here: InForce["here"]; settled: Settled },
  id: string,
  { next, flags }: With,
): Promise<Begun | { ended: Ended; because: string }> {
  const { base } = settled.settings;
  const terms = { ...loadTerms(here, settled), waived: waivedFor(id, { flags, next }) };
  const { journal, runnerLock } = placesFor(here, id);
  const look = existsSync(journal) ? await lookAt(here, id) : undefined;
  if (look?.now.runnerAlive) throw heldByAnother(runnerLock, id);
  const phase = look ? phaseOf(look.state) : "none";
  if (look?.state.opening && phase !== "none" && phase !== "done") {
    const kept = withKept(settled, look.state.opening).settings;
    canGoOn(look, kept.base);
    const { title, criticality } = look.state.opening;
    const waits = phase === "pull_request" ? reportOf(look.state, look.now).because : null;
    return { title, criticality, goesOn: phase, waits, gates: kept.gates };
  }
  const issueFile = await findIssueOnBase(here, id, base);
  if (phase === "done" && parseIssue(issueFile.text, issueFile.path).status === "closed")
    return { ended: "done", because: t`it is done` };
  if (look && (await isLeft({ ...look, repository: here.repository })))
    return { ended: "failed", because: t`it is done, and its work is on a branch of its own` };
  const control = { interrupt: new AbortController().signal };
  const setup = setUpRelay(here, id, { control, onProgress: () => undefined });
  const { title, criticality } = await canOpen(setup, terms, issueFile);
  return { title, criticality, goesOn: null, waits: null, gates: settled.settings.gates };
}

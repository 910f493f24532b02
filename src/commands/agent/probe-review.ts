/** monoco agent probe --review: a Reviewer before submissions that are known to be right or wrong; its misses and false alarms are kept. */
import { createInterface } from "node:readline/promises";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { counted } from "../../core/text/counted.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { expectedOf, judgeFigures, resultOf, verdictWords } from "../../core/report/judge-figures.ts";
import type { Judged, JudgeFigures } from "../../core/report/judge-figures.ts";
import { agentSettings } from "../../core/settings/agent-entry.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { killAllNow } from "../../agents/child.ts";
import { agents } from "../../agents/registry.ts";
import { keepJudge, knownJudge } from "../../store/probes.ts";
import type { JudgePlayer } from "../../store/probes.ts";
import { agentsHere, findProgram, judgePlayer, versionHere } from "../../app/agents.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { between } from "../../views/stats-table.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";
import { io, within } from "../../io/io.ts";
import { entryOf, withoutOurs } from "./probe-live.ts";
import { reviewSeed } from "./review-seed.ts";
import type { Judge, Reviewed } from "./review-seed.ts";
import { readSeeds } from "./seeds.ts";
import type { Seed } from "./seeds.ts";

export type ReviewProbeFlags = { model?: string; only?: string[]; jobs: number; yes: boolean; json: boolean };

/** The schema of `agent probe --review --json`. `figures` are of all that was ever judged of this set, by this very agent. */
export type ReviewProbeReport = {
  agent: string;
  model: string | null;
  version: string | null;
  submissions: (Judged & { expected: string; result: string })[];
  /** Projects whose program is not installed here. */
  skipped: string[];
  figures: JudgeFigures;
};

/** Exit status 0 however it judged; 4 where it cannot be asked, 75 where its plan is used up, 130 after Ctrl-C: what was judged is kept. */
export async function probeReview(name: string | undefined, flags: ReviewProbeFlags): Promise<number> {
  const here = await openHere();
  const { root } = here.repository;
  const agent = name ?? firstReviewer(loadSettings(here), root);
  const entry = await entryOf(agent, flags.model);
  const player = judgePlayer(entry, root);
  if (!player)
    throw new MonocoError("agent", `${agent}: not installed here`, {
      hint: `${agents[entry.kind].program(entry)?.install ?? ""}; monoco agent list shows what is found`,
    });
  const { seeds, skipped } = chosen(flags.only);
  if (!(await agreed(agent, seeds.length, flags))) return 0;
  // A program of one's own need not know the word.
  const { said: version } = entry.run === undefined ? await versionHere(entry, root) : { said: null };
  const judge = { name: agent, entry, agents: agentsHere() };
  const keeper = openKeeper(player, version);
  const { reviewed, code } = await reviewAll(seeds, judge, { jobs: flags.jobs, keep: keeper.keep });
  const submissions = seeds
    .flatMap((seed) => reviewed.get(seed) ?? [])
    .map((one) => ({ ...one, expected: expectedOf(one.kind), result: resultOf(one) }));
  const report = {
    agent,
    model: entry.model ?? null,
    version,
    submissions,
    skipped,
    figures: keeper.figures(),
  };
  if (flags.json) printJson(report satisfies ReviewProbeReport);
  else io().stdout.write(inWords(report));
  return code;
}

function firstReviewer(settings: Settings, root: string): string {
  const names = settings.roles.reviewer.agents;
  return names.find((name) => judgePlayer(agentSettings(settings, name), root)) ?? names[0]!;
}

function chosen(only: readonly string[] = []): { seeds: Seed[]; skipped: string[] } {
  const all = readSeeds();
  const unknown = only.find((one) => !all.some(({ name }) => name.includes(one)));
  if (unknown !== undefined)
    throw new MonocoError("input", `--only ${unknown}: no submission has that in its name`, {
      hint: `these are there: ${all.map(({ name }) => name).join(", ")}`,
    });
  const wanted = all.filter(({ name }) => only.length === 0 || only.some((one) => name.includes(one)));
  const isHere = ({ needs }: Seed): boolean => findProgram(needs, io().cwd) !== undefined;
  const skipped = new Set(wanted.filter((seed) => !isHere(seed)).map(({ needs }) => needs));
  return { seeds: wanted.filter(isHere), skipped: [...skipped] };
}

/** Each session costs: nobody starts them unasked. */
async function agreed(
  agent: string,
  sessions: number,
  { yes, only = [] }: ReviewProbeFlags,
): Promise<boolean> {
  const what = `${agent} plays the Reviewer in ${counted(sessions, "session")}, with your login and at your cost`;
  if (yes) return true;
  if (!io().stdin.isTTY || !io().stderr.isTTY)
    throw new MonocoError("input", `${what}: expected --yes, since there is no terminal to ask at`, {
      hint: ["monoco agent probe", agent, "--review", ...only.map((one) => `--only ${one}`), "--yes"].join(
        " ",
      ),
    });
  const asking = createInterface({ input: io().stdin, output: io().stderr });
  const answer = await asking.question(`${what}. Go on? [y/N] `);
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

type Keeper = { keep(one: Judged): void; figures(): JudgeFigures };

/** What is judged again takes the place of what was; the rest stays. Written each time, so that no kill loses what was paid for. */
function openKeeper(player: JudgePlayer, version: string | null): Keeper {
  const names = new Set(readSeeds().map(({ name }) => name));
  const before = knownJudge(io().env, player);
  const judged = new Map(before?.judged.map((one) => [one.submission, one]));
  let atMs = before?.atMs ?? Date.now();
  const known = (): Judged[] => [...judged.values()].filter(({ submission }) => names.has(submission));
  return {
    keep: ({ submission, kind, verdict, counts, because }) => {
      atMs = Date.now();
      judged.set(submission, { submission, kind, verdict, counts, because });
      keepJudge(io().env, player, { v: 1, atMs, version, judged: known() });
    },
    figures: () => judgeFigures(known(), atMs),
  };
}

type Outcome = { reviewed: Map<Seed, Reviewed>; code: number };

/** `jobs` at once. Ctrl-C ends the sessions; what asks for a person ends the probe. */
async function reviewAll(
  seeds: readonly Seed[],
  judge: Judge,
  { jobs, keep }: { jobs: number; keep(one: Judged): void },
): Promise<Outcome> {
  const temporary = makeTemporary("probe");
  const { folder } = temporary;
  const stop = new AbortController();
  const unheard = io().onStop(() => {
    if (stop.signal.aborted) killAllNow();
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    tell("stopping: what was judged is kept; again to stop at once");
    stop.abort();
  });
  const env = { ...withoutOurs(io().env), XDG_STATE_HOME: join(folder, "state") };
  const waiting = [...seeds.entries()];
  const reviewed: Outcome["reviewed"] = new Map();
  let code = 0;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
      const [at, seed] = next;
      const cwd = join(folder, String(at + 1), "project");
      mkdirSync(cwd, { recursive: true });
      const one = await within({ cwd, env }, () => reviewSeed(seed, cwd, { judge, stop: stop.signal }));
      if (one.verdict === null && stop.signal.aborted) return;
      reviewed.set(seed, one);
      if (one.ended !== "needs_login" && one.ended !== "usage_limit") keep(one);
      tell(`${reviewed.size} of ${seeds.length}: ${lineOf(one)}`);
      if (one.ended === "needs_login") code = exitCodes.agent;
      if (one.ended === "usage_limit") code = exitCodes.later;
      if (code !== 0) waiting.length = 0;
    }
  };
  try {
    const ends = Array.from({ length: jobs }, () => worker().finally(() => (waiting.length = 0)));
    for (const end of await Promise.allSettled(ends)) if (end.status === "rejected") throw end.reason;
    return { reviewed, code: stop.signal.aborted ? exitCodes.interrupted : code };
  } finally {
    unheard();
    temporary.remove();
  }
}

function tell(text: string): void {
  io().stderr.write(`${text}\n`);
}

function lineOf(one: Reviewed): string {
  const because = one.because === undefined ? "" : `: ${plainLine(one.because, 200)}`;
  return `${one.submission}: ${resultOf(one)}${because}`;
}

const looks = { right: "good", miss: "bad", "false alarm": "bad", "no verdict": "dim" } as const;

function inWords({ agent, model, submissions, skipped, figures }: ReviewProbeReport): string {
  const head = ["submission", "kind", "expected", "verdict", "result"];
  const rows = submissions.map((one): Cell[] => [
    one.submission,
    one.kind,
    verdictWords[expectedOf(one.kind)],
    one.verdict === null ? "none" : verdictWords[one.verdict] + (one.counts ? "" : " (does not count)"),
    { text: resultOf(one), tone: looks[resultOf(one)] },
  ]);
  const { missed, wrong, missedBetween, falseAlarms, right, falseAlarmsBetween, unjudged } = figures;
  return [
    ...tableLines([head, ...rows]),
    "",
    model === null ? agent : `${agent}, model ${model}`,
    `  misses        ${missed} of ${wrong} wrong, ${between(missedBetween)}`,
    `  false alarms  ${falseAlarms} of ${right} right, ${between(falseAlarmsBetween)}`,
    ...(unjudged === 0 ? [] : [`  no verdict    ${unjudged}, which count nowhere`]),
    ...skipped.map((program) => `  left out      what needs ${program}, which is not installed here`),
    "",
  ].join("\n");
}

/** monoco agent probe --review: a Reviewer before submissions that are known to be right or wrong; its misses and false alarms are kept. */
import { createInterface } from "node:readline/promises";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import { counted } from "../../core/language/counted.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { expectedOf, judgeFigures, resultOf } from "../../core/report/judge-figures.ts";
import type { Interval, Judged, JudgeFigures } from "../../core/report/judge-figures.ts";
import { killAllNow } from "../../agents/child.ts";
import { agents } from "../../agents/registry.ts";
import { keepJudged, knownJudge } from "../../store/probes.ts";
import { agentsHere, findProgram, judgePlayer } from "../../app/agents.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";
import { io, within } from "../../io/io.ts";
import { entryOf, withoutOurs } from "./probe-live.ts";
import { reviewSeed } from "./review-seed.ts";
import type { Judge, Reviewed } from "./review-seed.ts";
import { readSeeds } from "./seeds.ts";
import type { Seed } from "./seeds.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";

export type ReviewProbeFlags = { model?: string; only?: string[]; jobs: number; yes: boolean; json: boolean };

/** The schema of `agent probe --review --json`. `figures` are of all that this very agent was ever asked here. */
export type ReviewProbeReport = {
  agent: string;
  model: string | null;
  submissions: (Judged & { expected: keyof typeof verdicts; result: keyof typeof looks })[];
  /** Projects whose program is not installed here. */
  skipped: string[];
  figures: JudgeFigures;
};

/** Exit status 0 however it judged; 4 where it cannot be asked, 75 where its plan is used up, 130 after Ctrl-C: what was judged is kept. */
export async function probeReview(name: string | undefined, flags: ReviewProbeFlags): Promise<number> {
  const here = await openHere();
  const agent = name ?? loadSettings(here).roles.reviewer.agents[0]!;
  const entry = await entryOf(agent, flags.model);
  const player = judgePlayer(entry, here.repository.root);
  if (!player)
    throw new MonocoError("agent", t`${agent}: not installed here`, {
      hint: t`${agents[entry.kind].program(entry)?.install ?? ""}; monoco agent list shows what is found`,
    });
  const { seeds, skipped } = chosen(flags.only);
  if (!flags.yes && !(await agreed(agent, seeds.length))) return 0;
  const { env } = io();
  const judge = { name: agent, entry, agents: agentsHere() };
  const keep = (one: Judged): void => keepJudged(env, player, one, Date.now());
  const { reviewed, code } = await reviewAll(seeds, judge, { jobs: flags.jobs, keep });
  const { judged, atMs } = knownJudge(env, player) ?? { judged: [], atMs: Date.now() };
  const submissions = reviewed.map((one) => ({
    ...one,
    expected: expectedOf(one.kind),
    result: resultOf(one),
  }));
  const figures = judgeFigures(judged, atMs);
  const report = { agent, model: entry.model ?? null, submissions, skipped, figures };
  if (flags.json) printJson(report satisfies ReviewProbeReport);
  else io().stdout.write(inWords(report));
  return code;
}

function chosen(only: readonly string[] = []): { seeds: Seed[]; skipped: string[] } {
  const all = readSeeds();
  const wanted = all.filter(({ name }) => only.length === 0 || only.some((one) => name.includes(one)));
  if (wanted.length === 0)
    throw new MonocoError("input", t`--only ${only.join(" ")}: no submission has that in its name`, {
      hint: t`these are there: ${all.map(({ name }) => name).join(", ")}`,
    });
  const isHere = ({ needs }: Seed): boolean => findProgram(needs, io().cwd) !== undefined;
  const skipped = new Set(wanted.filter((seed) => !isHere(seed)).map(({ needs }) => needs));
  return { seeds: wanted.filter(isHere), skipped: [...skipped] };
}

/** Each session costs: nobody starts them unasked. */
async function agreed(agent: string, sessions: number): Promise<boolean> {
  const what = t`${agent} plays the Reviewer in ${counted(sessions, "session")}, with your login and at your cost`;
  if (!io().stdin.isTTY || !io().stderr.isTTY)
    throw new MonocoError("input", t`${what}: without a terminal to ask at, expected --yes`, {
      hint: t`repeat the command with --yes; --only NAME starts fewer sessions`,
    });
  const asking = createInterface({ input: io().stdin, output: io().stderr });
  const answer = await asking.question(t`${what}. Go on? [y/N] `);
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

type Work = { jobs: number; keep(one: Judged): void };

/** `jobs` at once. Ctrl-C ends the sessions; a login or a plan that does not answer ends the probe, and counts nowhere. */
async function reviewAll(
  seeds: readonly Seed[],
  judge: Judge,
  { jobs, keep }: Work,
): Promise<{ reviewed: Reviewed[]; code: number }> {
  const { folder, remove } = makeTemporary("probe");
  const stop = new AbortController();
  const unheard = io().onStop(() => {
    if (stop.signal.aborted) {
      killAllNow();
      process.exit(exitCodes.interrupted);
    }
    io().stderr.write(t`stopping: what was judged is kept; again to stop at once\n`);
    stop.abort();
  });
  const env = { ...withoutOurs(io().env), XDG_STATE_HOME: join(folder, "state") };
  const waiting = [...seeds.entries()];
  const done = new Map<Seed, Reviewed>();
  let code = 0;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
      const [at, seed] = next;
      const cwd = join(folder, String(at), "project");
      mkdirSync(cwd, { recursive: true });
      const one = await within({ cwd, env }, () => reviewSeed(seed, cwd, { judge, stop: stop.signal }));
      if (one.verdict === null && stop.signal.aborted) return;
      done.set(seed, one);
      io().stderr.write(
        t`${done.size} of ${seeds.length}: ${seed.name}: ${translated(results[resultOf(one)])}${whyOf(one)}\n`,
      );
      const ends = { needs_login: exitCodes.agent, usage_limit: exitCodes.later }[String(one.ended)];
      if (ends === undefined) keep(one);
      else [code, waiting.length] = [ends, 0];
    }
  };
  try {
    const workers = Array.from({ length: jobs }, () => worker().finally(() => (waiting.length = 0)));
    for (const end of await Promise.allSettled(workers)) if (end.status === "rejected") throw end.reason;
  } finally {
    unheard();
    remove();
  }
  const reviewed = seeds.flatMap((seed) => done.get(seed) ?? []);
  return { reviewed, code: stop.signal.aborted ? exitCodes.interrupted : code };
}

const whyOf = ({ why }: Reviewed): string => (why === undefined ? "" : `: ${plainLine(why, 200)}`);

const looks = { right: "good", miss: "bad", "false alarm": "bad", "no verdict": "dim" } as const;
const titles = translatable(["submission", "kind", "expected", "verdict", "result"]);
const verdicts = translatable({ approve: "approve", request_changes: "request changes", none: "none" });
const kinds = translatable({
  right: "right",
  wrong: "wrong",
  subtle: "subtle",
  weakened: "weakened",
  injected: "injected",
});
const results = translatable({
  right: "right",
  miss: "miss",
  "false alarm": "false alarm",
  "no verdict": "no verdict",
});

function inWords({ agent, model, submissions, skipped, figures }: ReviewProbeReport): string {
  const words = (verdict: keyof typeof verdicts | null): string => translated(verdicts[verdict ?? "none"]);
  const rows = submissions.map((one): Cell[] => [
    one.submission,
    translated(kinds[one.kind]),
    words(one.expected),
    words(one.verdict) + (one.verdict === null || one.counts ? "" : t` (does not count)`),
    { text: translated(results[resultOf(one)]), tone: looks[resultOf(one)] },
  ]);
  const { missed, wrong, missedBetween, falseAlarms, right, falseAlarmsBetween, unjudged } = figures;
  return [
    ...tableLines([titles.map(translated), ...rows]),
    "",
    model === null ? agent : t`${agent}, model ${model}`,
    t`  misses        ${missed} of ${wrong} wrong, ${between(missedBetween)}`,
    t`  false alarms  ${falseAlarms} of ${right} right, ${between(falseAlarmsBetween)}`,
    ...(unjudged === 0 ? [] : [t`  no verdict    ${unjudged}, which count nowhere`]),
    ...skipped.map((program) => t`  left out      what needs ${program}, which is not installed here`),
    "",
  ].join("\n");
}

function between([low, high]: Interval): string {
  return t`95 % interval ${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

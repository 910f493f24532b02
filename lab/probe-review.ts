/** `npm run probe-review -w lab -- AGENT`: a Reviewer before submissions that are known to be right or wrong, and its misses and false alarms. */
import { createInterface } from "node:readline/promises";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MonocoError, exitCodes } from "../src/index.ts";
import { plainLine } from "../src/core/text/sanitize.ts";
import { expectedOf, judgeFigures, resultOf } from "./probe-review/judge-figures.ts";
import type { Interval } from "../src/core/report/escapes.ts";
import type { Judged, JudgeFigures } from "./probe-review/judge-figures.ts";
import { killAllNow } from "../src/agents/child.ts";
import { agents } from "../src/agents/registry.ts";
import { agentsHere, findProgram } from "../src/app/agents.ts";
import { openHere } from "../src/app/here.ts";
import { loadSettings } from "../src/app/settings.ts";
import { makeTemporary } from "../src/app/temporary.ts";
import { tellFailure } from "../src/views/failure.ts";
import { printJson } from "../src/views/json.ts";
import { tableLines } from "../src/views/table.ts";
import type { Cell } from "../src/views/table.ts";
import { io, within } from "../src/io/io.ts";
import { entryOf, withoutOurs } from "../src/commands/agent/probe-live.ts";
import { reviewSeed } from "./probe-review/review-seed.ts";
import type { Judge, Reviewed } from "./probe-review/review-seed.ts";
import { readSeeds } from "./probe-review/seeds.ts";
import type { Seed } from "./probe-review/seeds.ts";

type Flags = { model?: string; only?: string[]; jobs: number; yes: boolean; json: boolean };

/** What `--json` prints. */
type Report = {
  agent: string;
  model: string | null;
  submissions: (Judged & { expected: keyof typeof verdicts; result: keyof typeof looks })[];
  /** Projects whose program is not installed here. */
  skipped: string[];
  figures: JudgeFigures;
};

/** Exit status 0 however it judged; 4 where it cannot be asked, 75 where its plan is used up, 130 after Ctrl-C. */
export async function probeReview(name: string | undefined, flags: Flags): Promise<number> {
  const here = await openHere();
  const agent = name ?? loadSettings(here).roles.reviewer.agents[0]!;
  const entry = await entryOf(agent, flags.model);
  const program = agents[entry.kind].program(entry);
  if (program && findProgram(program.name, here.repository.root) === undefined)
    throw new MonocoError("agent", `${agent}: not installed here`, {
      hint: `${program.install}; monoco agent list shows what is found`,
    });
  const { seeds, skipped } = chosen(flags.only);
  if (!flags.yes && !(await agreed(agent, seeds.length))) return 0;
  const judge = { name: agent, entry, agents: agentsHere() };
  const { reviewed, code } = await reviewAll(seeds, judge, flags.jobs);
  const report: Report = {
    agent,
    model: entry.model ?? null,
    submissions: reviewed.map((one) => ({ ...one, expected: expectedOf(one.kind), result: resultOf(one) })),
    skipped,
    figures: judgeFigures(reviewed.filter(({ ended }) => !isRefused(ended))),
  };
  if (flags.json) printJson(report);
  else io().stdout.write(inWords(report));
  return code;
}

function chosen(only: readonly string[] = []): { seeds: Seed[]; skipped: string[] } {
  const all = readSeeds();
  const wanted = all.filter(({ name }) => only.length === 0 || only.some((one) => name.includes(one)));
  if (wanted.length === 0)
    throw new MonocoError("input", `--only ${only.join(" ")}: no submission has that in its name`, {
      hint: `these are there: ${all.map(({ name }) => name).join(", ")}`,
    });
  const isHere = ({ needs }: Seed): boolean => findProgram(needs, io().cwd) !== undefined;
  const skipped = new Set(wanted.filter((seed) => !isHere(seed)).map(({ needs }) => needs));
  return { seeds: wanted.filter(isHere), skipped: [...skipped] };
}

/** Each session costs: nobody starts them unasked. */
async function agreed(agent: string, sessions: number): Promise<boolean> {
  const what = `${agent} plays the Reviewer in ${sessions} sessions, with your login and at your cost`;
  if (!io().stdin.isTTY || !io().stderr.isTTY)
    throw new MonocoError("input", `${what}: without a terminal to ask at, expected --yes`, {
      hint: `repeat the command with --yes; --only NAME starts fewer sessions`,
    });
  const asking = createInterface({ input: io().stdin, output: io().stderr });
  const answer = await asking.question(`${what}. Go on? [y/N] `);
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** `jobs` at once. Ctrl-C ends the sessions; a login or a plan that does not answer ends the probe, and counts nowhere. */
async function reviewAll(
  seeds: readonly Seed[],
  judge: Judge,
  jobs: number,
): Promise<{ reviewed: Reviewed[]; code: number }> {
  const { folder, remove } = makeTemporary("probe");
  const stop = new AbortController();
  const unheard = io().onStop(() => {
    if (stop.signal.aborted) {
      killAllNow();
      process.exit(exitCodes.interrupted);
    }
    io().stderr.write(`stopping; again to stop at once\n`);
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
      io().stderr.write(`${done.size} of ${seeds.length}: ${seed.name}: ${resultOf(one)}${whyOf(one)}\n`);
      if (isRefused(one.ended)) [code, waiting.length] = [refusals[one.ended], 0];
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

/** Endings of a session whose agent could not be asked: they count nowhere. */
const refusals = { needs_login: exitCodes.agent, usage_limit: exitCodes.later } as const;

function isRefused(ended: Reviewed["ended"]): ended is keyof typeof refusals {
  return ended !== undefined && ended in refusals;
}

const whyOf = ({ why }: Reviewed): string => (why === undefined ? "" : `: ${plainLine(why, 200)}`);

const looks = { right: "good", miss: "bad", "false alarm": "bad", "no verdict": "dim" } as const;
const titles = ["submission", "kind", "expected", "verdict", "result"];
const verdicts = { approve: "approve", request_changes: "request changes", none: "none" };

function inWords({ agent, model, submissions, skipped, figures }: Report): string {
  const words = (verdict: keyof typeof verdicts | null): string => verdicts[verdict ?? "none"];
  const rows = submissions.map((one): Cell[] => [
    one.submission,
    one.kind,
    words(one.expected),
    words(one.verdict) + (one.verdict === null || one.counts ? "" : ` (does not count)`),
    { text: resultOf(one), tone: looks[resultOf(one)] },
  ]);
  const { missed, wrong, missedBetween, falseAlarms, right, falseAlarmsBetween, unjudged } = figures;
  return [
    ...tableLines([titles, ...rows]),
    "",
    model === null ? agent : `${agent}, model ${model}`,
    `  misses        ${missed} of ${wrong} wrong, ${between(missedBetween)}`,
    `  false alarms  ${falseAlarms} of ${right} right, ${between(falseAlarmsBetween)}`,
    ...(unjudged === 0 ? [] : [`  no verdict    ${unjudged}, which count nowhere`]),
    ...skipped.map((program) => `  left out      what needs ${program}, which is not installed here`),
    "",
  ].join("\n");
}

function between([low, high]: Interval): string {
  return `95 % interval ${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      model: { type: "string" },
      only: { type: "string", multiple: true },
      jobs: { type: "string", short: "j", default: "2" },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  process.exitCode = await probeReview(positionals[0], { ...values, jobs: Number(values.jobs) }).catch(
    tellFailure,
  );
}

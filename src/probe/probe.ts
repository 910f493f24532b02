/**
 * `monoco agent probe`: six runs of the real CLI, driven by its adapter before a scripted model on loopback, show its
 * abilities. Every finding rests on the CLI's output, or on requests that reached the model.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { within } from "../agents/child.ts";
import type { Finding, Findings } from "../core/session/probe.ts";
import { endOf, fromWork, idOf, lastWords, no, unknown, texts, yes } from "./findings.ts";
import type { Work } from "./findings.ts";
import { runProbe } from "./run.ts";
import type { Bench, RunningProbe } from "./run.ts";
import type { ModelScript, ModelUsage, Turn } from "./scripted-model.ts";
import { t } from "../core/language/translate.ts";

/**
 * Makes all runs. `folder` of the bench holds an empty git repository, `workspace`. `onRun` gets the title of each run.
 * Takes 5 s to a minute.
 */
export async function probe(bench: Bench, onRun: (title: string) => void): Promise<Findings> {
  mkdirSync(join(bench.folder, "workspace"), { recursive: true });
  writeFileSync(join(bench.folder, "workspace", "issue.md"), `- [ ] ${texts.criterion}\n`);
  onRun(t`work`);
  const work = await tryWork(bench);
  const id = idOf(work.run.updates);
  onRun(t`resume`);
  const resume = id === undefined ? undefined : await tryResume(bench, id);
  onRun(t`verdict`);
  const verdict = await tryVerdict(bench);
  onRun(t`usage limit`);
  const limit = await tryLimit(bench);
  onRun("SIGTERM");
  const term = await trySignal(bench, 5, "SIGTERM");
  onRun("SIGKILL");
  const kill = await trySignal(bench, 6, "SIGKILL");
  return {
    ...fromWork(bench, work),
    resume: resume ?? unknown(t`it did not say which session it was`),
    structuredVerdict: verdict,
    usageLimitEvent: limit,
    diesOnTerm: term,
    diesOnKill: kill,
  };
}

/** Two commands, with a message in the middle of the first; then the agent stops too early, and is held back once. */
async function tryWork(bench: Bench): Promise<Work> {
  const { shell } = bench.vendor;
  let takesMessages = false;
  // Quoted: otherwise Gemini CLI refuses `$(` in a command.
  const waiting = "sh -c 'i=0; until [ -e go.txt ] || [ $i -ge 200 ]; do sleep 0.1; i=$((i+1)); done'";
  const stops = Array.from({ length: 6 }, (): Turn => ({ text: "That is all.", usage: tokens(60_000) }));
  const run = await runProbe(bench, {
    number: 1,
    role: "executor",
    prompt: texts.prompt,
    agentSessionId: randomUUID(),
    script: anything([
      { text: "First.", tools: [shell(`echo one > one.txt; ${waiting}`)], usage: tokens(20_000) },
      { text: "Second.", tools: [shell("echo two > two.txt")], usage: tokens(50_000) },
      ...stops,
    ]),
    during: async (session) => {
      await appears("one.txt", session);
      takesMessages = session.tell(texts.note);
      session.setLive({ plan: texts.mark });
      writeFileSync(join(session.workspace, "go.txt"), "");
    },
  });
  return { run, takesMessages };
}

async function tryResume(bench: Bench, agentSessionId: string): Promise<Finding> {
  const run = await runProbe(bench, {
    number: 2,
    role: "executor",
    prompt: "Go on with what you did.",
    agentSessionId,
    resume: true,
    script: anything([{ text: "I remember." }, { text: "I remember." }]),
    live: { letStop: "the probe has seen enough" },
  });
  const [first] = run.requests;
  if (!first) return no(lastWords(run));
  const said = first.messages.map(({ text }) => text).join("\n");
  return said.includes(texts.prompt) ? yes(t`the conversation went on`) : no(t`the conversation began anew`);
}

/** A verdict with everything that the schema requires. */
const wholeVerdict = {
  verdict: "approve",
  criteria: [{ criterion: 1, result: "met", command: "npm test", exitCode: 0 }],
  probes: [{ command: "npm run probe", exitCode: 0 }],
  findings: [],
  summary: "Probed",
};

async function tryVerdict(bench: Bench): Promise<Finding> {
  const verdict = bench.vendor.verdict(wholeVerdict);
  const run = await runProbe(bench, {
    number: 3,
    role: "reviewer",
    prompt: "You are the Reviewer. Return your verdict.",
    agentSessionId: randomUUID(),
    script: anything([verdict, { text: "That was it." }, { text: "That was it." }]),
  });
  const given = run.updates.some((update) => update.type === "verdict");
  if (!given) return no(t`no verdict was read: ${lastWords(run)}`);
  return bench.agent.capabilities.verdictBySchema
    ? yes(t`came through its schema`)
    : no(t`read from its text: it has no schema that is enforced`);
}

async function tryLimit(bench: Bench): Promise<Finding> {
  const resetsAtMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const run = await runProbe(bench, {
    number: 4,
    role: "executor",
    prompt: texts.prompt,
    agentSessionId: randomUUID(),
    script: anything([bench.vendor.usedUp(resetsAtMs)]),
    live: { letStop: "the probe has seen enough" },
  });
  const limit = run.updates.find((update) => update.type === "limit");
  if (limit) {
    const hasTime = limit.resetsAtMs !== undefined && Math.abs(limit.resetsAtMs - resetsAtMs) < 120_000;
    return yes(hasTime ? t`told, with its reset time` : t`told, without its reset time`);
  }
  const end = endOf(run.updates);
  return end?.ending === "usage_limit" ? yes(t`told, without its reset time`) : no(lastWords(run));
}

/** How an agent dies of a signal in the middle of a command. */
async function trySignal(bench: Bench, number: number, signal: "SIGTERM" | "SIGKILL"): Promise<Finding> {
  const name = `${signal}.txt`;
  const run = await runProbe(bench, {
    number,
    role: "executor",
    prompt: texts.prompt,
    agentSessionId: randomUUID(),
    script: anything([
      { text: "Waiting.", tools: [bench.vendor.shell(`echo $$ > ${name}; exec tail -f /dev/null`)] },
    ]),
    live: { letStop: "the probe has seen enough" },
    during: async (session) => {
      await appears(name, session);
      session.signal(signal);
      const ended = session.ended.then(() => true);
      if (!(await within(dyingMsMax, ended))) session.signal("SIGKILL");
    },
  });
  const { msToDie } = run;
  if (msToDie === undefined || !existsSync(join(bench.folder, "workspace", name)))
    return unknown(t`it never ran its command: ${lastWords(run)}`);
  return msToDie < dyingMsMax
    ? yes(t`gone after ${Math.round(msToDie)} ms`)
    : no(t`still there after ${dyingMsMax / 1_000} s`);
}

/** The grace that a session gets before it is killed. */
const dyingMsMax = 5_000;

/** Waits for a file of the workspace, or for the session's end. */
async function appears(name: string, { workspace, ended }: RunningProbe): Promise<void> {
  const watcher = watch(workspace);
  const seen = new Promise<void>((resolve) => {
    const look = (): void => {
      if (existsSync(join(workspace, name))) resolve();
    };
    watcher.on("change", look);
    look();
  });
  await Promise.race([seen, ended]);
  watcher.close();
}

/** A script that answers any prompt with these turns. */
function anything(turns: readonly Turn[]): ModelScript {
  return [{ match: "", turns }];
}

function tokens(input_tokens: number): ModelUsage {
  return { input_tokens, output_tokens: 10 };
}

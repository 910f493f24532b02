/** The scripted agent's process: reads the prompt, finds its session in the script, and takes the session's steps. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import type { Answer, Verdict } from "../../core/review/verdict-schema.ts";
import { parseLive } from "../../core/session/live.ts";
import type { Live } from "../../core/session/live.ts";
import { readScript } from "./script.ts";
import type { Script, Step, VerdictStep } from "./script.ts";

const [scriptPath = "", role = "executor", sessionOfRole = "1"] = process.argv.slice(2);
const sessionDir = process.env["MONOCO_SESSION_DIR"] ?? "";

const say = (value: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

async function main(): Promise<void> {
  for await (const chunk of process.stdin) void chunk;
  const script = readScript(readFileSync(scriptPath, "utf8"), scriptPath);
  const sessions = sessionsFor(script);
  say({ type: "session", id: `scripted-${role}-${sessionOfRole}-${process.pid}` });
  for (const step of sessions[Math.min(Number(sessionOfRole), sessions.length) - 1]!) {
    if (await take(step)) break;
  }
}

/** The sessions of the role. Without an author in the script, a proposal has no steps. */
function sessionsFor({ author = [[]], executor, reviewer }: Script): Step[][] {
  if (role === "author") return author;
  return role === "reviewer" ? reviewer : executor;
}

/** Takes one step; returns true if it ends the session. */
async function take(step: Step): Promise<boolean> {
  if ("write" in step) for (const [path, text] of Object.entries(step.write)) write(path, text);
  else if ("run" in step) run(step.run);
  else if ("usage" in step) say({ type: "usage", ...step.usage });
  else if ("say" in step) say({ type: "message", text: step.say });
  else if ("submit" in step) run("monoco issue submit");
  else if ("handoff" in step) await handOver(step.handoff);
  else if ("verdict" in step) return giveVerdict(step);
  else if ("sleep" in step) await new Promise((resolve) => setTimeout(resolve, step.sleep * 1000));
  else if ("await" in step) await toldToWrapUp();
  else if ("outage" in step) return endWith(step.outage);
  else if ("exit" in step) process.exit(step.exit);
  else await killed(step.kill);
  return false;
}

function endWith(outage: string): true {
  say({ type: "outage", text: outage });
  return true;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(process.cwd(), path)), { recursive: true });
  writeFileSync(path, text);
}

function run(command: string): { exitCode: number; output: string } {
  // Both streams in one, in the order in which they were written.
  const done = spawnSync("/bin/sh", ["-c", `exec 2>&1; ${command}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = done.stdout.trimEnd().slice(-4_000);
  const exitCode = done.status ?? 1;
  say({ type: "message", text: `$ ${command}${output ? `\n${output}` : ""}` });
  say({ type: "command", command, exitCode, text: output });
  return { exitCode, output };
}

/** Hands over. The documents are loaded here, so that only sessions that hand over pay for them. */
async function handOver(fill: Extract<Step, { handoff: unknown }>["handoff"]): Promise<void> {
  const { parseHandoff } = await import("../../core/handoff/handoff.ts");
  const { renderHandoff } = await import("../../core/handoff/render.ts");
  run("monoco relay prepare");
  const live = readLive();
  const handoff = parseHandoff(readFileSync("RALPH.md", "utf8"));
  const text = renderHandoff(
    {
      ...handoff,
      stage: fill.stage,
      workingOn: fill.workingOn ?? handoff.workingOn,
      nextSteps: fill.next,
      decisions: [...handoff.decisions, ...fill.decisions],
      warnings: [...handoff.warnings, ...fill.warnings],
      patterns: [...handoff.patterns, ...fill.patterns],
    },
    live?.language ?? "en",
  );
  writeFileSync("RALPH.md", text);
  run("monoco relay prepare");
}

/** Gives the verdict. Returns false if the command of `unless` succeeds: the next step follows then. */
function giveVerdict(step: VerdictStep): boolean {
  const probe = step.unless === undefined ? undefined : run(step.unless);
  if (probe?.exitCode === 0) return false;
  const evidence = probe
    ? { command: step.unless, exitCode: probe.exitCode, text: probe.output || "no output" }
    : { text: "as scripted" };
  const { verdict, summary, trend } = step;
  const { answers = verdict === "approve" ? answersBy(summary ?? "as scripted") : [] } = step;
  const findings = step.findings.map((finding) => ({ evidence, ...finding }));
  const made = verdict === "approve" && !step.criteria ? evidenceBy(step.evidence) : undefined;
  const { criteria = made?.criteria ?? [], probes = made?.probes ?? [] } = step;
  say({
    type: "verdict",
    verdict,
    findings,
    criteria,
    probes,
    ...(answers.length > 0 ? { answers } : {}),
    ...(summary ? { summary } : {}),
    ...(trend ? { trend } : {}),
  });
  return true;
}

function evidenceBy(evidence: VerdictStep["evidence"]): Pick<Verdict, "criteria" | "probes"> {
  const commands = typeof evidence === "string" ? [evidence] : (evidence ?? standIns());
  const shown = commands.map((one) => {
    const { exitCode, output } = run(one);
    return { command: one, exitCode, ...(output ? { text: output } : {}) };
  });
  const count = Number(process.env["MONOCO_CRITERIA"] ?? 0);
  const own = (index: number): typeof shown =>
    Array.isArray(evidence) ? [shown[Math.min(index, shown.length - 1)]!] : shown;
  const criteria = Array.from({ length: count }, (_, index) =>
    own(index).map((one) => ({ criterion: index + 1, result: "met" as const, ...one })),
  );
  return { criteria: criteria.flat(), probes: shown.slice(0, 1) };
}

/** The same answer for each place that the prompt lists. */
function answersBy(text: string): Answer[] {
  const path = join(sessionDir, "prompt.md");
  const prompt = existsSync(path) ? readFileSync(path, "utf8") : "";
  return [...prompt.matchAll(/^- ([PW]\d+) /gm)].map(([, id]) => ({ id: id!, text }));
}

/**
 * The evidence of a dry run, which has no work to look at: the files are this commit's except for monoco's comments, and a
 * check (or any command at all) runs on both sides.
 */
function standIns(): string[] {
  const head = run("git rev-parse HEAD").output.trim();
  const [check = "sh -c 'exit 0'"] = readLive()?.checks ?? [];
  return [`test -z "$(git diff -I'^[^ ]+ -( [*]/)?$' ${head})"; sh -c "exit $?"`, check];
}

/** Waits until live.json says to wrap up: the agent has no input, and live.json is replaced at every change. */
async function toldToWrapUp(): Promise<void> {
  while (!readLive()?.wrapUp) await new Promise((resolve) => setTimeout(resolve, 10));
}

function readLive(): Live | undefined {
  return parseLive(readFileSync(join(sessionDir, "live.json"), "utf8"));
}

async function killed(signal: NodeJS.Signals): Promise<void> {
  process.kill(process.pid, signal);
  await new Promise(() => setInterval(() => undefined, 1_000));
}

await main().catch((error: unknown) => {
  if (!(error instanceof MonocoError)) throw error;
  process.stderr.write(
    `error: ${error.message}\nhint: ${typeof error.hint === "string" ? error.hint : ""}\n`,
  );
  process.exitCode = 2;
});

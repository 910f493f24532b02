/** `npm run endings`: what the rules make of the labelled endings in test/fixtures/endings, as precision and recall. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { agents } from "../src/agents/registry.ts";
import { scoreExit } from "../src/core/exit-detection.ts";
import type { ExitEvidence } from "../src/core/exit-detection.ts";
import { classify } from "../src/core/outcome.ts";
import { settingsSchema } from "../src/core/settings.ts";
import { nothingSeen, see } from "../src/relay/watch.ts";
import type { Seen } from "../src/relay/watch.ts";

const root = join(import.meta.dirname, "..", "test");
const folder = join(root, "fixtures", "endings");

/** An ending: all that the relay would know of a session when it is over, and what is right to make of it. */
const endingSchema = z.strictObject({
  name: z.string(),
  why: z.string(),
  /** Never looked at while the rules are tuned. */
  heldOut: z.boolean().default(false),
  /** The labels: put it up for review; a usage limit; the promise was given. */
  submit: z.boolean().default(false),
  limit: z.boolean().default(false),
  promise: z.boolean().default(false),
  /** Whose lines carry the answer; a stream names its agent itself. */
  agent: z.enum(["claude", "command"]).default("command"),
  answer: z.string().default(""),
  /** How often the first line of the answer stands there. */
  repeat: z.number().int().positive().default(1),
  /** A recorded stream, without `.jsonl`: `recorded/…` of test/agents, or `streams/…` beside this file. */
  stream: z.string().optional(),
  /** The stream ends before the agent's own result. */
  cut: z.boolean().default(false),
  boxes: z
    .string()
    .regex(/^\d+\/\d+$/)
    .default("0/3"),
  files: z.array(z.string()).default(["src/a.ts"]),
  checks: z.enum(["passed", "failed", "none"]).default("none"),
  /** Sessions before this one, oldest first. */
  earlier: z
    .array(z.strictObject({ answer: z.string(), files: z.array(z.string()).default(["src/a.ts"]) }))
    .default([]),
  submitted: z.boolean().default(false),
  handedOver: z.boolean().default(false),
  exit: z.number().int().default(0),
  signal: z.string().nullable().default(null),
});
export type Ending = z.infer<typeof endingSchema> & { group: string };

export function readEndings(): Ending[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.flatMap((name) => {
    const endings = z.array(endingSchema).parse(parse(readFileSync(join(folder, name), "utf8")));
    return endings.map((ending) => ({ ...ending, group: name.replace(".yaml", "") }));
  });
}

const questions = ["submit", "limit", "promise"] as const;
export type Question = (typeof questions)[number];
export type Judged = Record<Question, boolean> & { because: string };

const policy = settingsSchema.parse({}).exit;

/** What the relay would make of it: the agent's dialogue, then the outcome, then exit detection. */
export function judge(ending: Ending): Judged {
  const kind = ending.stream ? agentOf(ending.stream) : ending.agent;
  const seen = seenIn(linesOf(ending), kind);
  const outcome = classify({
    role: "executor",
    stoppedBy: seen.compacted
      ? { reason: "context_limit", because: "the agent compacted its own context" }
      : undefined,
    submitted: ending.submitted,
    handedOver: ending.handedOver,
    verdict: "none",
    agent: seen.agent,
    cutShort: agents[kind].capabilities.tellsEnd && !seen.agent,
    limitText: seen.limit?.text,
    compacted: seen.compacted,
    exitCode: ending.signal === null ? ending.exit : null,
    signal: ending.signal,
    stderrTail: "",
  });
  const before = ending.earlier.reduce<ExitEvidence["before"]>((sofar, { answer, files }) => {
    const { done, testOnly } = scoreExit(evidence({ ...ending, files }, answer, sofar), policy);
    return [...sofar, { done, testOnly }];
  }, []);
  const score = scoreExit(evidence(ending, seen.answer.join("\n"), before), policy);
  const unsubmitted = outcome.reason === "completed_without_submit";
  return {
    submit: outcome.reason === "submitted" || (unsubmitted && score.finished),
    limit: outcome.reason === "usage_limit",
    promise: score.promise,
    because: unsubmitted ? score.because : `${outcome.reason}: ${outcome.evidence[0] ?? ""}`,
  };
}

function evidence(
  { boxes, files, checks }: Pick<Ending, "boxes" | "files" | "checks">,
  answer: string,
  before: ExitEvidence["before"],
): ExitEvidence {
  const [resolved = 0, total = 0] = boxes.split("/").map(Number);
  const checksOk = checks === "none" ? undefined : checks === "passed";
  return { answer, boxes: { resolved, total }, files, checksOk, before };
}

function agentOf(stream: string): "claude" | "codex" {
  return stream.includes("codex") ? "codex" : "claude";
}

function seenIn(lines: readonly string[], kind: keyof typeof agents): Seen {
  const seen = nothingSeen();
  const { read } = agents[kind].dialogue("");
  for (const line of lines) for (const update of read(line)) see(seen, update);
  return seen;
}

function linesOf({ stream, answer, repeat, agent, cut }: Ending): string[] {
  if (stream !== undefined) {
    const path = stream.startsWith("recorded/") ? join(root, "agents", stream) : join(folder, stream);
    return readFileSync(`${path}.jsonl`, "utf8").split("\n");
  }
  const [first = "", ...rest] = answer.split("\n");
  const lines = [...Array.from({ length: repeat }, () => first), ...rest];
  if (agent === "command") return lines;
  const content = [{ type: "text", text: lines.join("\n") }];
  const result = { type: "result", is_error: false, terminal_reason: "completed", result: answer };
  return [{ type: "assistant", message: { content } }, ...(cut ? [] : [result])].map((line) =>
    JSON.stringify(line),
  );
}

export type Figures = { n: number; right: number; precision: number; recall: number; falses: number };

/** Precision and recall of one question. A false one is worse than a miss: it is counted apart. */
export function figuresOf(endings: readonly Ending[], question: Question): Figures {
  const judged = endings.map((ending) => ({ label: ending[question], said: judge(ending)[question] }));
  const count = (label: boolean, said: boolean): number =>
    judged.filter((one) => one.label === label && one.said === said).length;
  const [hits, misses, falses] = [count(true, true), count(true, false), count(false, true)];
  return {
    n: judged.length,
    right: hits + count(false, false),
    precision: hits + falses === 0 ? 1 : hits / (hits + falses),
    recall: hits + misses === 0 ? 1 : hits / (hits + misses),
    falses,
  };
}

/** `--tuned` leaves the held-out part alone. */
function main(args: readonly string[]): number {
  const all = readEndings();
  const parts = {
    tuned: all.filter(({ heldOut }) => !heldOut),
    "held out": args.includes("--tuned") ? [] : all.filter(({ heldOut }) => heldOut),
  };
  let falses = 0;
  for (const [part, endings] of Object.entries(parts)) {
    if (endings.length === 0) continue;
    console.log(`${part}: ${endings.length} endings`);
    for (const question of questions) {
      const figures = figuresOf(endings, question);
      if (question === "submit") falses += figures.falses;
      const [precision, recall] = [figures.precision, figures.recall].map((value) => value.toFixed(3));
      console.log(
        `  ${names[question].padEnd(18)} precision ${precision}  recall ${recall}  false ${figures.falses}`,
      );
    }
    for (const ending of endings) tellConfusion(ending);
  }
  return falses === 0 ? 0 : 1;
}

const names = { submit: "submit for review", limit: "usage limit", promise: "promise" } as const;

function tellConfusion(ending: Ending): void {
  const judged = judge(ending);
  for (const question of questions) {
    if (judged[question] === ending[question]) continue;
    const kind = judged[question] ? "FALSE" : "missed";
    console.log(
      `  ${kind} ${names[question]}: ${ending.group}/${ending.name}: ${ending.why} [${judged.because}]`,
    );
  }
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));

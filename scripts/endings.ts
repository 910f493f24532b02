/** `npm run endings`: what the rules make of the labelled endings in test/fixtures/endings, as precision and recall. */
import { endingWords } from "../src/core/reason/ending-rows.ts";
import { becauseOf } from "../src/core/reason/reason.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { agents } from "../src/agents/registry.ts";
import { createHash } from "node:crypto";
import { isUndecided, scoreExit } from "../src/core/exit/detection.ts";
import type { ExitEvidence } from "../src/core/exit/detection.ts";
import { classify } from "../src/core/session/outcome.ts";
import { settingsSchema } from "../src/core/settings/settings.ts";
import { nothingSeen, see } from "../src/core/session/observations.ts";
import type { Seen } from "../src/core/session/observations.ts";
import { table } from "./docs/markdown.ts";
import { wordingLines } from "./wordings.ts";

const root = join(import.meta.dirname, "..", "test");
const folder = join(root, "fixtures", "endings");

/** An ending: all that the relay would know of a session when it is over, and what is right to make of it. */
const endingSchema = z.strictObject({
  name: z.string(),
  why: z.string(),
  /** Whose session it was, where it is no work of ours. */
  from: z.string().optional(),
  /** Never looked at while the rules are tuned. */
  heldOut: z.boolean().default(false),
  /** The labels: put it up for review; a usage limit; a person has to log in or pay; the promise was given. */
  submit: z.boolean().default(false),
  limit: z.boolean().default(false),
  login: z.boolean().default(false),
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

const questions = ["submit", "limit", "login", "promise"] as const;
type Question = (typeof questions)[number];
/** `submit` is what becomes of an agent that cannot be asked, `askable` of one that can. */
type Judged = Record<Question, boolean> & { askable: "yes" | "no" | "asked"; because: string };

const policy = settingsSchema.parse({}).exit;

/** What the relay would make of it: the agent's dialogue, then the outcome, then exit detection. */
export function judge(ending: Ending): Judged {
  const kind = ending.stream ? agentOf(ending.stream) : ending.agent;
  const seen = seenIn(linesOf(ending), kind);
  const outcome = classify({
    role: "executor",
    stoppedBy: seen.compacted ? { reason: "context_limit", because: { rule: "compacted" } } : undefined,
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
  const score = scoreExit(evidence(ending, seen.answer, before), policy);
  const unsubmitted = outcome.reason === "completed_without_submit";
  const submit = outcome.reason === "submitted" || (unsubmitted && score.finished);
  const asked = unsubmitted && ending.checks !== "failed" && asks(ending, seen.answer);
  return {
    submit,
    askable: asked ? "asked" : submit ? "yes" : "no",
    limit: outcome.reason === "usage_limit",
    login: outcome.reason === "needs_login",
    promise: score.promise,
    because: unsubmitted
      ? becauseOf(score.reason)
      : `${outcome.reason}: ${endingWords(outcome.evidence)[0] ?? ""}`,
  };
}

function asks({ boxes, checks }: Ending, answer: string): boolean {
  const [resolved = 0, total = 0] = boxes.split("/").map(Number);
  return isUndecided(answer, { resolved, total }, checks !== "none");
}

function evidence(
  { boxes, files, checks }: Pick<Ending, "boxes" | "files" | "checks">,
  answer: string,
  before: ExitEvidence["before"],
): ExitEvidence {
  const [resolved = 0, total = 0] = boxes.split("/").map(Number);
  const checksOk = checks === "none" ? undefined : checks === "passed";
  return { answer, boxes: { resolved, total }, files, changed: files.length, checksOk, before };
}

function agentOf(stream: string): keyof typeof agents {
  const kinds = ["codex", "gemini", "opencode", "acp"] as const;
  return (
    kinds.find((kind) => stream.startsWith(`recorded/${kind}/`) || stream.includes(`/${kind}-`)) ?? "claude"
  );
}

function seenIn(lines: readonly string[], kind: keyof typeof agents): Seen {
  let seen = nothingSeen();
  const { read } = agents[kind].dialogue("");
  for (const line of lines) for (const update of read(line)) seen = see(seen, update);
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

type Figures = { precision: number; recall: number; falses: number; hits: number; misses: number };

/** Precision and recall of one question. A false yes is worse than a miss, and counted apart. */
export function figuresOf(endings: readonly Ending[], question: Question): Figures {
  const judged = endings.map((ending) => ({ label: ending[question], said: judge(ending)[question] }));
  const count = (label: boolean, said: boolean): number =>
    judged.filter((one) => one.label === label && one.said === said).length;
  const [hits, misses, falses] = [count(true, true), count(true, false), count(false, true)];
  return { precision: share(hits, hits + falses), recall: share(hits, hits + misses), falses, hits, misses };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** Both directions of a wrong decision: work that is not done is put up for review, and finished work is not. */
type Wrong = { falses: number; misses: number };

/** Of agents that can be asked, whose question is neither; and of those that cannot. */
export function decisionsOf(endings: readonly Ending[]): {
  askable: Wrong & { asked: number };
  alone: Wrong;
} {
  const judged = endings.map((ending) => ({ label: ending.submit, ...judge(ending) }));
  const count = (counts: (one: (typeof judged)[number]) => boolean): number => judged.filter(counts).length;
  return {
    askable: {
      falses: count(({ label, askable }) => !label && askable === "yes"),
      misses: count(({ label, askable }) => label && askable === "no"),
      asked: count(({ askable }) => askable === "asked"),
    },
    alone: {
      falses: count(({ label, submit }) => !label && submit),
      misses: count(({ label, submit }) => label && !submit),
    },
  };
}

/** Of these the half is chosen by the first bit of the hash of its text; of the older ones by hand. */
const byHash: ReadonlySet<string> = new Set(["recorded", "sessions"]);

function isHeldOut({ group, heldOut, answer, stream, boxes }: Ending): boolean {
  if (!byHash.has(group)) return heldOut;
  return (
    createHash("sha256")
      .update(`${answer}${stream ?? ""} ${boxes}`)
      .digest()[0]! >= 128
  );
}

type Part = { name: string; endings: Ending[] };

export function partsOf(endings: readonly Ending[]): Part[] {
  return [
    { name: "tuned", endings: endings.filter((one) => !isHeldOut(one)) },
    { name: "held out", endings: endings.filter(isHeldOut) },
  ];
}

const names = {
  submit: "submit for review",
  limit: "usage limit",
  login: "login",
  promise: "promise",
} as const;
/** The figures as docs/exit-detection.md has them. */
export function figuresTable(): string {
  const kinds = questions.slice(1).map((question) => `${names[question]}: precision, recall`);
  const head = [
    "",
    "endings",
    "done",
    "can be asked: false done, missed, asked",
    "cannot: false done, missed",
  ];
  const rows = partsOf(readEndings()).map(({ name, endings }) => {
    const { askable, alone } = decisionsOf(endings);
    return [
      name,
      String(endings.length),
      String(endings.filter(({ submit }) => submit).length),
      `${askable.falses}, ${askable.misses}, ${askable.asked}`,
      `${alone.falses}, ${alone.misses}`,
      ...questions.slice(1).map((question) => {
        const { precision, recall } = figuresOf(endings, question);
        return `${precision.toFixed(3)}, ${recall.toFixed(3)}`;
      }),
    ];
  });
  return table([...head, ...kinds], rows);
}

/** `--tuned` leaves the held-out part alone; `--show` names what is wrong in it. */
function main(args: readonly string[]): number {
  const parts = partsOf(readEndings()).slice(0, args.includes("--tuned") ? 1 : 2);
  for (const { name, endings } of parts) {
    const { askable, alone } = decisionsOf(endings);
    console.log(`${name}: ${endings.length} endings, ${endings.filter(({ submit }) => submit).length} done`);
    console.log(
      `  the agent can be asked: false done ${askable.falses}, missed ${askable.misses}, asked ${askable.asked}`,
    );
    console.log(`  it cannot be asked: false done ${alone.falses}, missed ${alone.misses}`);
    for (const question of questions.slice(1)) {
      const { precision, recall, falses } = figuresOf(endings, question);
      const figures = `precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  false ${falses}`;
      console.log(`  ${names[question].padEnd(18)} ${figures}`);
    }
    // Who sees the held-out half tunes by it.
    if (name === "held out" && !args.includes("--show")) continue;
    for (const ending of endings) for (const line of confusionsOf(ending)) console.log(`  ${line}`);
  }
  console.log("wordings from elsewhere (test/fixtures/wordings)");
  for (const line of wordingLines(args.includes("--tuned") ? ["tuned"] : ["tuned", "held out"])) {
    console.log(`  ${line}`);
  }
  return parts.every(({ endings }) => isRight(decisionsOf(endings).askable)) ? 0 : 1;
}

/** Where the agent can be asked, no ending is wrong in either direction. */
function isRight({ falses, misses }: Wrong): boolean {
  return falses === 0 && misses === 0;
}

function confusionsOf(ending: Ending): string[] {
  const judged = judge(ending);
  const { submit, askable, because } = judged;
  const about = `${ending.group}/${ending.name}: ${ending.why} [${because}]`;
  const named = questions
    .slice(1)
    .filter((question) => judged[question] !== ending[question])
    .map((question) => `${judged[question] ? "FALSE" : "missed"} ${names[question]}: ${about}`);
  if (askable !== "asked" && (askable === "yes") !== ending.submit)
    named.push(`${ending.submit ? "missed" : "FALSE"} done: ${about}`);
  if (submit !== ending.submit) named.push(`${submit ? "false" : "missed"} done, not asked: ${about}`);
  return named;
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2));

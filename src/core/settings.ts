/** monoco.yaml: text to settings, every key optional, every mistake named with its line. */
import { LineCounter, isMap, isNode, isPair, isSeq, parseDocument } from "yaml";
import type { Document, Node } from "yaml";
import { z } from "zod";
import { agentSettings } from "./agent-entry.ts";
import { vendors } from "./agent-kinds.ts";
import { agentSchema, command } from "./agent-schema.ts";
import { isBranchName } from "./branch-name.ts";
import { MonocoError, wordsOf } from "./error.ts";
import { limitsSchema } from "./limits-schema.ts";

const roleSchema = z.strictObject({ agents: z.array(z.string().min(1)).min(1) });

const exitSchema = z.strictObject({
  /** Whether a session that looks finished and has not submitted is put up for review on its behalf. */
  submit: z.boolean().default(true),
  /** Sessions in a row that said "done" (protocol article: 1 / 2 / 3 for simple, medium and complex work). */
  doneSessions: z.number().int().positive().default(2),
  /** Sessions in a row that changed tests only (2 / 3 / 4). */
  testSessions: z.number().int().positive().default(3),
  /** Share of test sessions above which the score says so, percent (25 / 30 / 35). */
  testSharePercent: z.number().min(0).max(100).default(30),
  /** The vote from which the work counts as finished. */
  threshold: z.number().min(0).max(1).default(0.6),
});

const breakerSchema = z.strictObject({
  /** `cooldown`: after the cool-down one session probes. `manual`: only when a person resumes. */
  reopen: z.enum(["cooldown", "manual"]).default("cooldown"),
  /** The first cool-down, minutes; doubles with each probe that makes no progress. */
  coolDownMinutes: z.number().positive().default(30),
  /** Failed sessions in a row with the same error (protocol article: 5). */
  sameErrorMax: z.number().int().positive().default(5),
  /** A session without progress that says so much less than those before it on average, percent (70). */
  outputDeclinePercent: z.number().min(0).max(100).default(70),
});

export const settingsSchema = z.strictObject({
  /** The branch that work starts from and is merged into. */
  base: z.string().refine(isBranchName, { message: "it is no branch's name" }).default("main"),
  language: z.enum(["en", "zh"]).default("en"),
  /** Commands run once in each new clone. */
  setup: z.array(command).default([]),
  /** Folders copied into a new clone from the last trusted set-up with the same lockfile. */
  cache: z.array(command).default([]),
  /** Commands whose exit status is evidence; an issue may name its own in addition. */
  checks: z.array(command).default([]),
  /** Run the checks when a session ends with a changed tree, so that its handoff tells facts; once on a tree. */
  checkAfterSession: z.boolean().default(true),
  /** The quality wanted, told to the agents: prototype, production, library, or free text. */
  quality: z.string().default("production"),
  agents: z.record(z.string(), agentSchema).default({}),
  roles: z
    .strictObject({
      executor: roleSchema.default({ agents: ["claude"] }),
      /** Who is installed, and another vendor than the work's first: see core/players.ts. */
      reviewer: roleSchema.default({ agents: [...vendors] }),
    })
    .prefault({}),
  exit: exitSchema.prefault({}),
  breaker: breakerSchema.prefault({}),
  limits: limitsSchema.prefault({}),
});
export type Settings = z.infer<typeof settingsSchema>;

/**
 * Parses the text of a monoco.yaml. `file` is only for the error's words.
 * Throws `input` with file, line and remedy for broken YAML, unknown keys and values of the wrong kind.
 */
export function parseSettings(text: string, file = "monoco.yaml"): Settings {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const broken = document.errors[0];
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const second = broken.code === "MULTIPLE_DOCS";
    const words = second ? "a second document begins here" : broken.message.split("\n")[0];
    throw new MonocoError("input", `${file}:${line}: ${words}`, {
      hint: second
        ? "keep one: take the --- out, and what follows"
        : "it must be plain YAML; `monoco init` writes a commented example",
    });
  }
  const parsed = settingsSchema.safeParse(valuesOf(document, file) ?? {});
  if (!parsed.success) {
    // What is missing is often there under a key that is written wrong.
    const { issues } = parsed.error;
    const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
    const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
    const line = lineOf(document, path, lines);
    throw new MonocoError("input", `${file}:${line}: ${path.join(".") || "the file"}: ${issue.message}`, {
      hint: hintFor(issue),
    });
  }
  for (const role of roles) {
    for (const [index, name] of parsed.data.roles[role].agents.entries()) {
      const line = lineOf(document, ["roles", role, "agents", index], lines);
      agentSettings(parsed.data, name, `${file}:${line}`);
    }
  }
  return parsed.data;
}

const roles = ["executor", "reviewer"] as const;

/** Throws for aliases that explode. */
function valuesOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new MonocoError("input", `${file}:1: it cannot be read: ${wordsOf(error)}`, {
      hint: "write values out instead of using aliases",
      cause: error,
    });
  }
}

function hintFor(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? Object.keys(settingsSchema.shape) : undefined;
    return known ? `known keys: ${known.join(", ")}` : "see the README for the keys that may stand here";
  }
  return "mend the line, or leave the key out: every key has a default";
}

/** The line of the deepest node on `path` that exists, from 1. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const next = childOf(node, key);
    if (!next) break;
    offset = next.offset;
    node = next.node;
  }
  return lines.linePos(offset).line;
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && String(item.key) === String(key));
    return pair && { node: pair.value, offset: startOf(pair.key as Node) };
  }
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return isNode(item) ? { node: item, offset: startOf(item) } : undefined;
  }
  return undefined;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** What `agent probe` found of a program and of it as a judge, a file for each: another version of it is another program. */
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { seedKinds } from "../core/report/judge-figures.ts";
import type { Judged } from "../core/report/judge-figures.ts";
import { features } from "../core/session/probe.ts";
import { writeAtomically } from "./durable.ts";
import { stateFolder } from "./places.ts";

const probeSchema = z.object({
  v: z.literal(1),
  kind: z.string(),
  version: z.string().nullable(),
  program: z.string(),
  atMs: z.int().nonnegative(),
  findings: z.record(
    z.enum(features),
    z.object({ found: z.enum(["yes", "no", "unknown"]), evidence: z.string() }),
  ),
});
export type KnownProbe = z.infer<typeof probeSchema>;

const judgeSchema = z.object({
  v: z.literal(1),
  atMs: z.int().nonnegative(),
  judged: z.array(
    z.object({
      submission: z.string(),
      kind: z.enum(seedKinds),
      verdict: z.enum(["approve", "request_changes"]).nullable(),
      counts: z.boolean(),
    }),
  ),
});
type KnownJudge = z.infer<typeof judgeSchema>;

type Env = Readonly<Record<string, string | undefined>>;

/** Takes the place of an earlier one of the same program. */
export function keepProbe(env: Env, probe: KnownProbe): void {
  keep(env, fileOf(env, probe.kind, probe.program), probe);
}

/** Undefined where this very program was never probed, or what was kept cannot be read: what is declared counts then. */
export function knownProbe(env: Env, kind: string, program: string): KnownProbe | undefined {
  return read(probeSchema, () => fileOf(env, kind, program));
}

/** A judge is a program with a model and arguments: `player` names them. */
export type JudgePlayer = { program: string; player: string };

/** Takes the place of what was said of the same submission; written one by one, so that no kill loses what was paid for. */
export function keepJudged(env: Env, judge: JudgePlayer, one: Judged, atMs: number): void {
  const { submission, kind, verdict, counts } = one;
  const others = knownJudge(env, judge)?.judged.filter((other) => other.submission !== submission) ?? [];
  const judged = [...others, { submission, kind, verdict, counts }];
  keep(env, fileOf(env, "judge", judge.program, judge.player), { v: 1, atMs, judged });
}

export function knownJudge(env: Env, { program, player }: JudgePlayer): KnownJudge | undefined {
  return read(judgeSchema, () => fileOf(env, "judge", program, player));
}

function keep(env: Env, file: string, found: KnownProbe | KnownJudge): void {
  mkdirSync(folderIn(env), { recursive: true });
  writeAtomically(file, JSON.stringify(found));
}

function read<T>(schema: z.ZodType<T>, file: () => string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file(), "utf8"))).data;
  } catch {
    return undefined;
  }
}

function folderIn(env: Env): string {
  return join(stateFolder(env), "probes");
}

/** A program is known by where it really lies, its size and its time: to ask it for its version takes seconds. */
function fileOf(env: Env, kind: string, program: string, player = ""): string {
  const { size, mtimeMs } = statSync(program);
  const known = hash("sha256", `${realpathSync(program)}\n${size}\n${mtimeMs}${player}`).slice(0, 16);
  return join(folderIn(env), `${kind}-${known}.json`);
}

/** Keeps the findings of `agent probe`, one file for each version of a program. */
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
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

type Env = Readonly<Record<string, string | undefined>>;

/** Keeps a probe, and replaces an earlier one of the same program. */
export function keepProbe(env: Env, probe: KnownProbe): void {
  mkdirSync(folderIn(env), { recursive: true });
  writeAtomically(fileOf(env, probe.kind, probe.program), JSON.stringify(probe));
}

/** The probe of this very program; undefined if there is none or it is unreadable: the adapter's declaration counts then. */
export function knownProbe(env: Env, kind: string, program: string): KnownProbe | undefined {
  try {
    return probeSchema.safeParse(JSON.parse(readFileSync(fileOf(env, kind, program), "utf8"))).data;
  } catch {
    return undefined;
  }
}

function folderIn(env: Env): string {
  return join(stateFolder(env), "probes");
}

/** The probe's file, named by the program's real path, size and time: asking the program for its version takes seconds. */
function fileOf(env: Env, kind: string, program: string): string {
  const { size, mtimeMs } = statSync(program);
  const digest = hash("sha256", `${realpathSync(program)}\n${size}\n${mtimeMs}`).slice(0, 16);
  return join(folderIn(env), `${kind}-${digest}.json`);
}

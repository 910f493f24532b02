/** Keeps how each command ended on a tree, in a file of the relay, so that it is not run there again. */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { givenIn } from "../../agents/environment.ts";
import { treesKeptMax } from "../../core/limits.ts";
import type { TreeRun } from "../../core/trial/due.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { writeAtomically } from "../../store/durable.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

const keptSchema = z.object({
  exitCode: z.number(),
  missing: z.literal(true).optional(),
  flaky: z.literal(true).optional(),
  nothing: z.literal(true).optional(),
  /** The end of a failed command's output. */
  output: z.string().optional(),
});
const fileSchema = z.record(z.string(), z.record(z.string(), keptSchema));

/** The kept runs, by command, of a tree in a clone that was set up at `setUpAt`; the green checks of the baseline are among them. */
export function keptRuns(relay: Relay, of: { setUpAt: string; tree: string }): Map<string, TreeRun> {
  const key = treeKey(relay, of);
  const kept = Object.entries(readKept(relay)[key] ?? {});
  const { baseline } = openingOf(relay);
  const isBase = baseline && key === treeKey(relay, { setUpAt: baseline.tree, tree: baseline.tree });
  const green = (isBase ? baseline.results : []).filter(({ exitCode, flaky }) => exitCode === 0 && !flaky);
  return new Map([
    ...green.map(({ command }): [string, TreeRun] => [command, { exitCode: 0 }]),
    ...kept.map(([command, run]): [string, TreeRun] => [command, treeRunOf(run)]),
  ]);
}

function treeRunOf({ exitCode, missing, flaky, nothing, output }: z.infer<typeof keptSchema>): TreeRun {
  return {
    exitCode,
    ...(missing && { missing }),
    ...(flaky && { flaky }),
    ...(nothing && { nothing }),
    ...(output !== undefined && { output }),
  };
}

/** Adds runs; drops the trees that were used longest ago. */
export function keep(
  relay: Relay,
  of: { setUpAt: string; tree: string },
  ran: ReadonlyMap<string, TreeRun>,
): void {
  const { [treeKey(relay, of)]: before = {}, ...others } = readKept(relay);
  const all = [...Object.entries(others), [treeKey(relay, of), { ...before, ...Object.fromEntries(ran) }]];
  writeAtomically(keptFile(relay), JSON.stringify(Object.fromEntries(all.slice(-treesKeptMax))));
}

export function treeKey(relay: Relay, of: { setUpAt: string; tree: string }): string {
  return runKey(relay.env, settingsOf(relay), of);
}

/** What the result of a command on a tree depends on; `from` is the person's environment. */
export function runKey(
  from: Relay["env"],
  { setup, shell, env }: Pick<Settings, "setup" | "shell" | "env">,
  { setUpAt, tree }: { setUpAt: string; tree: string },
): string {
  // Without a set-up only the tree, the shell and the given variables matter, in any clone.
  const of = setup.length === 0 ? [tree] : [setUpAt, setup, tree];
  return hash(
    "sha256",
    JSON.stringify([...of, ...(shell === undefined ? [] : [shell]), ...givenIn(from, env)]),
  );
}

/** Reads the file; a broken one (a crash, an edit) counts as empty. */
function readKept(relay: Relay): z.infer<typeof fileSchema> {
  const file = keptFile(relay);
  if (!existsSync(file)) return {};
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

function keptFile(relay: Relay): string {
  return join(relay.places.relay, "tree-runs.json");
}

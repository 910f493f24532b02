/** The kept baseline of the current base, for views. */
import { cannotRun } from "../core/relay/baseline.ts";
import type { BaselineSeen } from "../core/relay/baseline.ts";
import { failureWords, isRed } from "../core/review/red.ts";
import { checkCommands } from "../core/settings/check-schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { commitOf, treeOf } from "../git/repository.ts";
import { keptBaseline } from "../relay/baseline.ts";
import { repositoryPlaces } from "../store/places.ts";
import { io } from "../io/io.ts";
import type { Here } from "./here.ts";

/** What is known of set-up and checks on the base; undefined without a base, or if there is nothing to run. */
export async function baselineSeen(here: Here, settings: Settings): Promise<BaselineSeen | undefined> {
  const { git, root } = here.repository;
  const { base, setup, baseline } = settings;
  const checks = checkCommands(settings.checks);
  const commit = await commitOf(git, `refs/heads/${base}`);
  if (commit === undefined || setup.length + checks.length === 0) return undefined;
  const seen = { base, commit, failed: [] };
  if (baseline === "none") return { ...seen, is: "off" };
  const kept = keptBaseline(repositoryPlaces(root, io().env).cache, {
    ...settings,
    tree: await treeOf(git, commit),
    from: io().env,
  });
  if (!kept) return { ...seen, is: "unknown" };
  const broken = cannotRun(kept);
  if (broken) return { ...seen, is: "cannot_run", failed: [failureWords(broken)] };
  const own = kept.checks.filter(({ command }) => checks.includes(command));
  const failed = own.filter(isRed).map(failureWords);
  const isWhole = checks.every((command) => own.some((one) => one.command === command));
  return { ...seen, is: failed.length > 0 ? "red" : isWhole ? "green" : "unknown", failed };
}

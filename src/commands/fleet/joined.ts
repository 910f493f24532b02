/** Joins the fleet for `monoco worker` and `run --all --fleet`; other runs load nothing of a fleet. */
import type { Joined } from "../../app/fleet/join.ts";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import type { Screen } from "../../views/terminal.ts";
import type { InForce, RunFlags } from "../run/run-flags.ts";

/** Undefined for a run by itself. */
export async function joinedFleet(
  { here, settled }: InForce,
  { fleet = false, all = false, database }: RunFlags,
  screen: Screen,
): Promise<Joined | undefined> {
  if (!fleet) return undefined;
  if (!all) throw new MonocoError("input", t`--fleet shares the whole backlog: it needs --all`);
  const { joinFleet } = await import("../../app/fleet/join.ts");
  const tell = (text: string): void => screen.line({ tone: "dim", text });
  return joinFleet(here, { settings: settled.settings, url: database, tell });
}

/** One case: lives that each end with the power, the next on what that left, and a last one that only looks. */
import { mkdirSync, rmSync } from "node:fs";
import { diceFrom } from "../../../test/core/support/simulation.ts";
import type { Dice } from "../../../test/core/support/simulation.ts";
import { crashed } from "./crash.ts";
import { emptyDisk, lay } from "./disk.ts";
import type { Step } from "./disk.ts";
import { after, emptyLedger } from "./ledger.ts";
import type { Promised } from "./ledger.ts";
import { live } from "./life.ts";
import { recorded } from "./recorder.ts";

/** The second power loss often comes while the first is recovered from, the third while the second is. */
const losses = 3;
const worksMax = 8;

export type Case = { steps: number; violation?: string };

/** `folder` is made, and removed; the same seed does the same. */
export async function tryOne(seed: number, folder: string): Promise<Case> {
  const dice = diceFrom(seed);
  let [disk, ledger, counted, steps] = [emptyDisk(), emptyLedger(), 0, 0];
  for (let life = 0; life <= losses; life += 1) {
    mkdirSync(folder);
    lay(disk, folder);
    const promises: Promised[] = [];
    const times = life < losses ? dice(worksMax) : 0;
    const before = ledger;
    const said: string[] = [];
    const { steps: taken } = await recorded(folder, disk, async (recording) => {
      const given = { recording, promises, dice, ledger: before, count: () => (counted += 1) };
      await live(given, times).catch((error: unknown) => said.push(String(error)));
    });
    rmSync(folder, { recursive: true });
    const name = `seed ${seed}, after ${life} power losses`;
    if (said.length > 0) return { steps, violation: `${name}: ${said.join()}`.replaceAll(folder, "") };
    const end = endOf(taken, dice);
    disk = crashed(disk, taken, end, dice);
    ledger = after(ledger, promises, end);
    steps += taken.length;
  }
  return { steps };
}

/** Anywhere; but half of them just before something is synced, when most is at stake, or just after, when it must be there. */
function endOf(steps: readonly Step[], dice: Dice): number {
  const syncs = [...steps.keys()].filter((at) => steps[at]!.do === "sync");
  if (syncs.length === 0 || dice(2) === 0) return dice(steps.length + 1);
  return syncs[dice(syncs.length)]! + dice(2);
}

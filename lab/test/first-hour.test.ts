/** The first hour: from an empty home to a merged issue, by the commands of the docs alone. */
import { expect } from "vitest";
import { olderNode } from "../first-hour/machine.ts";
import { commandsMax, playFirstHour } from "../first-hour/play.ts";
import type { FirstHour } from "../first-hour/play.ts";
import { full as test } from "../../test/support/full.ts";

const older = olderNode([22, 18]);

function expectMerged({ roads }: FirstHour): void {
  expect(roads.map(({ name, merged }) => [name, merged])).toEqual([
    ["an issue of your own", "FEAT-0001: Add a login page"],
    ["an issue from a text", "FIX-0001: The login page is there"],
  ]);
  for (const { name, steps } of roads) expect(steps.length, name).toBeLessThanOrEqual(commandsMax);
}

test(
  "on the Node that monoco is tried on, both roads of the docs lead to a merge",
  { timeout: 300_000 },
  () => {
    const hour = playFirstHour(process.execPath);
    expect(hour.tooOld).toBeUndefined();
    expectMerged(hour);
  },
);

test.skipIf(older === undefined)(
  "on a Node that is too old, monoco names a command that works, and in a clone both roads do",
  { timeout: 300_000 },
  () => {
    const hour = playFirstHour(older!);
    expect(hour.tooOld).toMatch(
      /^error: monoco needs Node 22\.18 or newer, this is [\d.]+\nhint: .*: npx -y -p node@24 /,
    );
    expectMerged(hour);
  },
);

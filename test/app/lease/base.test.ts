/** How often a remote run looks at the remote's base. */
import { expect, test } from "vitest";
import { followMs } from "../../../src/app/lease/base.ts";

test.for<[string, number | undefined, number]>([
  ["twice a minute while something can begin here", undefined, 30_000],
  ["soon where nothing can: another machine's merge may let something begin", 0, 2_000],
  ["less often the longer that lasts, so that no more than a quarter of it is lost", 60_000, 15_000],
  ["twice a minute through the night", 36_000_000, 30_000],
])("a free slot asks for the remote's base %s", ([, idleMs, everyMs]) => {
  expect(followMs(idleMs)).toBe(everyMs);
});

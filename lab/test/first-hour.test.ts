/** The first hour: from an empty home to a merged issue, by the commands of the docs alone. */
import { execaSync } from "execa";
import { expect } from "vitest";
import { olderNode } from "../first-hour/machine.ts";
import { playFirstHour } from "../first-hour/play.ts";
import type { FirstHour } from "../first-hour/play.ts";
import { full as test } from "../../test/support/full.ts";

const older = olderNode([22, 18]);
const zsh = execaSync("zsh", ["--version"], { reject: false }).exitCode === 0;

/** By the short road at most eight, and ten for who writes the issue. */
function expectMerged({ roads, missing }: FirstHour): void {
  const [own, ...short] = roads;
  expect(own).toMatchObject({ merged: "FEAT-0001: Add a login page" });
  expect(own!.steps.length).toBeLessThanOrEqual(10);
  expect(short.length + missing.length).toBe(8);
  expect(short.map(({ name }) => name)).toContain("npm");
  for (const { name, steps, merged } of short) {
    expect(merged, name).toBe("FIX-0001: The login page is there");
    expect(steps.length, name).toBeLessThanOrEqual(8);
  }
}

test(
  "on the Node that monoco is tried on, in bash, both roads of the docs lead to a merge",
  {
    timeout: 600_000,
  },
  () => {
    const hour = playFirstHour(process.execPath, "bash");
    expect(hour.tooOld).toBeUndefined();
    expectMerged(hour);
  },
);

test.skipIf(older === undefined || !zsh)(
  "on a Node that is too old, in zsh, monoco names a command that works, and in a clone both roads do",
  { timeout: 600_000 },
  () => {
    const hour = playFirstHour(older!, "zsh");
    expect(hour.tooOld).toMatch(
      /^error: monoco needs Node 22\.18 or newer, this is [\d.]+\nhint: .*: npx -y -p node@24 /,
    );
    expectMerged(hour);
  },
);

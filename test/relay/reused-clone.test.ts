/** The clones in which tests are put to the test are used again by the next run, but not beyond a start of the machine. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openClone } from "../../src/relay/review/side-clone.ts";
import { relayHere } from "../support/open-relay.ts";

test("a clone is used again, and made anew once the machine was started again: a power loss may have torn it", async () => {
  const { place, relay, open: openIt } = await relayHere();
  await openIt();
  const [commit, tree] = [await place.git("rev-parse", "main"), await place.git("rev-parse", "main^{tree}")];
  const folder = relay.places.trial;
  const open = () =>
    openClone(relay, { commit, tree, folder, trusted: false, logs: join(place.around, "logs") });
  const left = join(folder, "left");
  await open();
  writeFileSync(left, "");
  await open();
  expect(existsSync(left)).toBe(true);
  const mark = join(`${folder}.trees`, "set-up-at");
  const [at = "", boot = ""] = readFileSync(mark, "utf8").split(" ");
  expect([at, boot]).toEqual([tree, readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()]);
  writeFileSync(mark, `${tree} 00000000-0000-4000-8000-000000000000`);
  await open();
  expect(existsSync(left)).toBe(false);
});

/** Relays that are short of files, room or time, or whose agents have too much to say. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallDisksWork } from "../../test/support/small-disk.ts";
import { bear } from "./resources/bear.ts";
import { strainsOf } from "./resources/strains.ts";
import { inTurns } from "./place/in-turns.ts";
import { inPart } from "./part.ts";
import type { Came, Programme } from "./row.ts";

const cli = join(import.meta.dirname, "../../dist/cli.js");

/** Of the long programme's bytes and files. */
const share = { short: 0.02, long: 1 };

export const resources: Programme = {
  name: "resources",
  holds:
    "a relay that is short of files, room or time, or gets too much, ends in words if it cannot go on, and goes to its end afterwards",
  async run({ size, part, say }): Promise<Came> {
    const isRoot = process.getuid?.() === 0;
    const all = strainsOf(share[size], Date.now()).filter(({ name }) => inPart(name, part));
    const disks = smallDisksWork();
    const kept = all.filter(({ user }) => user !== undefined && !(isRoot && canRun(user)));
    const strains = all.filter((strain) => (!strain.disk || disks) && !kept.includes(strain));
    const violations: string[] = [];
    const notes = [
      ...(disks ? [] : ["small disks cannot be mounted here: not tried"]),
      ...(kept.length === 0
        ? []
        : [
            isRoot
              ? `another user cannot run monoco here, or write below ${tmpdir()}: ${kept.length} not tried`
              : "only root can run as another user: not tried",
          ]),
    ];
    await inTurns(strains, async (strain) => {
      const came = await bear(strain).catch((error: unknown) => ({
        bore: false,
        peakMB: 0,
        wrong: [`${strain.name}: not tried: ${String(error)}`],
      }));
      violations.push(...came.wrong);
      notes.push(`${strain.name}: ${came.bore ? "done" : "done afterwards"}, ${came.peakMB} MB`);
      say(`${strain.name}: ${came.wrong.join("; ") || "holds"}`);
    });
    return { n: strains.length, violations, notes };
  },
};

/** Folders above the program or the temporary folder may be closed to another user. */
function canRun(user: number): boolean {
  const needs = `for (const path of ${JSON.stringify([cli, `${tmpdir()}/.`])}) require("fs").accessSync(path)`;
  const as = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
  return spawnSync("setpriv", [...as, process.execPath, "--eval", needs]).status === 0;
}

/** The same with whole runs: three machines run one backlog by `monoco run --all`, in a remote run, with sessions, reviews and merges. */
import { fileURLToPath } from "node:url";
import { cliPath } from "../../test/support/cli.ts";
import { faultNames, hit } from "./leases/faults.ts";
import type { Fault } from "./leases/faults.ts";
import { rage } from "./leases/storm.ts";
import type { Came as OfStorm } from "./leases/storm.ts";
import { stormsBySeed } from "./leases/storms.ts";
import { openWorld } from "./leases/world.ts";
import { pathOf, textOf } from "./place/place.ts";
import type { Programme } from "./row.ts";

const agent = fileURLToPath(new URL("leases/agent.sh", import.meta.url));
const minutes = 0.25;
const storms = { short: 1, long: 20 };

export const fleet: Programme = {
  name: "fleet",
  holds:
    "whatever meets three machines that run one backlog: no stale machine's push is taken, no commit is lost, each issue is merged once",
  run: (asked) =>
    stormsBySeed(asked, { n: storms[asked.size], faults: faultNames, rage: (seed) => rageOfRuns(seed) }),
};

/** A relay that is open here goes on, also where it waits for a person; then all of the backlog. */
const run = `
open=""
for path in .monoco/relays/*/journal.jsonl; do
  [ -s "$path" ] && open="$open $(basename "$(dirname "$path")")"
done
for issue in $open; do "$0" "$1" relay resume "$issue"; done
exec "$0" "$1" run --all -j 2`;

export async function rageOfRuns(seed: number, faults: readonly Fault[] = faultNames): Promise<OfStorm> {
  const issues = ["FEAT-0001", "FEAT-0002", "FEAT-0003"];
  const world = await openWorld({
    issues,
    workers: 3,
    files: ({ folder, said }) => ({
      "monoco.yaml": `remote: { name: origin, runs: true, leaseMinutes: ${minutes} }
agents: { a: { kind: command, run: ${JSON.stringify([agent, folder, said, "0.5"])} } }
roles: { executor: { agents: [a] }, reviewer: { agents: [a] } }
checks: ["true"]
limits: { backoffSeconds: 0 }
breaker: { coolDownMinutes: 0.05 }
`,
      ".gitignore": ".monoco/\n",
      ...Object.fromEntries(issues.map((issue) => [pathOf(issue), textOf(issue)])),
    }),
    command: () => ["/bin/sh", "-c", run, process.execPath, cliPath],
  });
  const storm = { seed, faults, hit, leaseMs: minutes * 60_000, calmMs: 6_000 };
  try {
    return await rage(storm, world);
  } finally {
    await world.dispose();
  }
}

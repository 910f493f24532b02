/** A repository on a host, with the workflow that monoco writes: its jobs run on machines of this one, and its pull requests are at a stand-in for gh. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { processesOf } from "./cli.ts";
import { standInGh } from "./gh.ts";
import type { StandInGh } from "./gh.ts";
import { openPlace, run } from "./place.ts";
import type { Place, Story } from "./place.ts";
import { runWorkflow } from "./workflow-runner.ts";
import type { Event, JobRan } from "./workflow-runner.ts";

export type CiPlace = {
  place: Place;
  gh: StandInGh;
  /** A command in the bare repository of the host. */
  there(command: string): Promise<string>;
  /** All jobs of one event, by its name. */
  happens(name: string, event?: Omit<Event, "name">): Promise<JobRan[]>;
};

/** The parts of the work: each session does the next one, and the last one submits. */
export const partsMax = 3;

/** A session that does one part, whatever was done before it, and that leaves the names of the variables that it had. */
export const inParts: Story = {
  executor: [
    [
      run(
        `n=$(($(ls part-* 2> /dev/null | wc -l) + 1)); echo "$n" > "part-$n"; env | cut -d= -f1 | sort > names.txt; git add -A; git commit -qm "part $n"; sleep 0.5; test "$n" -lt ${partsMax} || monoco issue submit`,
      ),
    ],
  ],
  reviewer: [[{ verdict: "approve" }]],
};

export async function openCiPlace(options: Parameters<typeof openPlace>[1] = {}): Promise<CiPlace> {
  const place = await openPlace(inParts, {
    sandbox: "default",
    settings: "baseline: none\nexit: { submit: false, ask: false }\n",
    ...options,
  });
  const bare = join(place.around, "bare.git");
  const there = (command: string): Promise<string> => place.sandbox.sh(bare, command);
  await place.monoco("init", "--ci", "github");
  await place.sh(`git add -A && git commit -qm CI && git clone -q --bare . '${bare}'`);
  const gh = standInGh(place.sandbox, [], bare);
  onTestFinished(async () => {
    for (const left of processesOf(place.around)) throw new Error(`a process was left: ${left}`);
  });
  return {
    place,
    gh,
    there,
    happens: (name, event = {}) =>
      runWorkflow(
        { folder: place.around, remote: bare, env: gh.env, secrets: { ANTHROPIC_API_KEY: "a-key" } },
        place.read(".github/workflows/monoco.yml"),
        { ...event, name },
      ),
  };
}

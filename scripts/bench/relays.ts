/** Many relays at once: from the start to the end next to the ideal, what the processors did for a session, and the runner's memory. */
import type { Bench } from "./playground.ts";
import { instant, makeProject, runMonoco } from "./project.ts";
import type { Ran } from "./project.ts";
import { measureInTurn } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

const aims = [
  { jobs: 1, aim: 1.05 },
  { jobs: 4, aim: 1.1 },
  { jobs: 16, aim: 1.3 },
  { jobs: 64, aim: 2.5, memory: 150 },
];
const node = "node -e 0";
const seconds = 2;
const sessions = 2;

/** As many relays as jobs, or four: two sessions each, of an agent that sleeps and commits. Aims are for two processors. */
export async function relays({ playground, builds, runs = 1, jobs: chosen }: Bench): Promise<Row[]> {
  const rows = aims.filter(({ jobs }) => chosen.includes(jobs));
  const figures: Record<string, Ran[]> = {};
  const contestants = rows.flatMap(({ jobs }) =>
    Object.entries(builds).map(([which, program]): [string, () => Promise<number>] => {
      const name = `-j ${jobs}${which}`;
      figures[name] = [];
      return [
        name,
        async () => {
          const issues = relaysOf(jobs);
          const agent = instant(String(seconds));
          const project = await makeProject(playground, { sessions, issues, agent });
          const ran = runMonoco(playground, program, ["run", "--all", "-j", String(jobs)], project);
          figures[name]!.push(ran);
          return ran.ms / 1_000;
        },
      ];
    }),
  );
  // The first run compiles, and keeps that for the next.
  for (const program of Object.values(builds))
    runMonoco(playground, program, ["run", "--all"], await makeProject(playground, { sessions: 1 }));
  const floor = async (): Promise<number> =>
    playground.time([process.execPath, "-e", "0"], { cwd: playground.folder });
  const measured = await measureInTurn({ [node]: floor, ...Object.fromEntries(contestants) }, runs, 0);
  const told = rows.flatMap(({ jobs, aim, memory }) =>
    Object.keys(builds).flatMap((which) => {
      const name = `-j ${jobs}${which}`;
      const own = (most: number | undefined): number | undefined => (which === "" ? most : undefined);
      const ideal = Math.ceil(relaysOf(jobs) / jobs) * sessions * seconds;
      const nextTo = measured[name]!.map(() => ideal);
      const cpuMs = figures[name]!.map((ran) => ran.cpuMs / relaysOf(jobs) / sessions);
      const peaks = figures[name]!.map(({ peakMb }) => peakMb);
      return [
        rowOf(`${relaysOf(jobs)} relays, ${name}`, "s", measured[name]!, {
          beside: "ideal",
          nextTo,
          aim: own(aim),
        }),
        rowOf(`… CPU of a session, agent included, ${name}`, "ms", cpuMs, { aim: own(80) }),
        rowOf(`… peak memory, ${name}`, "MB", peaks, { aim: own(memory) }),
      ];
    }),
  );
  // How quick the machine is.
  return [rowOf(node, "ms", measured[node]!), ...told];
}

const relaysOf = (jobs: number): number => Math.max(4, jobs);

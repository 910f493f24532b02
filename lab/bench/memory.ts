/** The most memory that a runner ever holds: with an idle agent, over many sessions, and where an agent prints 100 MB. */
import { beside } from "./playground.ts";
import type { Bench } from "./playground.ts";
import { instant, issueName, makeProject, runMonoco } from "./project.ts";
import { measureInTurn } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

type Subject = { name: string; aim: number; sessions: number; agent: (log: string) => string[] };

export async function memory({ playground, builds, runs = 3, scale }: Bench): Promise<Row[]> {
  const many = Math.ceil(30 * scale);
  const megabytes = Math.ceil(100 * scale);
  const flood = (what: string) => (): string[] => ["bash", beside("flood.sh"), what, `${megabytes}M`];
  const subjects: Subject[] = [
    { name: "an idle agent", aim: 120, sessions: 1, agent: instant("2") },
    { name: `${many} sessions`, aim: 120, sessions: many, agent: instant() },
    { name: `${megabytes} MB of short lines`, aim: 200, sessions: 1, agent: flood("lines") },
    { name: `${megabytes} MB of binary`, aim: 200, sessions: 1, agent: flood("binary") },
    { name: `${megabytes} MB of deep JSON`, aim: 200, sessions: 1, agent: flood("deep") },
  ];
  const whiches = Object.entries(builds);
  const contestants = subjects.flatMap(({ name, sessions, agent }) =>
    whiches.map(([which, program]): [string, () => Promise<number>] => [
      name + which,
      async () => {
        const project = makeProject(playground, { sessions, agent });
        return runMonoco(playground, program, ["run", issueName(1)], project).peakMb;
      },
    ]),
  );
  // The first one fills Node's compile cache, which is memory, too.
  for (const [, run] of contestants.slice(0, whiches.length)) await run();
  const measured = await measureInTurn(Object.fromEntries(contestants), runs, 0);
  return subjects.flatMap(({ name, aim }) =>
    whiches.map(([which]) =>
      rowOf(`peak memory: ${name + which}`, "MB", measured[name + which]!, {
        aim: which === "" ? aim : undefined,
      }),
    ),
  );
}

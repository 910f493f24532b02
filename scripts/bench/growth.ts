/** How the change of sessions grows from a relay's first session to its five hundredth, as an exponent. */
import type { Bench } from "./playground.ts";
import { changes, issueName, makeProject, runMonoco } from "./project.ts";
import { measureInTurn, spreadOf } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

export async function growth({ playground, builds, runs = 1, scale }: Bench): Promise<Row[]> {
  const sessions = Math.ceil(500 * scale);
  const some = Math.min(20, Math.floor((sessions - 1) / 2));
  const figures: Record<string, { first: number[]; last: number[] }> = {};
  const contestants = Object.entries(builds).map(([which, program]): [string, () => Promise<number>] => {
    const first: number[] = [];
    const last: number[] = [];
    figures[which] = { first, last };
    return [
      which,
      async () => {
        const project = await makeProject(playground, { sessions });
        runMonoco(playground, program, ["run", issueName(1)], project);
        const all = changes(project.log, sessions);
        first.push(spreadOf(all.slice(0, some)).median);
        last.push(spreadOf(all.slice(-some)).median);
        return exponent(last.at(-1)! / first.at(-1)!, (sessions - some / 2) / (some / 2));
      },
    ];
  });
  const measured = await measureInTurn(Object.fromEntries(contestants), runs, 0);
  return Object.entries(figures).flatMap(([which, { first, last }]) => [
    rowOf(`monoco run, the first ${some} changes${which}`, "ms", first),
    rowOf(`… the last ${some} of ${sessions}${which}`, "ms", last, { beside: "first", nextTo: first }),
    rowOf(`… exponent${which}`, "", measured[which]!, { aim: which === "" ? 0.15 : undefined }),
  ]);
}

const exponent = (cost: number, count: number): number => Math.log(cost) / Math.log(count);

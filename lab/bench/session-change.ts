/** What lies between the end of one session's agent and the start of the next, and before the first one, as the agents noted it themselves. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { beside, cli } from "./playground.ts";
import type { Bench } from "./playground.ts";
import { issueName, issueText, makeProject, medianChange, notes, runMonoco } from "./project.ts";
import { measureInTurn } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

const names = {
  bash: "bash loop",
  bare: "bare Node loop",
  monoco: "monoco run",
  held: "monoco run in the sandbox",
} as const;
const issue = issueName(1);

/** Figures of a run of monoco besides the change of sessions; `nodeMs`: of `node -e 0` just before. */
type RunFigures = Record<"nodeMs" | "firstAgentMs" | "resumedMs" | "peakMb", number[]>;

/** Each measures, in a repository made anew, the median change of `sessions` sessions in a row. */
export async function sessionChange(bench: Bench): Promise<Row[]> {
  const { playground, builds, sessions } = bench;
  const prompt = join(playground.folder, "prompt.md");
  writeFileSync(prompt, issueText(1).repeat(20));
  const loop = (program: readonly string[]) => async (): Promise<number> => {
    const { root, log } = makeProject(playground, { sessions });
    const argv = [...program, beside("agent.sh"), log, String(sessions), prompt];
    playground.time(argv, { cwd: root, env: { MONOCO_ISSUE: issue } });
    return medianChange(log, sessions);
  };
  const relays = Object.entries(builds).map(([which, program]) => relayOf(bench, which, program));
  const measured = await measureInTurn(
    {
      [names.bash]: loop(["bash", beside("loop.sh")]),
      [names.bare]: loop([process.execPath, beside("loop.ts")]),
      ...Object.fromEntries(relays.map(({ name, run }) => [name, run])),
      ...(hasBubblewrap() ? { [names.held]: () => sandboxedChange(bench) } : {}),
    },
    bench.runs ?? 7,
  );
  return [
    rowOf(names.bash, "ms", measured[names.bash]!),
    rowOf(names.bare, "ms", measured[names.bare]!),
    ...relays.map(({ name, aim }) =>
      rowOf(name, "ms", measured[name]!, {
        beside: names.bare,
        nextTo: measured[names.bare]!,
        aim: aim(180),
      }),
    ),
    ...(measured[names.held] === undefined
      ? []
      : [
          rowOf(names.held, "ms", measured[names.held]!, {
            beside: names.bare,
            nextTo: measured[names.bare]!,
          }),
        ]),
    ...relays.flatMap(({ which, aim, figures: withFirst }) => {
      const figures = withoutFirst(withFirst);
      const nextTo = figures.nodeMs;
      const held = { beside: "node -e 0", nextTo, aim: aim(500) };
      return [
        rowOf(`monoco run: to the first agent${which}`, "ms", figures.firstAgentMs, held),
        rowOf(`monoco resume: to the first agent${which}`, "ms", figures.resumedMs, held),
        rowOf(`monoco run: peak memory${which}`, "MB", figures.peakMb, { aim: aim(120) }),
      ];
    }),
  ];
}

async function sandboxedChange({ playground, sessions }: Bench): Promise<number> {
  const project = makeProject(playground, { sessions, sandbox: "auto" });
  runMonoco(playground, cli, ["run", issue], project);
  return medianChange(project.log, sessions);
}

/** The first round is not counted. */
function withoutFirst({ nodeMs, firstAgentMs, resumedMs, peakMb }: RunFigures): RunFigures {
  return {
    nodeMs: nodeMs.slice(1),
    firstAgentMs: firstAgentMs.slice(1),
    resumedMs: resumedMs.slice(1),
    peakMb: peakMb.slice(1),
  };
}

type Relay = {
  which: string;
  name: string;
  figures: RunFigures;
  run: () => Promise<number>;
  aim: (most: number) => number | undefined;
};

function relayOf({ playground, sessions }: Bench, which: string, program: string): Relay {
  const figures: RunFigures = { nodeMs: [], firstAgentMs: [], resumedMs: [], peakMb: [] };
  const run = async (): Promise<number> => {
    const project = makeProject(playground, { sessions });
    figures.nodeMs.push(playground.time([process.execPath, "-e", "0"], { cwd: project.root }));
    const { beganAtMs, peakMb } = runMonoco(playground, program, ["run", issue], project);
    figures.firstAgentMs.push(notes(project.log, sessions)[0]!.began - beganAtMs);
    figures.peakMb.push(peakMb);
    const change = medianChange(project.log, sessions);
    const oneMore = ["relay", "resume", issue, "--set", "limits.sessionsMax=1"];
    const resumed = runMonoco(playground, program, oneMore, project);
    figures.resumedMs.push(notes(project.log, 1)[0]!.began - resumed.beganAtMs);
    return change;
  };
  return {
    which,
    name: names.monoco + which,
    figures,
    run,
    aim: (most) => (which === "" ? most : undefined),
  };
}

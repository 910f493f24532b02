/** A whole relay (two Executor sessions, a review, a merge) in clones of repositories that the person names: what it takes besides its agents. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { beside } from "./playground.ts";
import type { Bench } from "./playground.ts";
import { issueName, makeProject, notes, runMonoco } from "./project.ts";
import type { Project } from "./project.ts";
import { measureInTurn } from "./rounds.ts";
import type { Measured } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

/** Two Executor sessions and a Reviewer's. */
const sessions = 3;

/** In seconds, up to so many files; a bigger repository has no aim. */
const aims = [
  { files: 100, seconds: 1 },
  { files: 1_000, seconds: 1.5 },
  { files: 3_000, seconds: 2 },
];

/** Without a name, an empty repository. */
export async function whole(bench: Bench): Promise<Row[]> {
  const { playground, builds } = bench;
  const runs = bench.runs ?? 5;
  const paths = bench.repositories.length > 0 ? bench.repositories : [undefined];
  const whiches = Object.entries(builds);
  const contestants: Record<string, () => Promise<number>> = {};
  const rows: ((measured: Measured) => Row[])[] = [];
  for (const path of paths) {
    // One run is not counted.
    const issues = (runs + 1) * whiches.length;
    const project = makeProject(playground, {
      sessions: 10,
      issues,
      agent: (log) => ["bash", beside("whole-agent.sh"), log],
      ...(path === undefined ? {} : { history: path }),
    });
    // Those of the bench are its issues and the settings.
    const files = filesIn(project) - issues - 1;
    const name = `a whole relay in ${path === undefined ? "an empty repository" : `${basename(path)}, ${files} files`}`;
    let issue = 0;
    for (const [which, program] of whiches) {
      const disk: number[] = [];
      contestants[name + which] = async () => {
        const { ms } = runMonoco(playground, program, ["run", issueName(++issue)], project, 0);
        disk.push(diskOf(project));
        return (ms - agentsMs(project)) / 1_000;
      };
      rows.push((measured) => [
        rowOf(name + which, "s", measured[name + which]!, {
          aim: which === "" ? aims.find((one) => files <= one.files)?.seconds : undefined,
        }),
        rowOf(`… its clone${which}`, "MB", disk, {
          beside: "working files",
          nextTo: disk.map(() => workingMb(project)),
          aimOfRatio: which === "" ? 1.1 : undefined,
        }),
      ]);
    }
  }
  const measured = await measureInTurn(contestants, runs);
  return rows.flatMap((row) => row(measured));
}

const filesIn = ({ root }: Project): number =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 1e9 }).split("\n").length - 1;

function agentsMs({ log }: Project): number {
  return notes(log, sessions).reduce((sum, { began, ended }) => sum + ended - began, 0);
}

/** Of the Executor's clone, in megabytes, as its last session noted it. */
function diskOf({ log }: Project): number {
  const noted = Number.parseInt(readFileSync(`${log}.disk`, "utf8"), 10);
  rmSync(`${log}.disk`);
  return noted / 1_024;
}

function workingMb({ root }: Project): number {
  const text = execFileSync("du", ["-sk", "--exclude=.git", "--exclude=.monoco", "."], {
    cwd: root,
    encoding: "utf8",
  });
  return Number.parseInt(text, 10) / 1_024;
}

/** The change of sessions in a repository of many files, in one with a long history, and in one that keeps the refs of many relays, next to a small one. */
import { randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import type { Bench, Import } from "./playground.ts";
import { issueName, makeProject, medianChange, runMonoco } from "./project.ts";
import { measureInTurn } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

type Kind = { name: string; history?: Import; refs?: number; aim?: number };

export async function repositories(bench: Bench): Promise<Row[]> {
  const { playground, builds, sessions, scale } = bench;
  const runs = bench.runs ?? 5;
  const files = Math.round(20_000 * scale);
  const megabytes = Math.round(bench.historyMb * scale);
  const refs = Math.round(2_000 * scale);
  const small = "monoco run, a small repository";
  const kinds: Kind[] = [
    { name: small },
    { name: `… ${files} files`, history: manyFiles(files), aim: 2 },
    { name: `… ${megabytes} MB of history`, history: longHistory(megabytes), aim: 1.2 },
    // 2,000 to the power of 0.15.
    { name: `… ${refs} refs of merged relays`, refs, aim: 3.1 },
  ];
  const whiches = Object.entries(builds);
  // Each run has an issue of its own; the repository stays. One round is not counted.
  const issues = (runs + 1) * whiches.length;
  const contestants: Record<string, () => Promise<number>> = {};
  for (const kind of kinds) {
    const project = await makeProject(playground, { sessions, issues, ...kind });
    if (kind.refs !== undefined) makeRefs(project.root, playground.env, kind.refs);
    let issue = 0;
    for (const [which, program] of whiches)
      contestants[kind.name + which] = async () => {
        runMonoco(playground, program, ["run", issueName(++issue)], project);
        return medianChange(project.log, sessions);
      };
  }
  const measured = await measureInTurn(contestants, runs);
  return kinds.flatMap(({ name, aim }) =>
    whiches.map(([which]) =>
      rowOf(name + which, "ms", measured[name + which]!, {
        ...(aim === undefined ? {} : { beside: "small", nextTo: measured[small + which]! }),
        aim: which === "" ? aim : undefined,
      }),
    ),
  );
}

const head = "commit refs/heads/main\ncommitter Bench <bench@example.invalid> 1760000000 +0000\ndata 0\n";

/** One commit; nine files of a kilobyte a folder. */
function* manyFiles(files: number): Import {
  yield head;
  for (let n = 0; n < files; n++) {
    const text = `File ${n}.\n`.repeat(90);
    const folder = Math.floor(n / 9);
    yield `M 100644 inline src/part-${folder % 40}/folder-${folder}/file-${n}.txt\ndata ${text.length}\n${text}\n`;
  }
}

/** Ten commits a megabyte: each writes the same file anew, with bytes that cannot be compressed. */
function* longHistory(megabytes: number): Import {
  for (let n = 0; n < megabytes * 10; n++) {
    yield `${head}M 100644 inline asset.bin\ndata 100000\n`;
    yield randomBytes(100_000);
    yield "\n";
  }
}

/** As relays of 20 sessions leave them. */
function makeRefs(cwd: string, env: Readonly<Record<string, string>>, count: number): void {
  const lines = Array.from(
    { length: count },
    (_, n) => `create refs/monoco/OLD-${Math.floor(n / 20)}/sessions/${n % 20}/head HEAD\n`,
  );
  execFileSync("git", ["update-ref", "--stdin"], { cwd, env, input: lines.join("") });
}

/** How long `monoco why` takes beyond git's own blame, in a repository of 20,000 files and 2,000 commits since the merge. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cli } from "./playground.ts";
import type { Bench, Playground } from "./playground.ts";
import { measureInTurn } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

const names = { blame: "git blame", why: "monoco why", person: "monoco why, a person's line" } as const;
/** Milliseconds beyond git's own blame. */
const aim = 300;

export async function why({ playground, rounds, scale }: Bench): Promise<Row[]> {
  const cwd = grown(playground, { files: 20_000 * scale, commits: 2_000 * scale });
  const of =
    (...args: string[]) =>
    async () =>
      playground.time([process.execPath, cli, ...args], { cwd });
  const blame = ["git", ..."blame --porcelain -M -C -L 4,4 -- duration.js".split(" ")] as const;
  const measured = await measureInTurn(
    {
      [names.blame]: async () => playground.time(blame, { cwd }),
      [names.why]: of("why", "duration.js:4"),
      [names.person]: of("why", "package.json:1"),
    },
    rounds,
  );
  const beyond = (name: string): number[] =>
    measured[name]!.map((figure, round) => figure - measured[names.blame]![round]!);
  return [
    rowOf(names.blame, "ms", measured[names.blame]!),
    ...[names.why, names.person].map((name) =>
      rowOf(`${name}, beyond git blame`, "ms", beyond(name), { aim }),
    ),
  ];
}

/** The demo's repository after its story, with many more files and commits. */
function grown(playground: Playground, { files, commits }: { files: number; commits: number }): string {
  const demo = join(playground.folder, "demo-of-why");
  playground.time([process.execPath, cli, "demo", "--folder", demo], { cwd: playground.folder });
  const root = join(demo, "project");
  const git = (input: string | undefined, ...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: playground.env, encoding: "utf8", ...(input && { input }) });
  for (let n = 0; n < files; n++) {
    const path = join(root, "many", String(n % 200), `${n}.txt`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${n}\n`);
  }
  git(undefined, "add", "--all");
  git(undefined, "commit", "--quiet", "--message", "Many files");
  const who = "committer P <p@example.invalid>";
  const stream = Array.from({ length: commits }, (_, n) => {
    const from = n === 0 ? `from ${git(undefined, "rev-parse", "HEAD").trim()}\n` : "";
    const text = `${n}\n`;
    return `commit refs/heads/main\n${who} ${2_000_000_000 + n} +0000\ndata 5\nMore\n${from}M 100644 inline many/${n % 200}/${n % 200}.txt\ndata ${text.length}\n${text}\n`;
  });
  git(stream.join(""), "fast-import", "--quiet", "--force");
  git(undefined, "reset", "--quiet", "--hard");
  return root;
}

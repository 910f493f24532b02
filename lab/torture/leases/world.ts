/** A bare remote that keeps a record of every move of its refs, and workers with clones, homes and lines of their own. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { attempt } from "../../../src/core/error/attempt.ts";
import { removeTree } from "../../../src/git/folders.ts";
import { openLine } from "./line.ts";
import type { Line } from "./line.ts";
import { upMs } from "./said.ts";
import type { Said } from "./said.ts";

export type World = {
  folder: string;
  bare: string;
  issues: readonly string[];
  /** What the workers say. */
  said: string;
  workers: Worker[];
  git(...args: string[]): Promise<string>;
  /** Until when the remote refuses pushes, or those that move a head or the base; undefined mends it. */
  refuse(what: "all" | "some" | undefined): void;
  refused(): number;
  dispose(): Promise<void>;
};

export type Worker = {
  name: string;
  clone: string;
  env: Record<string, string>;
  line: Line;
  /** Begins it anew, unless it runs. */
  start(): void;
  /** All its processes, those with sessions of their own, too. */
  kill(): void;
  stop(): void;
  wake(): void;
  clock(offsetMs: number): void;
  /** Its machine is thrown away, and another one takes its place. */
  replace(): Promise<void>;
};

/** The command of a worker. */
export type Command = (worker: { name: string; said: string; clone: string }) => readonly string[];

export type WorldOf = {
  issues: readonly string[];
  /** What the repository begins with. */
  files?(at: Pick<World, "folder" | "said">): Readonly<Record<string, string>>;
  workers: number;
  command: Command;
};

const preload = fileURLToPath(new URL("clock.mjs", import.meta.url));

/** A line for each transaction: when, and each move of it. */
const record = `#!/bin/sh
[ "$1" = committed ] || exit 0
moves=$(tr '\\n' ',')
read -r up _ < /proc/uptime
exec 9>> "$GIT_DIR/moves.lock"; flock 9
printf '%s\\t%s\\n' "$up" "$moves" >> "$GIT_DIR/moves"
`;

const refuseAll = `#!/bin/sh
[ -e "$GIT_DIR/refuse-all" ] || exit 0
echo all >> "$GIT_DIR/refused"
echo "not today" >&2
exit 1
`;

const refuseSome = `#!/bin/sh
[ -e "$GIT_DIR/refuse-some" ] || exit 0
case "$1" in refs/heads/main|*/head) echo "$1" >> "$GIT_DIR/refused"; exit 1;; esac
`;

export async function openWorld({ issues, files = () => ({}), workers, command }: WorldOf): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-test-")));
  const bare = join(folder, "bare.git");
  const said = join(folder, "said.jsonl");
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1", LANG: "C.UTF-8" };
  const run = async (cwd: string, ...args: string[]): Promise<string> =>
    (await execa("git", args, { cwd, env, extendEnv: false })).stdout;
  writeFileSync(said, "");
  await makeRemote(bare, run);
  await seed({ folder, bare, files: files({ folder, said }) }, run);
  for (const [name, text] of [
    ["reference-transaction", record],
    ["pre-receive", refuseAll],
    ["update", refuseSome],
  ] as const) {
    writeFileSync(join(bare, "hooks", name), text);
    chmodSync(join(bare, "hooks", name), 0o755);
  }
  writeFileSync(join(bare, "moves"), "");
  const of = { folder, bare, said, env, command, run };
  const made = await Promise.all(Array.from({ length: workers }, (_, at) => openWorker(`w${at + 1}`, of)));
  return {
    folder,
    bare,
    issues,
    said,
    workers: made,
    git: (...args) => run(bare, ...args),
    refuse: (what) => {
      for (const kind of ["all", "some"])
        if (what === kind) writeFileSync(join(bare, `refuse-${kind}`), "");
        else rmSync(join(bare, `refuse-${kind}`), { force: true });
    },
    refused: () => attempt(() => readFileSync(join(bare, "refused"), "utf8").split("\n").length - 1, 0),
    dispose: async () => {
      for (const worker of made) {
        worker.kill();
        worker.line.close();
      }
      // A git of the remote may still be writing.
      for (let turn = 0; turn < 50 && pidsWith(folder).length > 0; turn += 1)
        await new Promise((done) => setTimeout(done, 50));
      removeTree(folder);
    },
  };
}

type Run = (cwd: string, ...args: string[]) => Promise<string>;

async function makeRemote(bare: string, run: Run): Promise<void> {
  await run("/", "init", "--quiet", "--bare", "--initial-branch=main", bare);
  const settings = { "core.logAllRefUpdates": "always", "gc.auto": "0", "receive.autogc": "false" };
  for (const [key, value] of Object.entries(settings)) await run(bare, "config", key, value);
}

async function seed(
  { folder, bare, files }: { folder: string; bare: string; files: Readonly<Record<string, string>> },
  run: Run,
): Promise<void> {
  const first = join(folder, "first");
  await run("/", "clone", "--quiet", bare, first);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(first, path, ".."), { recursive: true });
    writeFileSync(join(first, path), text);
  }
  const as = ["-c", "user.name=P", "-c", "user.email=p@example.com"];
  await run(first, "add", "--all");
  await run(first, ...as, "commit", "--quiet", "--allow-empty", "--message=Begin");
  await run(first, "push", "--quiet", "origin", "HEAD:main");
}

type WorkersOf = Pick<World, "folder" | "bare" | "said"> & {
  env: Record<string, string>;
  command: Command;
  run: Run;
};

async function openWorker(name: string, of: WorkersOf): Promise<Worker> {
  const { folder, said } = of;
  const line = await openLine(folder, "bare.git");
  const place = join(folder, name);
  const clone = join(place, "clone");
  const mark = `${folder}/${name}/`;
  const env = {
    ...of.env,
    // Without it each start would begin by compiling the sources.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(folder, "compiled"),
    HOME: join(place, "home"),
    XDG_STATE_HOME: join(place, "state"),
    NODE_OPTIONS: `--import ${preload}`,
    CLOCK_FILE: join(folder, `${name}.clock`),
  };
  let child: object | undefined;
  const tell = (what: Said["what"]): void =>
    appendFileSync(said, `${JSON.stringify({ atMs: upMs(), worker: name, what })}\n`);
  const each = (signal: NodeJS.Signals): void => {
    // What was started while the first of them were found.
    for (let turn = 0; turn < 3; turn += 1)
      for (const pid of pidsWith(mark)) attempt(() => process.kill(pid, signal), false);
  };
  const kill = (): void => {
    each("SIGKILL");
    tell("killed");
    child = undefined;
    for (const lock of locksIn(join(clone, ".git"))) rmSync(lock, { force: true });
  };
  await makeClone({ ...of, place, clone, url: line.url });
  return {
    name,
    clone,
    env,
    line,
    kill,
    start: () => {
      if (child) return;
      const [program = "", ...args] = of.command({ name, said, clone });
      const mine = execa(program, args, {
        cwd: clone,
        env,
        extendEnv: false,
        reject: false,
        stdin: "ignore",
        detached: true,
        stdout: { file: join(folder, `${name}.out`), append: true },
        stderr: { file: join(folder, `${name}.err`), append: true },
      });
      child = mine;
      void mine.then(() => {
        if (child === mine) child = undefined;
      });
    },
    stop: () => {
      tell("stopped");
      each("SIGSTOP");
    },
    wake: () => {
      each("SIGCONT");
      tell("woken");
    },
    clock: (offsetMs) => writeFileSync(env.CLOCK_FILE, String(offsetMs)),
    replace: async () => {
      kill();
      removeTree(place);
      await makeClone({ ...of, place, clone, url: line.url });
    },
  };
}

async function makeClone(of: WorkersOf & { place: string; clone: string; url: string }): Promise<void> {
  const { place, clone, bare, url, run } = of;
  mkdirSync(join(place, "home", ".config", "monoco"), { recursive: true });
  writeFileSync(join(place, "home", ".config", "monoco", "config.yaml"), "sandbox: none\n");
  writeFileSync(join(place, "home", ".gitconfig"), "[user]\n\tname = P\n\temail = p@example.com\n");
  await run(place, "clone", "--quiet", bare, clone);
  await run(clone, "remote", "set-url", "origin", url);
  // A fetch in the background takes the relays' refs, too: what a bare lease would compare with.
  await run(clone, "config", "--add", "remote.origin.fetch", "+refs/monoco/*:refs/remotes/origin-monoco/*");
}

/** By their environment: home, state and folder of a worker's processes lie in its place. */
function pidsWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8").includes(word), false))
    .map(Number);
}

function locksIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".lock"))
    .map((name) => join(folder, name));
}

/** Where tools are installed and tried: a folder that npm fills, and for each trial a repository, a home and an agent of its own. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Peer } from "./table.ts";

/** What the agent does: a commit, writing until it is ended, failing, or nothing at all. */
export type Mode = "commit" | "write" | "fail" | "idle";
export type Started = { child: ChildProcess; beganMs: number; ended: Promise<string> };
export type Trial = {
  folder: string;
  repository: string;
  /** Runs the command of the tool; `before` is put in front of it. */
  start(before?: readonly string[]): Started;
  /** The lines of a file that the agent writes, as numbers. */
  notes(file: "sessions" | "lines"): number[][];
  /** The last lines that the tool printed. */
  said(count: number): string;
  /** Files that the tool wrote outside of git's own folder, and their bytes. */
  left(): { files: number; bytes: number };
  /** Ends every process that was started in this trial, and removes it. */
  dispose(): void;
};

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "monoco-peers");

/** The node_modules of a tool, which is installed on first use and kept for the next run. */
export function installed({ name, install }: Peer): string {
  const folder = join(cache, name, ...install.map((one) => one.replaceAll(/[^\w.-]/g, "_")));
  const modules = join(folder, "node_modules");
  if (install.length === 0 || existsSync(join(folder, "complete"))) return modules;
  process.stderr.write(`${name}: npm install ${install.join(" ")}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  // Without their scripts: what those would fetch from elsewhere is not measured.
  execFileSync(
    "npm",
    ["install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", ...install],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 600_000,
    },
  );
  writeFileSync(join(folder, "complete"), "");
  return modules;
}

export function openTrial(
  peer: Peer,
  { mode, sessions, answer = peer.answer }: { mode: Mode; sessions: number; answer?: string },
): Trial {
  const modules = installed(peer);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-peers-")));
  const repository = join(folder, "repository");
  const env = {
    // Node first: a tool starts others by this name, and the PATH's may be older.
    PATH: [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
    LANG: "C.UTF-8",
    NO_UPDATE_NOTIFIER: "1",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
  };
  layOut(peer, { folder, modules, sessions });
  writeFileSync(join(folder, "mode"), mode);
  writeFileSync(join(folder, "answer"), answer);
  const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: repository, env });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  const printed = join(folder, "printed");
  const laidOut = filesIn(folder);
  return {
    folder,
    repository,
    start: (before = []) => {
      const [program, ...args] = [...before, ...peer.argv({ modules, sessions, trial: folder })];
      const output = openSync(printed, "a");
      const beganMs = Date.now();
      // A group of its own, as a shell with job control gives it one: Ctrl-C reaches the group.
      const child = spawn(program!, args, {
        cwd: repository,
        env,
        detached: true,
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      const ended = new Promise<string>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (status, signal) => resolve(signal ?? `exit status ${status}`));
      });
      return { child, beganMs, ended };
    },
    notes: (file) => {
      const path = join(folder, file);
      const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
      return text === "" ? [] : text.split("\n").map((line) => line.split(" ").map((s) => Number(s) * 1_000));
    },
    said: (count) => lastLines(readFileSync(printed, "utf8").replaceAll(folder, "…"), count),
    left: () => {
      const paths = [...filesIn(folder)].filter(
        ([path, at]) => laidOut.get(path) !== at && !notTheTools.test(path),
      );
      return {
        files: paths.length,
        bytes: paths.reduce((sum, [path]) => sum + statSync(join(folder, path)).size, 0),
      };
    },
    dispose: () => {
      sweep(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** The agent's own notes and its work. */
const notTheTools = /^(sessions|lines|printed|syncs|submits)$|(^|\/)work\.txt$/;

function layOut(
  peer: Peer,
  { folder, modules, sessions }: { folder: string; modules: string; sessions: number },
): void {
  const write = (root: string, files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  for (const name of ["bin", "tmp", "home", "repository"]) mkdirSync(join(folder, name));
  symlinkSync(join(import.meta.dirname, "agent.sh"), join(folder, "bin/claude"));
  write(join(folder, "home"), {
    ".gitconfig": "[user]\n\tname = Bench\n\temail = bench@example.invalid\n",
    ...peer.home,
  });
  if (peer.copy) cpSync(join(modules, peer.copy), join(folder, "repository"), { recursive: true });
  write(join(folder, "repository"), { "README.md": "# Lines\n", ...peer.files(sessions) });
}

/** Every file but git's, with the time of its last change. */
function filesIn(folder: string): Map<string, number> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.split("/").includes(".git"));
  return new Map(paths.map((path) => [path, statSync(join(folder, path)).mtimeMs]));
}

function lastLines(text: string, count: number): string {
  // oxlint-disable-next-line no-control-regex -- colours
  const plain = text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, "");
  return plain
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /[\w]/.test(line))
    .slice(-count)
    .map((line) => line.replaceAll("|", "/").slice(0, 160))
    .join(" / ");
}

/** Ends all whose environment names the trial's folder, until none is left: each has its HOME there. */
function sweep(folder: string): void {
  for (let round = 0; round < 50; round++) {
    const pids = processesOf(folder);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  throw new Error(`processes are left: ${processesOf(folder).join(", ")}`);
}

function processesOf(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${folder}/`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

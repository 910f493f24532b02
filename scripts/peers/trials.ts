/** What a tool does when it is killed or stopped, and with an agent that fails for ever or does nothing: real processes, as people meet them. */
import { execFileSync } from "node:child_process";
import { setTimeout as passed } from "node:timers/promises";
import { openTrial } from "./place.ts";
import type { Mode, Started, Trial } from "./place.ts";
import type { Peer } from "./table.ts";

export type Tried = Record<"tool" | (typeof heads)[number], string>;

const heads = [
  "SIGKILL of the runner",
  "the same command again",
  "Ctrl-C",
  "SIGTERM to the runner",
  "agent fails for ever, 20 s",
  "agent says done, changed nothing",
] as const;

/** More sessions than a trial takes, so that a limit that is met is the tool's own. */
const plenty = 50;

/** `say` hears each row as soon as it is there. */
export async function triedOn(peers: readonly Peer[], say: (progress: string) => void): Promise<Tried[]> {
  const rows: Tried[] = [];
  for (const peer of peers) {
    const write = (use: (trial: Trial) => Promise<string>): Promise<string> =>
      tried(peer, { mode: "write", sessions: plenty }, use);
    const [killed = "", again = ""] = (await write(afterKill)).split("\n");
    const row: Tried = {
      tool: peer.name,
      "SIGKILL of the runner": killed,
      "the same command again": again,
      "Ctrl-C": await write((trial) => afterStop(trial, (pid) => process.kill(-pid, "SIGINT"))),
      "SIGTERM to the runner": await write((trial) =>
        afterStop(trial, (pid) => process.kill(pid, "SIGTERM")),
      ),
      "agent fails for ever, 20 s": await tried(peer, { mode: "fail", sessions: 10 * plenty }, failing),
      "agent says done, changed nothing": await tried(
        peer,
        { mode: "idle", sessions: 10, answer: peer.allDone ?? peer.answer },
        idle,
      ),
    };
    say(JSON.stringify(row));
    rows.push(row);
  }
  return rows;
}

async function tried(
  peer: Peer,
  options: { mode: Mode; sessions: number; answer?: string },
  use: (trial: Trial) => Promise<string>,
): Promise<string> {
  const trial = openTrial(peer, options);
  try {
    return await use(trial);
  } catch (error) {
    return `not tried: ${String(error)}`;
  } finally {
    trial.dispose();
  }
}

/** Sessions that write, with the time of the last line of each; a session is known by when it began. */
function writers(trial: Trial): Map<number, number> {
  return new Map(trial.notes("lines").map(([began, at]): [number, number] => [began!, at!]));
}

async function until(holds: () => boolean, seconds: number): Promise<boolean> {
  for (const began = Date.now(); Date.now() - began < seconds * 1_000; await passed(20))
    if (holds()) return true;
  return false;
}

/** Until the agent has been at work for a second. */
async function atWork(trial: Trial): Promise<Started> {
  const started = trial.start();
  if (!(await until(() => writers(trial).size > 0, 30))) throw new Error(`no session. ${trial.said(5)}`);
  await passed(1_000);
  return started;
}

/** Two lines: what became of the agent, and what the same command does then. */
async function afterKill(trial: Trial): Promise<string> {
  const { child, ended } = await atWork(trial);
  child.kill("SIGKILL");
  await ended;
  const killedMs = Date.now();
  await passed(3_000);
  const first = trial.notes("lines");
  const wrote = first.filter(([, at]) => at! > killedMs + 500).length;
  const killed = wrote > 0 ? `the agent writes on: ${wrote} lines in 2.5 s` : endedAfter(trial, killedMs);
  const before = writers(trial).size;
  const again = trial.start();
  let over = "";
  void again.ended.then((how) => (over = how));
  await until(() => over !== "" || writers(trial).size > before, 20);
  await passed(2_000);
  const now = Date.now();
  const alive = [...writers(trial).values()].filter((last) => now - last < 1_000).length;
  const count = alive === 1 ? "one agent writes" : `${alive} agents write at a time`;
  return `${killed}\n${over === "" ? count : `${count}; ${over}: ${trial.said(2)}`}`;
}

function endedAfter(trial: Trial, atMs: number): string {
  const last = Math.max(...writers(trial).values());
  return `the agent ended ${Math.max(0, (last - atMs) / 1_000).toFixed(1)} s later`;
}

async function afterStop(trial: Trial, stop: (pid: number) => void): Promise<string> {
  const { child, ended } = await atWork(trial);
  const stopMs = Date.now();
  stop(child.pid!);
  let over = "";
  void ended.then((how) => (over = `${how} after ${((Date.now() - stopMs) / 1_000).toFixed(1)} s`));
  await passed(4_000);
  const writes = trial.notes("lines").some(([, at]) => at! > stopMs + 3_000);
  const agent = writes ? "the agent writes on after 4 s" : endedAfter(trial, stopMs);
  const starts = writers(trial).size;
  const more = starts > 1 ? `, ${starts - 1} more started` : "";
  return `${agent}${more}; runner: ${over || "still there"}; work ${whereKept(trial)}`;
}

/** Where what the agent had not committed is found: in the person's own checkout, on a branch, or in the tool's folders. */
function whereKept(trial: Trial): string {
  const words = "uncommitted line of";
  const found = (...argv: [string, ...string[]]): boolean => {
    try {
      execFileSync(argv[0], argv.slice(1), { cwd: trial.repository, stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  if (found("grep", "-q", words, "work.txt")) return "in the checkout";
  const refs = execFileSync("git", ["for-each-ref", "--format=%(refname)"], {
    cwd: trial.repository,
    encoding: "utf8",
  });
  const kept = refs.split("\n").filter((ref) => ref !== "" && found("git", "grep", "-q", words, ref));
  if (kept.length > 0) return `committed on ${kept.map((ref) => ref.replace("refs/heads/", "")).join(", ")}`;
  return found("grep", "-rq", words, "../home", "../tmp", ".") ? "in the tool's folders" : "LOST";
}

async function failing(trial: Trial): Promise<string> {
  const { ended } = trial.start();
  const how = await Promise.race([ended, passed(20_000, "still trying")]);
  return `${trial.notes("sessions").length} starts, ${how}: ${trial.said(2)}`;
}

async function idle(trial: Trial): Promise<string> {
  const { ended } = trial.start();
  const how = await Promise.race([ended, passed(30_000, "still running after 30 s")]);
  return `${trial.notes("sessions").length} sessions, ${how}: ${trial.said(4)}`;
}

/** What a tool costs besides its agents: between two sessions, until the first one, in memory, in files and syncs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { measureInTurn, ratios, spreadOf } from "../bench/rounds.ts";
import type { Spread } from "../bench/rounds.ts";
import { openTrial } from "./place.ts";
import type { Trial } from "./place.ts";
import type { Peer } from "./table.ts";

type Traces = {
  peakMb: number;
  /** What is left of one run, and how often a session waited for the disk, with the agent's own commit. */
  files: number;
  kilobytes: number;
  syncs: number | undefined;
};
export type Costs = Traces & {
  name: string;
  changeMs: Spread;
  /** The change as a multiple of that of the bare Node loop in the same round. */
  ratio: Spread | undefined;
  firstAgentMs: Spread;
};

const runMsMax = 120_000;

/** A tool that does not get through one run is left out, and `failed` hears why. */
export async function costsOf(
  chosen: readonly Peer[],
  {
    sessions,
    rounds,
    failed,
  }: { sessions: number; rounds: number; failed: (peer: Peer, why: string) => void },
): Promise<Costs[]> {
  const traced = new Map<Peer, Traces>();
  for (const peer of chosen)
    await traces(peer, sessions).then(
      (found) => traced.set(peer, found),
      (error: unknown) => failed(peer, String(error)),
    );
  const peers = [...traced.keys()];
  const firstAgent = Object.fromEntries(peers.map(({ name }): [string, number[]] => [name, []]));
  const timed = async (peer: Peer): Promise<number> => {
    const { trial, beganMs } = await run(peer, { sessions });
    try {
      const notes = trial.notes("sessions");
      firstAgent[peer.name]!.push(notes[0]![0]! - beganMs);
      return spreadOf(notes.slice(1).map(([began], index) => began! - notes[index]![1]!)).median;
    } finally {
      trial.dispose();
    }
  };
  const changes = await measureInTurn(
    Object.fromEntries(peers.map((peer) => [peer.name, () => timed(peer)])),
    rounds,
  );
  const floor = changes["bare Node loop"];
  return [...traced].map(([{ name }, found]) => ({
    name,
    changeMs: spreadOf(changes[name]!),
    ratio: floor && spreadOf(ratios(changes[name]!, floor)),
    // The first is of the round that does not count.
    firstAgentMs: spreadOf(firstAgent[name]!.slice(1)),
    ...found,
  }));
}

/** One run to its end, of exactly as many sessions as were asked for. */
async function run(
  peer: Peer,
  {
    sessions,
    before,
    watch,
  }: { sessions: number; before?: readonly string[]; watch?: (pid: number) => void },
): Promise<{ trial: Trial; beganMs: number }> {
  const trial = openTrial(peer, { mode: "commit", sessions });
  try {
    const { child, beganMs, ended } = trial.start(before);
    const looking = watch && setInterval(() => watch(child.pid!), 20);
    const how = await Promise.race([ended, passed(runMsMax, undefined, { ref: false })]);
    clearInterval(looking);
    const count = trial.notes("sessions").length;
    if (how === undefined || count !== sessions)
      throw new Error(`${peer.name}: ${count} of ${sessions} sessions. ${trial.said(5)}`);
    return { trial, beganMs };
  } catch (error) {
    trial.dispose();
    throw error;
  }
}

/** Apart from the times, as looking costs time. */
async function traces(peer: Peer, sessions: number): Promise<Traces> {
  let peak = 0;
  const { trial } = await run(peer, { sessions, watch: (pid) => (peak = Math.max(peak, kilobytesOf(pid))) });
  const { files, bytes } = trial.left();
  trial.dispose();
  return {
    peakMb: Math.round(peak / 1024),
    files,
    kilobytes: Math.round(bytes / 1024),
    syncs: await syncsOf(peer, sessions),
  };
}

/** The memory of a process and of those below it, but for agents: what they share is counted once. */
function kilobytesOf(pid: number): number {
  try {
    const [, script = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (script.endsWith("/bin/claude")) return 0;
    const own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    const below = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    return below.reduce((sum, child) => sum + kilobytesOf(Number(child)), own);
  } catch {
    return 0; // It has ended meanwhile.
  }
}

async function syncsOf(peer: Peer, sessions: number): Promise<number | undefined> {
  const strace = "/usr/bin/strace";
  if (!existsSync(strace)) return undefined;
  const { trial } = await run(peer, {
    sessions,
    before: [
      strace,
      "-f",
      "-qq",
      "--seccomp-bpf",
      "-e",
      "trace=fsync,fdatasync,syncfs,sync",
      "-o",
      "../syncs",
    ],
  });
  const calls = readFileSync(join(trial.folder, "syncs"), "utf8").match(/\b(fsync|fdatasync|syncfs|sync)\(/g);
  trial.dispose();
  return (calls?.length ?? 0) / sessions;
}

/** What holds a session, by what it costs: a program that does nothing, in a PID namespace alone and in the sandbox. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { spawnChild } from "../../src/agents/child.ts";
import { probeContainment } from "../../src/agents/containment.ts";
import type { Containment } from "../../src/agents/containment.ts";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { agentNeeds } from "../../src/relay/home/agent-home.ts";
import { viewOf } from "../../src/relay/sandbox.ts";
import { cli } from "./playground.ts";
import type { Bench, Playground } from "./playground.ts";
import { measureInTurn } from "./rounds.ts";
import type { Contestants } from "./rounds.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

const names = {
  namespace: "/bin/true in a PID namespace",
  sandbox: "/bin/true in the sandbox",
} as const;

/** Beside the PID namespace, spawn by spawn: what the sandbox costs more. */
export async function sandbox({ playground, rounds }: Bench): Promise<Row[]> {
  const measured = await measureInTurn(spawns(playground), rounds);
  const [alone, held] = Object.values(names).map((name) => measured[name]);
  if (!alone || !held) return [];
  return [
    rowOf(names.namespace, "ms", alone),
    rowOf(names.sandbox, "ms", held),
    rowOf(
      "the sandbox alone",
      "ms",
      held.map((ms, round) => ms - alone[round]!),
      { aim: 5 },
    ),
  ];
}

/** From a session's view to the end of the program. None where one does not work. */
function spawns({ folder, env, repository }: Playground): Contestants {
  const root = repository("spawn/repository", { "issues/none.md": "" });
  const places = Object.fromEntries(
    "work outbox temporary packages clones bin".split(" ").map((name) => [name, join(folder, "spawn", name)]),
  );
  for (const path of Object.values(places)) mkdirSync(path);
  const { work = "", outbox = "", temporary = "", packages = "", clones = "", bin: binFolder = "" } = places;
  const repositoryPlaces = { monoco: join(root, ".monoco"), packages, clones };
  const ofRepository = { root, commonDir: join(root, ".git") };
  const monoco = [process.execPath, cli];
  const runner = { env, repository: ofRepository, repositoryPlaces, monoco, binFolder };
  const settings = { clones: "borrowed" as const, sandboxRead: [], sandboxWrite: [], siblings: [] };
  const view = () => {
    const { read, write } = agentNeeds(runner, settings, { kind: "claude" });
    const needs = { read, write: [work, outbox, temporary, ...write], caches: "sessions" } as const;
    return viewOf(runner, settings, needs);
  };
  const spawn = async (containment: Containment): Promise<number> => {
    const began = performance.now();
    const { exited } = spawnChild({
      argv: ["/bin/true"],
      cwd: work,
      env,
      marker: "MONOCO_BENCH=spawn",
      containment,
      view: containment === "bubblewrap" ? view() : undefined,
      stdoutFile: "/dev/null",
      stderrFile: "/dev/null",
      bytesMax: 1,
    });
    const exit = await exited;
    if (exit.exitCode !== 0) throw new Error(`${containment}: ${JSON.stringify(exit)}`);
    return performance.now() - began;
  };
  if (probeContainment() !== "pid-namespace" || !hasBubblewrap()) return {};
  return {
    [names.namespace]: () => spawn("pid-namespace"),
    [names.sandbox]: () => spawn("bubblewrap"),
  };
}

/** What happens to a worker, its line, its clock, or the remote. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../place/random.ts";
import type { Trouble } from "./line.ts";
import type { Worker, World } from "./world.ts";

const dayMs = 24 * 60 * 60_000;

export type Hit = { world: World; worker: Worker; random: Random; leaseMs: number; signal: AbortSignal };

/** Shorter than a lease, or longer. */
const aWhile = ({ random, leaseMs }: Hit): number => leaseMs * (0.1 + random.next() * 1.3);
/** Longer than a lease. */
const tooLong = ({ random, leaseMs }: Hit): number => leaseMs * (1.1 + random.next() * 0.4);

/** It waits less where the storm is over. */
const wait = (ms: number, { signal }: Hit): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

const onLine =
  (trouble: Trouble) =>
  async (hit: Hit): Promise<void> => {
    hit.worker.line.set(trouble);
    await wait(aWhile(hit), hit);
    hit.worker.line.set(undefined);
  };

const onClock =
  (offsetMs: number) =>
  async (hit: Hit): Promise<void> => {
    hit.worker.clock(offsetMs);
    await wait(aWhile(hit), hit);
    hit.worker.clock(0);
  };

const refusing =
  (what: "all" | "some") =>
  async (hit: Hit): Promise<void> => {
    hit.world.refuse(what);
    await wait(hit.leaseMs * hit.random.next(), hit);
    hit.world.refuse(undefined);
  };

export const faults = {
  "killed, and begun again": async ({ worker }) => {
    worker.kill();
    worker.start();
  },
  "killed, and begun again after its lease": async (hit) => {
    hit.worker.kill();
    await wait(tooLong(hit), hit);
    hit.worker.start();
  },
  "its machine thrown away": async ({ worker }) => {
    await worker.replace();
    worker.start();
  },
  "stopped past its lease": async (hit) => {
    hit.worker.stop();
    await wait(tooLong(hit), hit);
    hit.worker.wake();
  },
  "stopped for a while": async (hit) => {
    hit.worker.stop();
    await wait(aWhile(hit) / 2, hit);
    hit.worker.wake();
  },
  "remote unreachable": onLine("cut"),
  "remote silent": onLine("silent"),
  "line slow": onLine("slow"),
  "line half-closed": onLine("half"),
  "answers lost": onLine("deaf"),
  "pushes rejected": refusing("all"),
  "a ref of pushes rejected": refusing("some"),
  "clock a day ahead": onClock(dayMs),
  "clock a day behind": onClock(-dayMs),
} as const satisfies Record<string, (hit: Hit) => Promise<void>>;

export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];

export const hit = (fault: Fault, on: Hit): Promise<void> => faults[fault](on);

/**
 * A machine's part in a fleet: a job in PostgreSQL for each issue that it works on. The database says who works on what; the leases
 * in git say what has happened, so a database that is away or wrong costs time and nothing else.
 */
import { hostname } from "node:os";
import type { PgBoss } from "pg-boss";
import { z } from "zod";
import type { Database } from "../../core/lease/database.ts";
import { t } from "../../core/language/translate.ts";
import type { Spending } from "../../core/relay/spending.ts";
import type { Repository } from "../../git/repository.ts";
import { systemClock } from "../../relay/clock.ts";
import { failureOf, openBoss } from "./boss.ts";

/** How often a worker says that it is alive, ms; and after how many seconds of silence its jobs are over. */
const beatMs = 5_000;
const silenceSeconds = 60;

/** The bounds of the wait before a database that did not answer is asked again, ms. */
const backoffMsMin = 1_000;
const backoffMsMax = 60_000;

const daySeconds = 24 * 60 * 60;

/** What other machines wrote about their sessions. */
const spentSchema = z.object({
  spent: z.array(
    z.object({
      issue: z.string(),
      session: z.number(),
      startedAtMs: z.number(),
      endedAtMs: z.number().optional(),
      minutes: z.number().optional(),
      tokens: z.number(),
      costUsd: z.number(),
    }),
  ),
});

export type Joining = {
  database: Database;
  /** The queue of this repository. */
  queue: string;
  /** Names this machine's clone. */
  slot: string;
  /** What the sessions here have used in the last day. */
  spent(sinceMs: number): Spending[];
  tell(text: string): void;
};

/** The name of a repository's queue: the same in all clones, whatever address they have of the remote. */
export async function queueOfRepository({ git }: Repository, base: string): Promise<string> {
  const roots = (await git(["rev-list", "--max-parents=0", `refs/heads/${base}`])).trim().split("\n");
  return `claims-${roots.at(-1)?.slice(0, 16)}`;
}

export class Fleet {
  readonly #boss: PgBoss;
  readonly #of: Joining;
  readonly #timer: NodeJS.Timeout;
  /** The job of each key that is held here. */
  readonly #jobs = new Map<string, string>();
  #elsewhere: Spending[] = [];
  #failures = 0;
  #asksAgainMs = 0;
  #beating: Promise<void> | undefined;

  private constructor(boss: PgBoss, of: Joining) {
    this.#boss = boss;
    this.#of = of;
    this.#timer = setInterval(() => void (this.#beating ??= this.#beat()), beatMs);
  }

  static async join(of: Joining): Promise<Fleet> {
    const boss = await openBoss(of.database, { instanceName: of.queue });
    // A job is never tried twice: each claim is a job of its own, so that what an old holder says about its job ends no other claim.
    await boss.createQueue(of.queue, {
      policy: "exclusive",
      retryLimit: 0,
      heartbeatSeconds: silenceSeconds,
      expireInSeconds: daySeconds,
      deleteAfterSeconds: 60,
    });
    await boss.createQueue(spentIn(of.queue), { policy: "short", retentionSeconds: daySeconds });
    const fleet = new Fleet(boss, of);
    await fleet.#beat();
    return fleet;
  }

  /** What other machines' sessions have used in the last day, as they last said. */
  readonly elsewhere = (): Spending[] => this.#elsewhere;

  /** When a database that is away is asked again; undefined while it answers. */
  get awayUntilMs(): number | undefined {
    return this.#failures > 0 ? this.#asksAgainMs : undefined;
  }

  /** Takes a key that nobody in the fleet has. Throws if the database does not answer. */
  async take(key: string): Promise<boolean> {
    const id = await this.#ask(() => this.#send(key));
    if (id !== undefined) this.#jobs.set(key, id);
    return id !== undefined;
  }

  /** Gives the key back. Never throws: a job that stays ends by its worker's silence. */
  async give(key: string): Promise<void> {
    const id = this.#jobs.get(key);
    this.#jobs.delete(key);
    if (id !== undefined)
      await this.#ask(() => this.#boss.deleteJob(this.#of.queue, id)).catch(() => undefined);
  }

  /** The keys that somebody in the fleet has, this machine included. */
  async taken(): Promise<Set<string>> {
    const jobs = await this.#ask(() => liveJobs(this.#boss, this.#of.queue));
    return new Set(jobs.flatMap(({ singletonKey }) => singletonKey ?? []));
  }

  /** Tells the others what was used, and gives back what is still held. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    await this.#beat();
    for (const key of this.#jobs.keys()) await this.give(key);
    await this.#boss.stop({ timeout: 1_000 }).catch(() => undefined);
  }

  /** Sends a job and fetches it in one transaction, so that nobody else can fetch it; undefined if there is one with this key. */
  async #send(key: string): Promise<string | undefined> {
    const { queue } = this.#of;
    const transaction = await this.#boss.getDb().beginTransaction?.();
    if (!transaction) return undefined;
    const { db } = transaction;
    try {
      const about = { host: hostname(), pid: process.pid };
      const id = await this.#boss.send(queue, about, { singletonKey: key, db });
      const [job] = id === null ? [] : await this.#boss.fetch(queue, { db });
      if (job === undefined || job.id !== id) return undefined;
      await transaction.commit();
      return job.id;
    } finally {
      await transaction.rollback();
    }
  }

  /** Says that this worker is alive and what its sessions have used, and hears the same of the others. */
  async #beat(): Promise<void> {
    await this.#ask(() => this.#exchange()).catch(() => undefined);
    this.#beating = undefined;
  }

  async #exchange(): Promise<void> {
    for (const [key, id] of this.#jobs) await this.#keep(key, id);
    const { queue, slot, spent } = this.#of;
    const sinceMs = systemClock.nowMs() - daySeconds * 1_000;
    const own = spent(sinceMs).filter(({ startedAtMs }) => startedAtMs >= sinceMs);
    const options = { singletonKey: slot, retentionSeconds: daySeconds };
    await this.#boss.upsert(spentIn(queue), { spent: own }, options);
    const others = (await this.#boss.findJobs(spentIn(queue))).filter(
      ({ singletonKey }) => singletonKey !== slot,
    );
    this.#elsewhere = others.flatMap(({ data }) => spentSchema.safeParse(data).data?.spent ?? []);
  }

  /** Keeps a job from ending. One that ended, since the database was away or it was a day old, is followed by a new one. */
  async #keep(key: string, id: string): Promise<void> {
    const touched = await this.#boss.touch(this.#of.queue, id);
    if (!("affected" in touched) || touched.affected !== 0) return;
    const next = await this.#send(key);
    if (next === undefined) return;
    if (this.#jobs.get(key) === id) this.#jobs.set(key, next);
    else await this.#boss.deleteJob(this.#of.queue, next);
  }

  /** Asks the database, unless it did not answer a moment ago; says once that it is away, and once that it is back. */
  async #ask<T>(question: () => Promise<T>): Promise<T> {
    const { database, tell } = this.#of;
    if (systemClock.nowMs() < this.#asksAgainMs) throw failureOf(new Error(t`it did not answer`), database);
    try {
      const answer = await question();
      if (this.#failures > 0) tell(t`${database.name} answers again`);
      [this.#failures, this.#asksAgainMs] = [0, 0];
      return answer;
    } catch (error) {
      const failure = failureOf(error, database);
      if (this.#failures === 0)
        tell(t`${failure.message}. What runs here goes on by its leases; nothing new begins`);
      this.#failures += 1;
      const waitMs = Math.min(backoffMsMin * 2 ** (this.#failures - 1), backoffMsMax);
      this.#asksAgainMs = systemClock.nowMs() + waitMs;
      throw failure;
    }
  }
}

const spentIn = (queue: string): string => `${queue}-spent`;

/** The jobs of a queue that somebody has. */
export async function liveJobs(boss: PgBoss, queue: string) {
  const jobs = await boss.findJobs(queue, { limit: 10_000 });
  return jobs.filter(({ state }) => ["created", "retry", "active"].includes(state));
}

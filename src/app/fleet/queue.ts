/** The queue of a fleet: a job in PostgreSQL around each claim of another queue, by which workers do not try what others have. */
import { MonocoError } from "../../core/error/error.ts";
import { accountOf } from "../../core/journal/account.ts";
import { findAgent } from "../../core/settings/agent-entry.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { t } from "../../core/language/translate.ts";
import type { Claim, Held, Queue } from "../queue/port.ts";
import type { Fleet } from "./fleet.ts";

/** An account of which the whole fleet may use only so many places at once. */
export type Account = { name: string; max: number };

/** The limited account of the agent that plays the Executor first. */
export function accountIn(settings: Settings): Account | undefined {
  const [agent = ""] = settings.roles.executor.agents;
  const max = findAgent(settings, agent)?.fleetMax;
  return max === undefined ? undefined : { name: accountOf(settings, agent), max };
}

/** Takes a job of the issue, then the claim of `inner`, which alone decides. */
export function fleetQueue<C extends Claim>(
  fleet: Fleet,
  { inner, account }: { inner: Queue<C>; account: Account | undefined },
): Queue<C> {
  const keysOf = new WeakMap<C, string[]>();
  const giveAll = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await fleet.give(key);
  };
  return {
    isRemote: inner.isRemote,
    ready: async (issues) => {
      const taken = await fleet.taken().catch(() => new Set());
      return inner.ready(issues.filter((issue) => !taken.has(issue)));
    },
    claim: async (issue) => {
      const keys = await keysFor(fleet, issue, account);
      if ("heldBy" in keys) return keys;
      try {
        const claim = await inner.claim(issue);
        if ("heldBy" in claim) await giveAll(keys);
        else keysOf.set(claim, keys);
        return claim;
      } catch (error) {
        await giveAll(keys);
        throw error;
      }
    },
    // The job is kept by the worker's own beat.
    renew: (claim) => inner.renew(claim),
    release: async (claim) => {
      await inner.release(claim);
      await giveAll(keysOf.get(claim) ?? []);
      keysOf.delete(claim);
    },
  };
}

/** The key of the issue, and one of the account's places. */
async function keysFor(fleet: Fleet, issue: string, account: Account | undefined): Promise<string[] | Held> {
  try {
    const hint = t`monoco fleet status shows who has what`;
    if (!(await fleet.take(issue)))
      return { heldBy: new MonocoError("conflict", t`another worker of the fleet has ${issue}`, { hint }) };
    if (account === undefined) return [issue];
    for (let place = 1; place <= account.max; place += 1) {
      const key = `${account.name}/${place}`;
      if (await fleet.take(key)) return [issue, key];
    }
    await fleet.give(issue);
    const said = t`the fleet uses ${account.name} ${account.max} times already, as agents.NAME.fleetMax allows`;
    return { heldBy: new MonocoError("later", said, { hint }) };
  } catch (error) {
    await fleet.give(issue);
    if (!(error instanceof MonocoError)) throw error;
    return { heldBy: error, ...(fleet.awayUntilMs !== undefined && { untilMs: fleet.awayUntilMs }) };
  }
}

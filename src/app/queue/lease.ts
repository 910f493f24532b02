/** The queue of several machines: a lease beside each relay on the remote, on top of this machine's own lock. */
import { hostname, userInfo } from "node:os";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { leftOf } from "../../core/lease/lease.ts";
import type { Lease } from "../../core/lease/lease.ts";
import { timeOf } from "../../core/text/figures.ts";
import { t } from "../../core/language/translate.ts";
import { readLease, writeLease } from "../../git/carry/lease.ts";
import { listRemote, pushMoves, refuseTwoPlaces, refuseUntaken } from "../../git/carry/remote.ts";
import { gitOr } from "../../git/git.ts";
import { adoptRelay } from "../carry/adopt.ts";
import { fetchRelays } from "../carry/carrier.ts";
import type { Carrier } from "../carry/own.ts";
import { Holding } from "../lease/holding.ts";
import { sharedBy, takePushed } from "../lease/shared.ts";
import { seenForMs, sinceBootMs, slotHere } from "../lease/seen.ts";
import { localQueue } from "./local.ts";
import type { LocalClaim } from "./local.ts";
import type { Held, Queue } from "./port.ts";

export type LeaseClaim = LocalClaim & { holding: Holding };

/** How soon to ask again for an issue that another machine holds, ms. */
const askAgainMs = 30_000;

export type LeaseQueueOf = { minutes: number; warn(text: string): void };

export function leaseQueue(carrier: Carrier, of: LeaseQueueOf): Queue<LeaseClaim> {
  const local = localQueue(carrier.here);
  return {
    isRemote: true,
    ready: async (issues) => {
      const free = await local.ready(issues);
      const listed = await listRemote(carrier.remote, [`${carrier.prefix}/*/lease`]);
      await fetchRelays(
        carrier,
        free.filter((issue) => listed.has(refOf(carrier, issue))),
      );
      const open: string[] = [];
      for (const issue of free)
        if (((await othersLease(carrier, issue, listed.get(refOf(carrier, issue))))?.leftMs ?? 0) === 0)
          open.push(issue);
      return open;
    },
    claim: async (issue) => {
      const claim = await local.claim(issue);
      if ("heldBy" in claim) return claim;
      try {
        const holding = await takeLease(carrier, issue, of);
        if ("heldBy" in holding) {
          await local.release(claim);
          return holding;
        }
        return await adopted(carrier, claimOf(carrier, claim, holding), of);
      } catch (error) {
        await local.release(claim);
        throw error;
      }
    },
    renew: async ({ holding }) => {
      await holding.push().catch(() => undefined);
      return !holding.lost.aborted;
    },
    release: async (claim) => {
      await claim.holding.giveBack();
      await local.release(claim);
    },
  };
}

function claimOf(carrier: Carrier, claim: LocalClaim, holding: Holding): LeaseClaim {
  const { issue } = claim;
  return {
    ...claim,
    lost: holding.lost,
    holding,
    shared: ({ journal }, base) => {
      holding.journal = journal;
      return sharedBy({ carrier, issue, holding }, base);
    },
  };
}

const refOf = ({ prefix }: Carrier, issue: string): string => `${prefix}/${issue}/lease`;

/** The relay as the remote has it, under the lease that was just taken: nobody else moves it any more. */
async function adopted(carrier: Carrier, claim: LeaseClaim, { warn }: LeaseQueueOf): Promise<LeaseClaim> {
  try {
    await fetchRelays(carrier, [claim.issue]);
    const outcome = await adoptRelay(carrier, claim.issue);
    await takePushed(carrier, claim.issue);
    if (outcome.is === "failed")
      throw new MonocoError(
        outcome.kind,
        outcome.said,
        outcome.hint === undefined ? {} : { hint: outcome.hint },
      );
    const kept = outcome.is === "pulled" ? outcome.kept.map(({ ref }) => ref) : [];
    if (kept.length > 0)
      warn(
        t`${claim.issue} goes on from ${carrier.remote.name}; what only this clone had is kept: ${kept.join(", ")}`,
      );
    return claim;
  } catch (error) {
    await claim.holding.giveBack();
    throw error;
  }
}

/** The lease on the remote, and for how long it keeps this machine out; 0 if it does not. */
async function othersLease(
  { here }: Carrier,
  issue: string,
  commit: string | undefined,
): Promise<{ lease: Lease | undefined; leftMs: number } | undefined> {
  if (commit === undefined) return undefined;
  const lease = await readLease(here.repository.git, commit);
  // What is no lease keeps nobody out.
  if (!lease) return { lease, leftMs: 0 };
  const seenMs = seenForMs(here, issue, commit);
  return { lease, leftMs: leftOf(lease, { slot: slotHere(here), seenMs, nowMs: Date.now() }) };
}

async function takeLease(
  carrier: Carrier,
  issue: string,
  { minutes, warn }: LeaseQueueOf,
): Promise<Holding | Held> {
  const { here, remote } = carrier;
  const { git } = here.repository;
  const ref = refOf(carrier, issue);
  const from = (await listRemote(remote, [ref])).get(ref);
  if (from !== undefined) await fetchRelays(carrier, [issue]);
  const other = await othersLease(carrier, issue, from);
  if (other?.lease && other.leftMs > 0) return heldElsewhere(issue, other.lease, other.leftMs);
  const who =
    (await gitOr(git(["config", "user.name"]), "")).trim() || attempt(() => userInfo().username, "");
  const lease = {
    v: 1,
    issue,
    slot: slotHere(here),
    who: who.slice(0, 200),
    host: hostname().slice(0, 200),
    attempt: Math.min((other?.lease?.attempt ?? 0) + 1, Number.MAX_SAFE_INTEGER),
    minutes,
  } as const;
  const atMs = sinceBootMs();
  const to = await writeLease(git, { ...lease, untilMs: Date.now() + minutes * 60_000 });
  const pushed = await pushMoves(remote, [{ ref, from: from ?? "", to }]);
  refuseUntaken(remote, pushed);
  if (pushed.is === "taken") {
    await refuseTwoPlaces(remote, { ref, to });
    return new Holding(carrier, lease, { at: to, atMs, warn });
  }
  const heldBy = new MonocoError("conflict", t`another machine takes ${issue} at this moment`);
  return { heldBy, untilMs: Date.now() + askAgainMs };
}

function heldElsewhere(issue: string, lease: Lease, leftMs: number): Held {
  const nowMs = Date.now();
  const until = timeOf(nowMs + leftMs, nowMs);
  const heldBy = new MonocoError(
    "conflict",
    t`${issue} is being run by ${lease.who} on ${lease.host}; its lease ends at ${until}, unless it is renewed`,
    {
      hint: t`monoco status ${issue} --remote shows it; monoco stop ${issue} --remote ends its session with a handoff`,
    },
  );
  return { heldBy, untilMs: nowMs + Math.min(leftMs, askAgainMs) };
}

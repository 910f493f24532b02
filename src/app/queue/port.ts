/** The port of a queue: who may work on which issue. Local locks, leases in git, and pg-boss implement it. */
import type { MonocoError } from "../../core/error/error.ts";
import type { Relay, Shared } from "../../relay/relay.ts";

/** A runner's right to work on an issue until it releases it or loses it. */
export type Claim = {
  issue: string;
  /** Aborted when the claim is lost: the session of its holder must stop. Its reason is a MonocoError. */
  lost: AbortSignal;
  /** What the relay does on the remote, where the claim is one of several machines'. */
  shared?(relay: Pick<Relay, "journal">, base: string): Shared;
};

/** Why the issue cannot be claimed now; `untilMs` is when it is worth asking again. */
export type Held = { heldBy: MonocoError; untilMs?: number };

export type Queue<C extends Claim = Claim> = {
  /** Whether other machines work on the same issues: a remote may know more of a relay than this clone does. */
  readonly isRemote: boolean;
  /** Those of the issues that nobody is known to hold. Only `claim` decides. */
  ready(issues: readonly string[]): Promise<string[]>;
  claim(issue: string): Promise<C | Held>;
  /** Makes the claim last longer. False: somebody else has it, or it cannot be renewed; `lost` is aborted then. */
  renew(claim: C): Promise<boolean>;
  /** Gives the issue back. Never throws; nothing happens to a claim that is lost. */
  release(claim: C): Promise<void>;
};

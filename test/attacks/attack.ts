/** A row of the table of attacks: a payload, where monoco promises that it does not fire, and what shows that it is live. */

import type { Need } from "../support/namespaces.ts";

export const areas = ["git", "workspace", "reach", "forgery", "text"] as const;
export type Area = (typeof areas)[number];

/** The sandbox that monoco.yaml asks for: `vendors` and `closed` are bubblewrap with that network, and with none. */
export const stands = ["none", "bwrap", "vendors", "closed"] as const;
export type Stand = (typeof stands)[number];

export type Attack = {
  area: Area;
  name: string;
  /** Where it never fires. What is not promised may fire, and a row says why it does. */
  promised: "always" | "in the sandbox" | "without the network" | "nowhere";
  why?: string;
  /** Whether a session can be in a sandbox while it happens: else it is tried once. */
  stands: readonly Stand[];
  /** What it takes outside of a sandbox, and for its control. Without that it is skipped. */
  needs?: Need | undefined;
  /** Whether it fired against monoco. */
  fires(stand: Stand): Promise<boolean>;
  /** Whether the same payload fires with no defence of monoco's in its way: one that does not is no attack. */
  control(): Promise<boolean>;
};

/** Whether monoco promises that it does not fire there. */
export function isPromised({ promised }: Attack, stand: Stand): boolean {
  if (promised === "without the network") return ["vendors", "closed"].includes(stand);
  return promised === "always" || (promised === "in the sandbox" && stand !== "none");
}

/** Rows that share a relay: the first one plays it, for each stand once. */
export function shared<T>(play: (stand: Stand) => Promise<T>): (stand: Stand) => Promise<T> {
  const played = new Map<Stand, Promise<T>>();
  return (stand) => {
    const known = played.get(stand) ?? play(stand);
    played.set(stand, known);
    return known;
  };
}

/** The sandbox that a relay's sessions and checks ran in. */
import type { Opening } from "../journal/relay-state.ts";
import { networkModes } from "../settings/network.ts";
import type { NetworkMode } from "../settings/network.ts";

/** The most open network mode of the sessions. */
export function networkOf({ sessions }: Pick<Opening, "sessions">): NetworkMode {
  const left = sessions.map(({ started }) => started.network ?? "full");
  return networkModes.find((mode) => left.includes(mode)) ?? "full";
}

/** The name of a sandbox, with the network that it leaves open. */
export function sandboxName({ containment, network }: { containment: string; network: NetworkMode }): string {
  return network === "full" ? containment : `${containment}, network: ${network}`;
}

export function isSandbox(containment: string): boolean {
  return containment === "bubblewrap";
}

export type Held = { containment: string; isSandbox: boolean };

/** The weakest sandbox of all: a session without one could have changed the work of the others. In the journal's words. */
export function heldBy({ sessions, submissions }: Pick<Opening, "sessions" | "submissions">): Held {
  const checks = [
    ...sessions.map((one) => one.checks),
    ...submissions.flatMap((one) => [one.checks, one.mergeChecks]),
  ];
  const held = [
    ...checks.flatMap((one) => (one?.results.length ? (one.containment ?? []) : [])),
    ...sessions.map(({ started }) => started.containment),
  ];
  const outside = held.findLast((one) => !isSandbox(one)) ?? (held.length > 0 ? undefined : "process-group");
  return { containment: outside ?? "bubblewrap", isSandbox: outside === undefined };
}

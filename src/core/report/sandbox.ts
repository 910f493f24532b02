/** The sandbox that a relay's sessions ran in. */
import type { Opening } from "../journal/relay-state.ts";
import { networkModes } from "../settings/network.ts";
import type { NetworkMode } from "../settings/network.ts";

type Held = Pick<Opening, "sessions">;

/** The least that was closed to any of them. */
export function networkOf({ sessions }: Held): NetworkMode {
  const left = sessions.map(({ started }) => started.network ?? "full");
  return networkModes.find((mode) => left.includes(mode)) ?? "full";
}

/** The name of a sandbox, with what it leaves of the network. */
export function sandboxName({ containment, network }: { containment: string; network: NetworkMode }): string {
  return network === "full" ? containment : `${containment}, network: ${network}`;
}

/** What held all of them: one without a sandbox could have changed what the others did. The journal's word for it. */
export function heldBy({ sessions }: Held): string {
  const held = sessions.map(({ started }) => started.containment);
  return held.findLast((one) => one !== "bubblewrap") ?? held.at(-1) ?? "process-group";
}

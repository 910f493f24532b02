/** The sandbox that a relay's sessions ran in. */
import type { Opening } from "../journal/relay-state.ts";

/** What held all of them: one without a sandbox could have changed what the others did. The journal's word for it. */
export function heldBy({ sessions }: Pick<Opening, "sessions">): string {
  const held = sessions.map(({ started }) => started.containment);
  return held.findLast((one) => one !== "bubblewrap") ?? held.at(-1) ?? "process-group";
}

/** The sandbox that a relay's sessions and checks ran in. */
import type { Opening } from "../journal/relay-state.ts";

/** What held all of them: one without a sandbox could have changed what the others did. The journal's word for it. */
export function heldBy({ sessions, submissions }: Pick<Opening, "sessions" | "submissions">): string {
  const checks = [
    ...sessions.map((one) => one.checks),
    ...submissions.flatMap((one) => [one.checks, one.mergeChecks]),
  ];
  const held = [
    ...checks.flatMap((one) => (one?.results.length ? (one.containment ?? []) : [])),
    ...sessions.map(({ started }) => started.containment),
  ];
  return held.findLast((one) => one !== "bubblewrap") ?? held.at(-1) ?? "process-group";
}

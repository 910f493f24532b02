/** What a job was doing when its machine was thrown away, by the last thing that it had said. */
import type { JobRan } from "../../../test/support/workflow-runner.ts";

/** Later ones first. */
const phases = [
  ["after landing", /  (?:finished|merged|pull request|looked at)\b/],
  ["landing", /  merge of submission \d+ prepared/],
  ["reviewing", /  submission \d+: (?:commit|checks?|no checks|passed)/],
  ["in a session", /  session \d+ \(.*started/],
  ["after a session", /  (?:session \d+ ended|handoff of)/],
  ["beginning", /  (?:opened|resumed|adopted)|^nothing is wrong here/],
] as const;

export function phaseOf({ log }: JobRan): string {
  const lines = log.split("\n").toReversed();
  for (const line of lines) {
    const [phase] = phases.find(([, said]) => said.test(line)) ?? [];
    if (phase) return phase;
  }
  return "setting up";
}

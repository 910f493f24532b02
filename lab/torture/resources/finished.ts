/** Relays that were merged long ago: their journals, as a year of work leaves them. */
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { journal, merged, opened, prepared, review, submitted } from "../../../test/core/support/relays.ts";
import { lineOf } from "../../../src/store/chain.ts";

export const finishedId = (number: number): string => `CHORE-${String(number).padStart(5, "0")}`;

/** Writes the journals of `finishedId(1)` to `finishedId(count)`. */
export function finishedRelays(project: string, count: number): void {
  const events = journal([opened, ...submitted, ...review("approve"), prepared, merged]);
  for (let number = 1; number <= count; number += 1) {
    const issue = finishedId(number);
    const folder = join(project, ".monoco", "relays", issue);
    mkdirSync(folder, { recursive: true });
    const names = { issue, branch: `monoco/${issue}` };
    let prev = "";
    const lines = events.map((event) => {
      const chained = { ...event, prev, ...(event.type === "relay.opened" ? names : {}) };
      const line = lineOf(JSON.stringify(chained));
      prev = hash("sha256", line);
      return `${line}\n`;
    });
    writeFileSync(join(folder, "journal.jsonl"), lines.join(""));
  }
}

/** Events as stable words for grep. */
import { expect, test } from "vitest";
import { plainEvent } from "../../src/core/plain-event.ts";
import type { Step } from "./support/relays.ts";
import { blocked, ended, executor, failed, handoff, journal, opened } from "./support/relays.ts";

const lastOf = (...steps: Step[]): string => plainEvent(journal(steps).at(-1)!);

test.for<[string, string, string]>([
  [
    "a session's end",
    lastOf(opened, executor, 1500, ended("timeout", { costUsd: 0.5 })),
    `3 1970-01-01T00:00:01.500Z session.ended session=1 reason=timeout exitCode=0 head=${"c".repeat(39)}1 commits=1 filesChanged=1 progress=true durationMs=60000 costUsd=0.5`,
  ],
  [
    "a handoff, without its text",
    lastOf(opened, executor, ended("handed_over"), handoff),
    "4 1970-01-01T00:00:00.000Z handoff.recorded session=1 source=agent",
  ],
  [
    "a text with blanks and quotes stands in quotes",
    lastOf(opened, () => ({ ...blocked(), because: 'it says "no"' })),
    '2 1970-01-01T00:00:00.000Z relay.blocked rule=setup_failed because="it says \\"no\\""',
  ],
  [
    "nothing comes through that a terminal would obey (TRAP 44)",
    lastOf(opened, () => ({ ...blocked(), because: "a\u001b[31mb\nc" })),
    '2 1970-01-01T00:00:00.000Z relay.blocked rule=setup_failed because="ab c"',
  ],
])("%s", ([, line, expected]) => expect(line).toBe(expected));

test("whatever happens, it is one line that begins with number, time and type", () => {
  for (const event of journal([opened, ...failed])) {
    expect(plainEvent(event)).toMatch(new RegExp(`^${event.seq} 1970-\\S+ ${event.type}( [a-zA-Z]+=.+)?$`));
  }
});

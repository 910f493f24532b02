/** The closing question to each vendor's real CLI: the conversation of a session that ended is opened once more, and answers by schema. */
import { expect, test as base } from "vitest";
import { vendors } from "../../src/probe/vendors.ts";
import type { ModelRequest, Turn } from "../../src/probe/scripted-model.ts";
import { eventsOf, processesOf } from "../../test/support/cli.ts";
import { inWords } from "../../test/core/support/in-words.ts";
import { installedDirs } from "./installed.ts";
import { approved, endsOf, inForm, issue, makeStoryPlace, shellTurn, whole } from "./story.ts";

const question = "this session has ended without";
const done = { done: true, remaining: [], question: "", blockedBy: "" };

for (const name of ["claude", "codex", "gemini", "opencode"] as const) {
  base.skipIf(!installedDirs[name])(
    `${name} is asked once more, and its yes is put up for review`,
    async () => {
      const vendor = vendors[name];
      const answer = ({ tail }: ModelRequest): Turn =>
        tail.includes(question) ? inForm(vendor, done) : { text: "I stop here." };
      const place = await makeStoryPlace(
        vendor,
        [
          {
            match: "You are session 1 of its relay",
            turns: [shellTurn(vendor, whole, 20_000), ...Array.from({ length: 8 }, () => answer)],
          },
          { match: "You are the Reviewer", turns: [vendor.verdict(approved)] },
        ],
        "backoffSeconds: 0",
        true,
      );
      const ran = await place.monoco("run", issue);
      const events = eventsOf(place.project, issue);
      expect(endsOf(events), ran.stdout + ran.stderr + place.unmatched()).toEqual([
        [1, "completed_without_submit"],
        [2, "decided"],
      ]);
      expect(events.find((event) => event.type === "session.ended")).toMatchObject({
        closing: { done: true, remaining: [] },
      });
      expect(events.filter((event) => event.type === "signal.scored").map(inWords)).toMatchObject([
        { finished: true, because: "asked once more, it answered that it is done" },
      ]);
      // In the very conversation.
      const asked = place.model.requests.filter(({ tail }) => tail.includes(question));
      expect(asked).not.toHaveLength(0);
      expect(asked[0]!.messages.some(({ text }) => text.includes("You are session 1 of its relay"))).toBe(
        true,
      );
      expect(processesOf(place.sandbox.folder)).toEqual([]);
    },
  );
}

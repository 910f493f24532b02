/** The live tail of a session: plain, bounded lines, however much and whatever the agent prints. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openHere, placesFor } from "../../../src/app/here.ts";
import { openTail } from "../../../src/app/live/tail.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { viewJournal } from "../../../src/store/journal-view.ts";
import { within } from "../../../src/io/io.ts";
import { approves, openPlace, works } from "../../support/place.ts";

test("it begins at the end, follows what comes, skips a flood, and shows no escape of the agent's", async () => {
  const place = await openPlace({ executor: [works], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  await within({ cwd: place.project, env: place.sandbox.env }, async () => {
    const here = await openHere(place.project);
    const state = replay(viewJournal(placesFor(here, "FEAT-0001").journal));
    const last = state.sessions.at(-1)!;
    const { stream } = placesFor(here, "FEAT-0001").session(last.session, last.role);
    mkdirSync(dirname(stream), { recursive: true });
    const said = (text: string): string => `${text}\n`;
    writeFileSync(stream, said("x".repeat(300_000)) + said("first"));
    const tail = openTail(here, "FEAT-0001", state);
    expect(tail()).toEqual([{ is: "said", text: "first" }]);
    appendFileSync(stream, "half");
    expect(tail().length).toBe(1);
    appendFileSync(stream, " whole\u001b]0;title\u0007\u001b[2J\u202e!\n");
    expect(tail().at(-1)).toEqual({ is: "said", text: "half whole!" });
    for (let megabyte = 0; megabyte < 20; megabyte++) {
      appendFileSync(stream, said("flood ".repeat(20)).repeat(9_000));
      expect(tail().length).toBeLessThanOrEqual(200);
    }
    appendFileSync(stream, "z".repeat(10_000_000));
    tail();
    appendFileSync(stream, said("") + said("after"));
    expect(tail().at(-1)).toEqual({ is: "said", text: "after" });
    // A relay that was removed and run again has another first session.
    writeFileSync(stream, said("anew"));
    expect(tail()).toEqual([{ is: "said", text: "anew" }]);
    rmSync(stream);
    writeFileSync(stream, said("a longer line") + said("again"));
    expect(tail().map(({ text }) => text)).toEqual(["a longer line", "again"]);
    expect(Math.max(...tail().map(({ text }) => text.length))).toBeLessThanOrEqual(400);
  });
});

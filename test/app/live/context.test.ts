/** The context of a session that runs: each look reads what its agent has printed since the last one. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openHere, placesFor } from "../../../src/app/here.ts";
import { contextOf } from "../../../src/app/live/context.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { viewJournal } from "../../../src/store/journal-view.ts";
import { within } from "../../../src/io/io.ts";
import { approves, openPlace, works } from "../../support/place.ts";

test("it grows with the output, of which nothing is read twice, and begins anew with another file", async () => {
  const usage = { usage: { contextTokens: 130_000, windowTokens: 200_000 } };
  const place = await openPlace({ executor: [[usage, ...works]], reviewer: [approves] });
  await place.monoco("run", "FEAT-0001");
  await within({ cwd: place.project, env: place.sandbox.env }, async () => {
    const here = await openHere(place.project);
    const { opening } = replay(viewJournal(placesFor(here, "FEAT-0001").journal));
    const { ended: _ended, ...running } = opening!.sessions[0]!;
    const { stream } = placesFor(here, "FEAT-0001").session(running.session, running.role);
    const curve = (): number[] => contextOf(here, "FEAT-0001", running, opening!.settings).curve;
    const printed = readFileSync(stream, "utf8");
    expect(curve()).toEqual([130_000]);
    const [half, rest] = [printed.slice(0, 20), printed.slice(20)].map((text) =>
      text.replaceAll("130000", "140000"),
    );
    writeFileSync(stream, "\n".repeat(Buffer.byteLength(printed)));
    appendFileSync(stream, half!);
    expect(curve()).toEqual([130_000]);
    appendFileSync(stream, rest!);
    expect(curve()).toEqual([130_000, 140_000]);
    rmSync(stream);
    writeFileSync(stream, printed.replaceAll("130000", "150000"));
    expect(curve()).toEqual([150_000]);
  });
});

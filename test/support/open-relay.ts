/** The relay of FEAT-0001 in this process, with nobody running it. */
import { onTestFinished } from "vitest";
import { openHere } from "../../src/app/here.ts";
import type { Here } from "../../src/app/here.ts";
import { settledHere } from "../../src/app/settings.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../src/app/wire.ts";
import { openOrResume } from "../../src/relay/open.ts";
import { openRelay } from "../../src/relay/relay.ts";
import type { Relay } from "../../src/relay/relay.ts";
import { approves, openPlace, works } from "./place.ts";
import type { Place } from "./place.ts";

/** `open` opens it, or resumes it. */
export type RelayHere = { place: Place; here: Here; relay: Relay; open(): Promise<void> };

export async function relayHere(
  interrupt = new AbortController().signal,
  executor: unknown[] = works,
  settings = "",
): Promise<RelayHere> {
  const place = await openPlace({ executor: [executor], reviewer: [approves] }, { settings });
  const before = { ...process.env };
  onTestFinished(() => void (process.env = before));
  Object.assign(process.env, place.sandbox.env);
  const here = await openHere(place.project);
  layOut(here);
  const control = { interrupt };
  const relay = openRelay(setUpRelay(here, "FEAT-0001", { control, onProgress: () => undefined }));
  const open = async (): Promise<void> => {
    const found = await findIssueOnBase(here, "FEAT-0001", "main");
    await openOrResume(relay, loadTerms(here, settledHere(here)), found);
  };
  return { place, here, relay, open };
}

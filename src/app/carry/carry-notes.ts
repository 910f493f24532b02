/** Carries the notes of all merges, which share one ref: fetched, joined and pushed again until the remote takes them. */
import { notesRefOf } from "../../core/carry/sides.ts";
import type { Outcome } from "../../core/carry/outcome.ts";
import { notesRoundsMax } from "../../core/carry/limits.ts";
import { joinNotes, notesThere } from "../../git/carry/notes.ts";
import { notesRef } from "../../git/notes/notes.ts";
import { fetchRemote, listRemote, pushMoves } from "../../git/carry/remote.ts";
import { commitOf } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { waitForLock } from "../../relay/wait-for-lock.ts";
import { repositoryPlaces as placesOf } from "../../store/places.ts";
import { secretsLeaving } from "./scan.ts";
import type { Carrier } from "./own.ts";
import type { PushOf } from "./push.ts";

/** Fetches the remote's notes and joins them in; undefined if there are none there. */
export async function pullNotes(carrier: Carrier, listed: PushOf["listed"]): Promise<Outcome | undefined> {
  const { here, remote, settings } = carrier;
  const { git } = here.repository;
  const ref = notesRefOf(settings.namespace);
  if (!listed.has(ref)) return undefined;
  const before = await commitOf(git, notesRef);
  await fetchRemote(remote, [`+${ref}:${notesThere}`]);
  const there = await commitOf(git, notesThere);
  if (!there) return undefined;
  const joined = await alone(carrier, () => joinNotes(git, there));
  if (joined === undefined) return { is: "changed" };
  if (joined === before) return { is: "up_to_date", commit: joined };
  return { is: "pulled", commit: joined, refs: 1, begins: false, kept: [] };
}

/** A merge that records its note at this moment moves the ref whatever it is by then. */
async function alone<T>({ here }: Carrier, act: () => Promise<T>): Promise<T> {
  const repositoryPlaces = placesOf(here.repository.root, io().env);
  const control = { interrupt: new AbortController().signal };
  const lock = await waitForLock({ repositoryPlaces, control }, "notes", "");
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** Joins the notes with the remote's and pushes them; returns undefined if there are none here. */
export async function pushNotes(carrier: Carrier, { listed, allowed }: PushOf): Promise<Outcome | undefined> {
  const { here, remote, settings } = carrier;
  const { git } = here.repository;
  const ref = notesRefOf(settings.namespace);
  let refsNow = listed;
  for (let round = 0; round < notesRoundsMax; round += 1) {
    if (round > 0) refsNow = await listRemote(remote);
    // Pushed without them, they would take the place of the remote's.
    const pulled = await pullNotes(carrier, refsNow);
    if (pulled?.is === "changed") return pulled;
    // What was fetched may be newer than the list.
    const from = refsNow.has(ref) ? await commitOf(git, notesThere) : "";
    const to = await commitOf(git, notesRef);
    if (to === undefined || from === undefined) return undefined;
    if (to === from) return { is: "up_to_date", commit: to };
    const held = [...refsNow.values(), from].filter((one) => one !== "");
    const found = await secretsLeaving(git, { tips: [to], held, allowed, wordsOf: () => "notes" });
    if (found.length > 0) return { is: "secrets", found };
    const pushed = await pushMoves(remote, [{ ref, from, to }]);
    if (pushed.is === "taken") return { is: "pushed", commit: to, refs: 1 };
    if (pushed.is !== "moved") return pushed;
  }
  return { is: "moved" };
}

/** A relay that can be begun again and again at each of its stages: its place is copied there, and copied back. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../../src/git/folders.ts";
import { eventsOf } from "../../../test/support/cli.ts";
import { leftRunning } from "../place/ending.ts";
import { openPlace } from "../place/place.ts";
import type { Place } from "../place/place.ts";

export const issue = "FEAT-0001";

/** `until`: the event that ends it, by the first of that name. The next begins where the runner was killed as it had written that. */
export const stages = [
  { name: "session 1", until: "handoff.recorded" },
  { name: "session 2", until: "submission.requested" },
  { name: "review", until: "review.decided" },
  { name: "merge" },
] as const;

/** `copies`: of the place, one for each stage that was reached so far. */
export type Ground = { place: Place; copies: string[] };

export async function openGround(): Promise<Ground> {
  const ground: Ground = { place: await openPlace([issue]), copies: [] };
  await copy(ground);
  return ground;
}

export function closeGround({ place, copies }: Ground): void {
  place.sandbox.dispose();
  for (const one of copies) removeTree(one);
}

/** Puts the place back to the stage, at the same paths. */
export async function goBack({ place, copies }: Ground, stage: number): Promise<void> {
  const { folder } = place.sandbox;
  await place.sandbox.sh(
    "/",
    `find '${folder}' -mindepth 1 -delete && cp -a '${copies[stage]}/.' '${folder}'`,
  );
}

/** Copies the place where the run that begins at the last stage has written so many events, and is killed. */
export async function goOn(ground: Ground, events: number): Promise<void> {
  const { place } = ground;
  await goBack(ground, ground.copies.length - 1);
  const kill = ["-e", "trace=fsync", "-e", `inject=fsync:signal=SIGKILL:when=${events}`];
  const ran = await begin(place, [...stracing("/dev/null"), "-P", journalOf(place), ...kill]);
  const left = await leftRunning(place);
  if (ran.signal !== "SIGKILL" || left.length > 0)
    throw new Error(`stage ${ground.copies.length + 1} is not reached: ${left.join("; ") || ran.stderr}`);
  await copy(ground);
}

async function copy({ place, copies }: Ground): Promise<void> {
  const to = `${place.sandbox.folder}.${copies.length}`;
  await place.sandbox.sh("/", `cp -a '${place.sandbox.folder}' '${to}'`);
  copies.push(to);
}

/** Starts the relay, or resumes it where it is open. */
export function begin(
  place: Place,
  under: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ReturnType<Place["start"]> {
  const args = eventNames(place).includes("relay.opened") ? ["relay", "resume", issue] : ["run", issue];
  return place.start(args, under, env);
}

export const journalOf = ({ project }: Place): string =>
  join(project, ".monoco", "relays", issue, "journal.jsonl");

/** None where there is no journal yet. */
export function eventNames({ project }: Place): string[] {
  return eventsOf(project, issue).map(({ type }) => type);
}

/** When the event of that number (from 1) was written, in the log of a runner. */
export function writtenAt(log: string, place: Place, event: number): number {
  const syncs = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => / fsync\(/.test(line) && line.includes(`<${journalOf(place)}>`));
  return Number(/^\d+ +([\d.]+) /.exec(syncs[event - 1] ?? "")?.[1]);
}

/** All threads of the program, but none of what it starts: strace lets go of a child that becomes another program. */
export const stracing = (log: string): string[] => ["strace", "-f", "-b", "execve", "-y", "-o", log];

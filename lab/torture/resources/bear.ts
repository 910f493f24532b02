/** A relay that bears one strain: it goes to its end under it, or says in words why not and does so once the strain is gone. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import type { SmallDisk } from "../../../test/support/small-disk.ts";
import { commitsOf, wrongIn } from "../place/ending.ts";
import { openPlace } from "../place/place.ts";
import type { Place, Ran, Running } from "../place/place.ts";
import { within } from "../place/stall.ts";
import { finishedRelays } from "./finished.ts";
import type { Strain } from "./strains.ts";

/** `bore`: the relay went to its end under the strain. `peakMB`: the most memory that a runner took. */
export type Bore = { bore: boolean; peakMB: number; wrong: string[] };

/** More than an undisturbed relay's 130 MB, and less than what it is given to read. */
const peakMBMax = 220;
/** A run that is still at it is ended as by Ctrl-C: it may wait for the breaker, or for room. */
const runMsMax = 120_000;
/** Resumed once, a relay goes on; a breaker that dead sessions have opened may want it again. */
const resumesMax = 3;
const issue = "FEAT-0001";
const runner = fileURLToPath(new URL("runner.mjs", import.meta.url));

export async function bear(strain: Strain): Promise<Bore> {
  const place = await openPlace([issue], 0, strain);
  const disk = await diskOf(strain, place);
  try {
    return await within(place, AbortSignal.timeout(strainMsMax), boreIn(place, strain, disk));
  } finally {
    await disk?.unmount();
    place.sandbox.dispose();
  }
}

/** Building a repository of 100,000 files takes a minute of it. */
const strainMsMax = 600_000;

async function boreIn(place: Place, strain: Strain, disk: SmallDisk | undefined): Promise<Bore> {
  const { sandbox } = place;
  const as = await userOf(strain, place);
  const under = [...(disk?.under(place.project) ?? []), ...as, ...(strain.under ?? [])];
  if (strain.finished !== undefined) finishedRelays(place.project, strain.finished);
  if (strain.disk?.readOnly) await disk?.sh('mount -o remount,ro "$1"');
  await sandbox.sh(sandbox.folder, strain.strained ?? ":");
  let ran = await strained(place, strain, under);
  const bore = ran.exitCode === 0;
  const said = `${ran.stdout}\n${ran.stderr}`;
  const before = await commitsOf(place);
  await disk?.sh('mount -o remount,rw,size=256m,nr_inodes=0 "$1"');
  await sandbox.sh(sandbox.folder, strain.relieved ?? ":");
  for (let turn = 0; turn < resumesMax && ran.exitCode !== 0; turn++)
    ran = await start(place, [...(disk?.under(place.project) ?? []), ...as], {});
  const looked = strain.finished === undefined ? [] : await wrongInLooks(place, strain.finished);
  await sandbox.sh(sandbox.folder, "chown -R 0:0 .");
  const peakMB = Math.max(...readFileSync(peaks(place), "utf8").trim().split("\n").map(Number));
  const wrong = [
    ...(/a bug in monoco|\n\s+at .*\(.*:\d+:\d+\)/.test(said) ? [`it says ${lastOf(said)}`] : []),
    ...(ran.exitCode === 0 ? [] : [`not done without it: ${lastOf(`${ran.stdout}\n${ran.stderr}`)}`]),
    ...(peakMB <= peakMBMax ? [] : [`${peakMB} MB of memory`]),
    ...looked,
    ...(await wrongIn(place, before)),
  ];
  return { bore, peakMB, wrong: wrong.map((one) => `${strain.name}: ${one}`) };
}

/** A command line that runs a program as the strain's user, who gets the whole place. */
async function userOf({ user }: Strain, { sandbox }: Place): Promise<readonly string[]> {
  if (user === undefined) return [];
  await sandbox.sh(sandbox.folder, `chown -R ${user}:${user} .`);
  return ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
}

/** What is seen of a relay that was merged among many, by commands that take no more memory than a run. */
async function wrongInLooks(place: Place, finished: number): Promise<string[]> {
  const status = await look(place, ["relay", "status", "--all", "--json"]);
  const inbox = await look(place, ["inbox", "--json"]);
  const needing = await look(place, ["inbox", "--ids", "--all"]);
  const listed = new Set(status.stdout.match(/(?:CHORE|FEAT)-\d+/g));
  return [
    ...[status, inbox, needing].flatMap((ran) =>
      ran.exitCode === 0 ? [] : [`a look says ${lastOf(ran.stderr)}`],
    ),
    ...(listed.size === finished + 1 ? [] : [`status lists ${listed.size} of ${finished + 1} relays`]),
    ...(needing.stdout === "" ? [] : [`the inbox has ${needing.stdout.slice(0, 200)}`]),
  ];
}

async function diskOf({ disk }: Strain, { sandbox }: Place): Promise<SmallDisk | undefined> {
  return disk && mountSmallDisk(sandbox.env["XDG_STATE_HOME"]!, disk.mebibytes, disk.files);
}

/** All runs that have a clock of their own, the last of which goes to the end; what that one came to. */
async function strained(place: Place, strain: Strain, under: readonly string[]): Promise<Ran> {
  const clocks = strain.clocks ?? [0];
  for (const [at, clock] of clocks.entries()) {
    const env = strain.timezone === undefined ? {} : { TZ: strain.timezone };
    const running = start(place, under, env, clock);
    if (at === clocks.length - 1) return endedLate(running);
    await said(place, `start ${issue} executor 2`);
    running.kill("SIGINT");
    await running;
  }
  throw new Error("a strain without a run");
}

async function endedLate(running: Running): Promise<Ran> {
  const timer = setTimeout(() => running.kill("SIGINT"), runMsMax);
  return running.finally(() => clearTimeout(timer));
}

function start(place: Place, under: readonly string[], env: Readonly<Record<string, string>>, clock = 0) {
  const isOpen = existsSync(join(place.project, ".monoco", "relays", issue, "journal.jsonl"));
  const options = weighed(place, clock);
  return place.start([...(isOpen ? ["relay", "resume"] : ["run"]), issue], under, { ...env, ...options });
}

const look = (place: Place, args: readonly string[]): Running => place.start(args, [], weighed(place));

/** Has the program note its memory. */
function weighed(place: Place, clock = 0): { NODE_OPTIONS: string } {
  const asked = new URLSearchParams({ peak: peaks(place), shift: String(clock) });
  return { NODE_OPTIONS: `--import=${runner}?${asked.toString()}` };
}

const peaks = ({ sandbox }: Place): string => join(sandbox.folder, "peaks");
const lastOf = (text: string): string => text.trim().split("\n").slice(-6).join(" | ");

/** Resolves once an agent has written the line. */
async function said({ agentsLog }: Place, line: string): Promise<void> {
  while (!existsSync(agentsLog) || !readFileSync(agentsLog, "utf8").includes(line))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

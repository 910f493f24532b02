/** One relay under strace: to learn its calls, or to be met at one of them and then finished. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitsOf, leftLocks, locksToRemove, takeBackMerge, wrongIn } from "../place/ending.ts";
import type { Place, Ran } from "../place/place.ts";
import { within } from "../place/stall.ts";
import { begin, eventNames, goBack, goOn, issue, stages, stracing, writtenAt } from "./ground.ts";
import type { Ground } from "./ground.ts";
import { injection, isNodesOwn, nameOf } from "./points.ts";
import type { Point } from "./points.ts";
import { callsIn, traced } from "../../../test/support/strace.ts";
import type { Call } from "../../../test/support/strace.ts";

const counting = fileURLToPath(new URL("git.sh", import.meta.url));

/** Where a program is on the PATH. */
export function placeOf(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** The calls of a stage, and how many events a run from there writes until it ends. */
type Learnt = { calls: Call[]; events: number };

/** All calls of a relay that nobody disturbs, by the stage at which they are met; `ground` gets a copy of each. */
export async function learn(ground: Ground): Promise<Learnt[]> {
  const learnt: Learnt[] = [];
  for (const at of stages.keys()) {
    if (at > 0) await goOn(ground, learnt[at - 1]!.events);
    learnt.push(await learnStage(ground, at));
  }
  return learnt;
}

/** The calls of the runner, and those of each git that it starts, from the beginning of the stage to its end. */
export async function learnStage(ground: Ground, at: number): Promise<Learnt> {
  const { place } = ground;
  await goBack(ground, at);
  const folder = gitsOf(place, { nth: "every" });
  const log = join(place.sandbox.folder, "runner.log");
  const had = eventNames(place).length;
  const ran = await begin(place, [...stracing(log), "-ttt", "-e", `trace=${traced}`], {
    PATH: pathOf(folder),
  });
  if (ran.exitCode !== 0) throw new Error(`an undisturbed relay ends with ${saidBy(ran)}`);
  const wrong = await wrongIn(place, []);
  if (wrong.length > 0) throw new Error(`an undisturbed relay: ${wrong.join("; ")}`);
  const { name: stage, until: last } = { until: undefined, ...stages[at]! };
  const written = eventNames(place).slice(had);
  const events = last === undefined ? written.length : written.indexOf(last) + 1;
  const until = last === undefined ? Infinity : writtenAt(log, place, events);
  const read = (path: string, owner: string): Call[] =>
    callsIn(readFileSync(path, "utf8"), { folder: place.sandbox.folder, stage, owner, until });
  const gits = readdirSync(folder)
    .filter((name) => name.startsWith("log."))
    .flatMap((name) => read(join(folder, name), name.slice("log.".length)));
  return { calls: [...read(log, "runner"), ...gits], events };
}

/** `met`: the run came to the point. `over`: it reached its end all the same. `asked`: a person had to help. */
export type Met = { met: boolean; over: boolean; asked: boolean; wrong: string[] };

/**
 * The relay of the ground, from the stage of the point on: met there, and resumed once. Numbers of calls vary a little from run
 * to run: where Node's own call came to this one, which fails on no machine, and for which Node may wait for ever, it is tried again.
 */
export async function meet(ground: Ground, point: Point): Promise<Met> {
  for (let left = triesMax; ; left--) {
    const meeting = metIn(ground, point);
    const met = within(ground.place, AbortSignal.timeout(pointMsMax), meeting);
    const came = await met.catch(async (error: unknown) => {
      if (!isNodesOwn(loggedIn(ground.place))) throw error;
      // What was given up can start nothing more, and comes to its end.
      await meeting.catch(() => undefined);
      ground.place.open();
      return { met: false, over: false, asked: false, wrong: [] };
    });
    if (left === 1 || came.wrong.length > 0 || !isNodesOwn(loggedIn(ground.place))) return came;
  }
}

const triesMax = 3;

/** Many times what a point takes alone. */
const pointMsMax = 300_000;

async function metIn(ground: Ground, point: Point): Promise<Met> {
  const { place } = ground;
  await goBack(
    ground,
    stages.findIndex(({ name }) => name === point.stage),
  );
  const ran = await disturbed(place, point);
  const before = await commitsOf(place);
  const over = ran.exitCode === 0;
  let again = over ? ran : await begin(place);
  const asked = await doAsTold(point, place, `${ran.stdout}\n${again.stdout}`, again.exitCode === 0);
  if (asked && again.exitCode !== 0) again = await place.start(["relay", "resume", issue]);
  const wrong = await wrongIn(place, before);
  if (again.exitCode !== 0) wrong.unshift(`resumed, it ends with ${saidBy(again)}`);
  return { met: wasMet(place, ran), over, asked, wrong: wrong.map((one) => `${nameOf(point)}: ${one}`) };
}

/**
 * A git that is killed leaves its locks in the person's repository, and files half moved along: nobody can tell them from what
 * the person's own git is at. Monoco says what is to be done, and this does it. After a merge all the same, only locks are left.
 */
async function doAsTold({ owner }: Point, place: Place, said: string, merged: boolean): Promise<boolean> {
  if (owner === "runner") return false;
  const locks = merged
    ? leftLocks(place.project).map((lock) => join(place.project, ".git", lock))
    : locksToRemove(said);
  for (const lock of locks) rmSync(lock);
  const isPutBack = !merged && (await takeBackMerge(place, said));
  return locks.length > 0 || isPutBack;
}

function disturbed(place: Place, point: Point): Promise<Ran> {
  const inject = injection(point);
  if (point.owner !== "runner") {
    const env = { PATH: pathOf(gitsOf(place, { nth: point.owner, inject })) };
    return begin(place, [], env);
  }
  // The same PATH as when its calls were learnt, but nobody counts its gits.
  mkdirSync(gitsFolder(place));
  symlinkSync(placeOf("git")!, join(gitsFolder(place), "git"));
  const env = { PATH: pathOf(gitsFolder(place)) };
  const log = join(gitsFolder(place), "met.log");
  return begin(place, [...stracing(log), "-e", `trace=${point.call}`, "-e", `inject=${inject}`], env);
}

/** A kill is logged of every thread, an error as `(INJECTED)`. */
function wasMet(place: Place, ran: Ran): boolean {
  return ran.signal === "SIGKILL" || /\(INJECTED\)|killed by SIGKILL/.test(loggedIn(place));
}

/** What strace has logged of the calls of that name. */
function loggedIn(place: Place): string {
  const log = join(gitsFolder(place), "met.log");
  return existsSync(log) ? readFileSync(log, "utf8") : "";
}

const gitsFolder = ({ sandbox }: Place): string => join(sandbox.folder, "gits");

/** Puts the counting git into a folder for the PATH; agents come by it too, and only count. */
function gitsOf(place: Place, { nth, inject = "" }: { nth: string; inject?: string }): string {
  const folder = gitsFolder(place);
  mkdirSync(folder);
  copyFileSync(counting, join(folder, "git"));
  chmodSync(join(folder, "git"), 0o755);
  const settings = {
    NTH: nth,
    INJECT: inject,
    TRACED: nth === "every" ? traced : inject.split(":")[0]!,
    GIT: placeOf("git"),
    STRACE: placeOf("strace"),
  };
  writeFileSync(
    join(folder, "settings"),
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(""),
  );
  return folder;
}

const pathOf = (folder: string): string => `${folder}${delimiter}${process.env["PATH"]}`;

function saidBy({ exitCode, signal, stdout, stderr }: Ran): string {
  return `${signal ?? `exit code ${exitCode}`}: ${`${stdout}\n${stderr}`.trim().split("\n").slice(-3).join(" | ")}`;
}

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
import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventsOf } from "../../../test/support/cli.ts";
import { commitsOf, leftLocks, wrongIn } from "../place/ending.ts";
import { openPlace } from "../place/place.ts";
import type { Place, Ran } from "../place/place.ts";
import { within } from "../place/stall.ts";
import { callsIn, injection, nameOf, traced } from "./points.ts";
import type { Call, Point } from "./points.ts";

const issue = "FEAT-0001";

const counting = fileURLToPath(new URL("git.sh", import.meta.url));

/** Where a program is on the PATH. */
export function placeOf(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** All calls of a relay that nobody disturbs: the runner's own, and those of each git that it starts. */
export async function learnCalls(): Promise<Call[]> {
  const place = await openPlace([issue]);
  try {
    const folder = gitsOf(place, { nth: "every" });
    const log = join(place.sandbox.folder, "runner.log");
    const ran = await place.start(["run", issue], [...stracing(log), "-e", `trace=${traced}`], {
      PATH: pathOf(folder),
    });
    if (ran.exitCode !== 0) throw new Error(`an undisturbed relay ends with ${saidBy(ran)}`);
    const wrong = await wrongIn(place, []);
    if (wrong.length > 0) throw new Error(`an undisturbed relay: ${wrong.join("; ")}`);
    const gits = readdirSync(folder)
      .filter((name) => name.startsWith("log."))
      .flatMap((name) =>
        callsIn(readFileSync(join(folder, name), "utf8"), place.sandbox.folder, name.slice("log.".length)),
      );
    return [...callsIn(readFileSync(log, "utf8"), place.sandbox.folder, "runner"), ...gits];
  } finally {
    place.sandbox.dispose();
  }
}

/** `met`: the run came to the point. `over`: it reached its end all the same. `asked`: a person had to help. */
export type Met = { met: boolean; over: boolean; asked: boolean; wrong: string[] };

/** A relay of its own that is met at the point, and resumed once. */
export async function meet(point: Point): Promise<Met> {
  const place = await openPlace([issue]);
  try {
    return await within(place, AbortSignal.timeout(pointMsMax), metIn(place, point));
  } finally {
    place.sandbox.dispose();
  }
}

/** A point takes 5 s alone. */
const pointMsMax = 300_000;

async function metIn(place: Place, point: Point): Promise<Met> {
  const ran = await disturbed(place, point);
  const before = await commitsOf(place);
  const open = eventsOf(place.project, issue).some(({ type }) => type === "relay.opened");
  const over = ran.exitCode === 0;
  let again = over ? ran : await place.start(open ? ["relay", "resume", issue] : ["run", issue]);
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
async function doAsTold(
  { owner }: Point,
  { sandbox, project }: Place,
  said: string,
  merged: boolean,
): Promise<boolean> {
  if (owner === "runner") return false;
  const locks = merged || said.includes("remove that lock") ? leftLocks(project) : [];
  for (const lock of locks) rmSync(join(project, ".git", lock));
  const restores = !merged && said.includes("`git restore .`");
  if (restores) await sandbox.git(project, "restore", ".");
  return locks.length > 0 || restores;
}

function disturbed(place: Place, point: Point): Promise<Ran> {
  const inject = injection(point);
  if (point.owner !== "runner") {
    const env = { PATH: pathOf(gitsOf(place, { nth: point.owner, inject })) };
    return place.start(["run", issue], [], env);
  }
  // The same PATH as when its calls were learnt, but nobody counts its gits.
  mkdirSync(gitsFolder(place));
  symlinkSync(placeOf("git")!, join(gitsFolder(place), "git"));
  const env = { PATH: pathOf(gitsFolder(place)) };
  const log = join(gitsFolder(place), "met.log");
  return place.start(
    ["run", issue],
    [...stracing(log), "-e", `trace=${point.call}`, "-e", `inject=${inject}`],
    env,
  );
}

/** A kill is logged of every thread, an error as `(INJECTED)`. */
function wasMet(place: Place, ran: Ran): boolean {
  const log = join(gitsFolder(place), "met.log");
  if (ran.signal === "SIGKILL") return true;
  return existsSync(log) && /\(INJECTED\)|killed by SIGKILL/.test(readFileSync(log, "utf8"));
}

/** All threads of the program, but none of what it starts: strace lets go of a child that becomes another program. */
const stracing = (log: string): string[] => ["strace", "-f", "-b", "execve", "-y", "-o", log];

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
    TRACED: traced,
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

/** Whether strace is there and allowed to trace: containers forbid it at times. */
export function straceWorks(): boolean {
  try {
    execFileSync("strace", ["-f", "-b", "execve", "-o", "/dev/null", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

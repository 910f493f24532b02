/** What a relay has to have come to, whatever met it on its way; each thing that is not so, in words. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { eventsOf, processesOf } from "../../../test/support/cli.ts";
import type { RelayEvent } from "../../../src/index.ts";
import { pathOf } from "./place.ts";
import type { Place } from "./place.ts";

/** A guard takes a second to end its git after its runner (gitKillSeconds), and a busy machine some more. */
const leftSecondsMax = 10;

/** `before`: the commits that were there when the relay was met. */
export async function wrongIn(place: Place, before: readonly string[]): Promise<string[]> {
  return [
    ...(await wrongInRepository(place)),
    ...(await Promise.all(place.issues.map((issue) => wrongOnBase(place, issue)))).flat(),
    ...(await lostCommits(place, before)),
    ...place.issues.flatMap((issue) => wrongInJournal(place, issue)),
    ...(/OVERLAP.*/.exec(readFileSync(place.agentsLog, "utf8")) ?? []),
    ...(await leftRunning(place)).map((process) => `still runs: ${process}`),
    ...leftLocks(place.project).map((lock) => `lock left: ${lock}`),
  ];
}

/** Without merges that are prepared: a relay that was blocked meanwhile makes its merge anew, of the same work. */
export async function commitsOf({ sandbox, project }: Place): Promise<string[]> {
  const prepared = ["--invert-grep", "--grep", "^Monoco-Issue: "];
  // The place may be another user's.
  return (await sandbox.git(project, "-c", "safe.directory=*", "rev-list", "--all", ...prepared))
    .split("\n")
    .filter(Boolean);
}

async function wrongInRepository({ sandbox, project, issues }: Place): Promise<string[]> {
  const git = (...args: string[]): Promise<string> => sandbox.git(project, ...args);
  const files = (await git("ls-tree", "-r", "--name-only", "main"))
    .split("\n")
    .filter((name) => !name.startsWith("many/") && !name.startsWith("issues/CHORE-"));
  const expected = ["monoco.yaml", ...issues.flatMap((issue) => [pathOf(issue), `${issue}.sh`])].toSorted();
  const status = await git("status", "--porcelain");
  const damage = await git("fsck", "--no-dangling", "--no-progress").catch((error: unknown) => String(error));
  return [
    ...(files.toSorted().join() === expected.join() ? [] : [`files on main: ${files.join("\n")}`]),
    ...(status === "" ? [] : [`git status: ${status}`]),
    ...(damage === "" ? [] : [`git fsck: ${damage}`]),
  ];
}

async function wrongOnBase({ sandbox, project }: Place, issue: string): Promise<string[]> {
  const git = (...args: string[]): Promise<string> => sandbox.git(project, ...args);
  const merges = await git("log", "--grep", `^Monoco-Issue: ${issue}$`, "--format=%H", "main");
  const work = await git("show", `main:${issue}.sh`).catch(() => "");
  const text = await git("show", `main:${pathOf(issue)}`).catch(() => "");
  return [
    ...(merges.split("\n").length === 1 && merges !== "" ? [] : [`merges on main: ${merges || "none"}`]),
    ...(work === "echo one\necho two" ? [] : [`${issue}.sh on main is ${JSON.stringify(work)}`]),
    ...(/^status: closed$/m.test(text) ? [] : [`${issue} is not closed on main`]),
  ];
}

async function lostCommits(place: Place, before: readonly string[]): Promise<string[]> {
  const after = new Set(await commitsOf(place));
  return before.filter((commit) => !after.has(commit)).map((commit) => `commit lost: ${commit}`);
}

function wrongInJournal({ project }: Place, issue: string): string[] {
  let events: RelayEvent[];
  try {
    events = eventsOf(project, issue);
  } catch (error) {
    return [`the journal does not replay: ${String(error)}`];
  }
  const merged = events.filter(({ type }) => type === "merge.done").length;
  const started = events.flatMap((event) => (event.type === "session.started" ? [event.session] : []));
  const ended = events.flatMap((event) => (event.type === "session.ended" ? [event.session] : []));
  return [
    ...(merged === 1 ? [] : [`${issue}: ${merged} events merge.done`]),
    ...(new Set(started).size === started.length ? [] : [`${issue}: sessions started: ${started.join(" ")}`]),
    ...(started.join() === ended.join()
      ? []
      : [`${issue}: sessions started ${started.join()}, ended ${ended.join()}`]),
  ];
}

/** What still runs once all of it had time to end. */
export async function leftRunning({ sandbox }: Place): Promise<string[]> {
  const deadline = Date.now() + leftSecondsMax * 1_000;
  for (;;) {
    const left = processesOf(sandbox.folder);
    if (left.length === 0 || Date.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Git's locks are files: one that stays stops the next git. */
export function leftLocks(project: string): string[] {
  const folder = join(project, ".git");
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
}

/** The locks of a killed git that a run's hint tells a person to remove: monoco cannot tell them from those of the person's own git. */
export function locksToRemove(said: string): string[] {
  return [...said.matchAll(/\brm ((?:\/\S+\.lock ?)+)/g)].flatMap(([, paths = ""]) =>
    paths.replace(/,$/, "").trim().split(" "),
  );
}

/** Takes back what a killed merge left in the checkout, as its hint asks a person to: nobody else works there. */
export async function takeBackMerge({ sandbox, project }: Place, said: string): Promise<boolean> {
  const isLeft = /it has uncommitted changes|would be overwritten by merge|`git restore \.`/.test(said);
  if (!isLeft || said.includes("wait for the git")) return false;
  await sandbox.git(project, "reset", "--quiet", "--hard");
  await sandbox.git(project, "clean", "--quiet", "--force", "-d");
  return true;
}

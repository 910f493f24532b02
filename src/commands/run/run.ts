/** monoco run and monoco resume: the runner, in the foreground, for one issue or several. */
import type { Readable } from "node:stream";
import { exitCodes, MonocoError } from "../../core/error/error.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { systemClock } from "../../relay/clock.ts";
import type { Relay } from "../../relay/relay.ts";
import { issuesHandedOver } from "../../store/handovers.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { sharedFileSystem } from "../../store/file-system.ts";
import { tellFailure } from "../../views/failure.ts";
import { openNotifier } from "./notifier.ts";
import { adviceWords } from "../../views/hint.ts";
import { openScreen } from "../../views/terminal.ts";
import { commentOnSource } from "./finish-comment.ts";
import { homeAhead } from "../../app/wire.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { hiddenWords, lentWords, refusedWords, showsWords } from "../../core/home/home-files.ts";
import { freshBase } from "../../app/fresh-base.ts";
import { claimsBy } from "../../app/queue/claims.ts";
import type { Claims } from "../../app/queue/claims.ts";
import { followedBase } from "../../app/lease/base.ts";
import { queueOf, resumed } from "../../app/queue/queue.ts";
import type { RunQueue } from "../../app/queue/queue.ts";
import { untilSignal, untilTime } from "./until.ts";
import { openWaiter } from "./waiting.ts";
import type { Waiter } from "./waiting.ts";
import { validId } from "../../app/valid-id.ts";
import { relayOrHere } from "../../app/here.ts";
import { noteRepository } from "../../app/live/everywhere.ts";
import type { Here } from "../../app/here.ts";
import { io } from "../../io/io.ts";
import { joinedFleet } from "../fleet/joined.ts";
import { keepGit } from "../../git/git.ts";
import { runOne } from "./one-issue.ts";
import type { Screen } from "../../views/terminal.ts";
import { listenForInterrupt, stopWords } from "./interrupt.ts";
import { runHere, queueFlags, waivedFor } from "./run-flags.ts";
import type { InForce, RunFlags } from "./run-flags.ts";
import { t } from "../../core/language/translate.ts";

/** Exit codes from the worst to the best, for a run of several issues. */
export const worstFirst = [70, 2, 4, 3, 130, 1, 75, 0];

/** Runs every issue to its rest, at most `jobs` at once; resolves to the exit code of the worst. */
export async function run(ids: string[], flags: RunFlags): Promise<number> {
  if (!flags.detach) return runHereAndNow(ids, flags, () => undefined);
  if (flags.database !== undefined)
    throw new MonocoError("input", t`--database would be in the log of a run in the background`, {
      hint: t`put the address in MONOCO_DATABASE`,
    });
  const { detach } = await import("../background/detach.ts");
  return detach(ids, flags, (begins) => runHereAndNow(ids, flags, begins));
}

/** `begins` is called whenever a relay does something, or the run waits for work. */
async function runHereAndNow(ids: string[], flags: RunFlags, begins: () => void): Promise<number> {
  const kept: (() => void | Promise<void>)[] = [];
  try {
    const nowMs = systemClock.nowMs();
    const untilMs = flags.until === undefined ? undefined : untilTime(flags.until, nowMs);
    const inForce = await runHere(flags, ({ root }) => kept.push(keepGit(root)));
    const screen = openScreen(flags.json ? io().stderr : io().stdout);
    const fleet = await joinedFleet(inForce, flags, screen);
    if (fleet) kept.push(fleet.leave);
    let hasBegun = false;
    const noted = (): void => {
      if (!hasBegun) noteRepository(inForce.here);
      hasBegun = true;
      begins();
    };
    const { here } = fleet ?? inForce;
    const around = fleet?.around ?? ((claims: Claims) => claims);
    return await runIssues(ids, {
      flags,
      here,
      settled: inForce.settled,
      screen,
      around,
      nowMs,
      untilMs,
      begins: noted,
    });
  } finally {
    for (const leave of kept.toReversed()) await leave();
  }
}

type Issues = InForce & {
  flags: RunFlags;
  screen: Screen;
  /** Puts what claims an issue behind the queue of a fleet. */
  around(claims: Claims): Claims;
  nowMs: number;
  untilMs: number | undefined;
  begins(): void;
};

async function runIssues(ids: string[], issues: Issues): Promise<number> {
  const { flags, here, settled, screen, nowMs, untilMs, begins } = issues;
  const given = flags.resume && ids.length === 0 ? [await resumedHere(here)] : ids;
  const wanted = [...new Set(given.map(validId))];
  const { base } = settled.settings;
  const warn = (text: string): void => screen.line({ tone: "bad", text: t`warning: ${text}` });
  const claims = issues.around(claimsBy(here, settled.settings, warn));
  const follow = followedBase(here, settled.settings);
  await follow?.(undefined);
  await freshen(here, base, { flags, screen });
  if (flags.update && given.length === 0 && !flags.all) return 0;
  tellHome(issues, screen);
  const onIdle = (): void => {
    tellRefused();
    tellIdle(base, { flags, screen });
    begins();
  };
  const next = flags.resume
    ? resumed(here, wanted, base)
    : await queueOf(here, wanted, { ...queueFlags(flags, base, onIdle), follow });
  const relays = new Set<Relay>();
  const { interrupt, unlisten } = listenForInterrupt(screen, () => stopWords(relays));
  const { signal, end } = untilSignal(untilMs, nowMs);
  const noMore = AbortSignal.any([interrupt, signal]);
  const codes = new Map<string, number>();
  const tellRefused = (): void => {
    for (const { id, error } of next.refused()) codes.set(id, tellRefusal(id, { error, screen }));
  };
  tellRefused();
  warnOfSharedDisk(here, screen);
  const waiter = waiterOf(flags, screen);
  const notifier = openNotifier(here, settled.settings.notify, screen);
  const times = { interrupt, untilSignal: signal, untilMs };
  const shared = { ...times, settled, flags, claims, relays, screen, waiter, notifier, next, begins };
  const worker = async (): Promise<void> => {
    for (let taken = await next.take(noMore); taken; taken = await next.take(noMore)) {
      tellRefused();
      const { id, again } = taken;
      const came = await runOne(here, id, { ...shared, waived: waivedFor(id, { flags, next }), again });
      if (came === "comes_back") continue;
      if (!interrupt.aborted) await tellAfter(here, id, { flags, settled, screen });
      codes.set(id, came);
      await next.ended(id, came).catch((error: unknown) => codes.set(id, tellFailure(error, id)));
    }
  };
  await Promise.all(Array.from({ length: flags.jobs }, worker)).finally(() => [unlisten(), end()]);
  tellRefused();
  const left = tellLeft(next, screen);
  waiter.end();
  await notifier.end();
  if (flags.all) await tellOfAll(here, { base, flags, screen });
  const all = [
    ...codes.values(),
    ...(left > 0 ? [exitCodes.person] : []),
    ...(signal.aborted && next.hasMore() ? [exitCodes.later] : []),
    ...(interrupt.aborted ? [exitCodes.interrupted] : []),
  ];
  if (all.length === 0) screen.line({ tone: "plain", text: t`no open issues on ${base}: nothing to run` });
  return worstFirst.find((code) => all.includes(code)) ?? 0;
}

/** Says why an issue cannot begin; returns its exit code. */
function tellRefusal(id: string, { error, screen }: { error: MonocoError; screen: Screen }): number {
  if (error.kind !== "person") return tellFailure(error, id);
  // The last lines name what this issue needs.
  screen.line({ tone: "dim", text: `${id}  ${error.message}` });
  return exitCodes.person;
}

function tellIdle(base: string, { flags, screen }: { flags: RunFlags; screen: Screen }): void {
  const end = flags.detach ? "monoco stop --all" : "Ctrl-C";
  const text = t`waits for work: an issue on ${base}, an answer, an approval; ${end} ends it`;
  screen.line({ tone: "dim", text });
}

/** Names the issues that could not begin; returns their number. */
function tellLeft(next: RunQueue, screen: Screen): number {
  const left = next.left();
  for (const { id, by } of left)
    screen.line({ tone: "bad", text: t`${id}  was not begun: it waits for ${by.join(", ")}` });
  return left.length;
}

/** What a run does after an issue has come to its end. */
async function tellAfter(here: Here, id: string, { flags, settled, screen }: After): Promise<void> {
  await commentOnSource(here, id, { settings: settled.settings, screen });
  if (!flags.followUps) return;
  const { writeFollowUps } = await import("./follow-ups.ts");
  await writeFollowUps(here, id, { settings: settled.settings, screen });
}

type After = { flags: RunFlags; settled: InForce["settled"]; screen: Screen };

/** Updates the base if the person asks for it, and says what it lacks. */
async function freshen(
  here: Here,
  base: string,
  { flags, screen }: { flags: RunFlags; screen: Screen },
): Promise<void> {
  const current = t`${base} has all that was fetched of its upstream`;
  const stale = await freshBase(here, base, flags.update === true);
  const { words, hint } = stale ?? { words: current };
  if (!stale && !flags.update) return;
  screen.line({ tone: "plain", text: hint === undefined ? words : `${words}: ${adviceWords(hint)}` });
}

/** Says what of the home the sandboxes hide, which agents are refused for it, and which get a login all the same. Each issue says itself what refuses it. */
function tellHome({ here, settled }: InForce, screen: Screen): void {
  const home = unlessRefused(() => homeAhead(here, settled.settings));
  for (const hidden of home?.hidden ?? [])
    screen.line({ tone: "dim", text: `${hiddenWords(hidden)}: ${showsWords([hidden.path])}` });
  for (const one of home?.fallbacks ?? [])
    screen.line({ tone: "plain", text: `${refusedWords(one)}: ${adviceWords(one.hint)}` });
  for (const one of home?.profiles ?? []) screen.line({ tone: "dim", text: lentWords(one) });
}

/** The only relay that is open, or that a person's own session has handed over to. */
function resumedHere(here: Here): Promise<string> {
  return relayOrHere(here, undefined, issuesHandedOver(repositoryPlaces(here.repository.root, io().env)));
}

/** The last lines of a run of the whole backlog. */
async function tellOfAll(
  here: Here,
  { base, flags, screen }: { base: string; flags: RunFlags; screen: Screen },
): Promise<void> {
  await leaveReport(here, base, screen);
  const { tellNotDone } = await import("./not-done.ts");
  await tellNotDone(here, flags.json ? io().stderr : io().stdout);
}

/** Writes the report of this run. Only a terminal gets its path: a pipe has the lines themselves. */
async function leaveReport(here: Here, base: string, screen: Screen): Promise<void> {
  const { writeReport } = await import("../report.ts");
  // If this fails, monoco report makes the same report.
  const path = await writeReport(here, { sinceMs: here.run.startedAtMs, base }).catch(() => undefined);
  if (path !== undefined && io().stdout.isTTY)
    screen.line({ tone: "dim", text: t`what it did: ${path}; what needs you: monoco` });
}

type Terminal = { stdin: Readable & { isTTY?: boolean }; stdout: { isTTY?: boolean } };

/** Asks at a terminal; an unattended run, and one of the whole backlog, waits without asking. */
export function waiterOf(
  { wait, all = false }: Pick<RunFlags, "wait" | "all">,
  screen: Screen,
  { stdin, stdout }: Terminal = process,
): Waiter {
  return openWaiter({
    always: wait || all || !stdout.isTTY,
    input: stdin.isTTY ? stdin : undefined,
    screen,
    nowMs: systemClock.nowMs,
  });
}

/** Warns of a shared disk: the kernel keeps the locks, and another machine may not see them. */
function warnOfSharedDisk(here: Here, screen: Screen): void {
  const kind = sharedFileSystem(here.repository.root);
  if (!kind) return;
  const warning = t`${here.repository.root} lies on ${kind}: run monoco from one machine only, its locks may not hold for others`;
  screen.line({ tone: "bad", text: t`warning: ${plainLine(warning, 400)}` });
}

/** monoco run and monoco relay resume: the runner, in the foreground, for one issue or several. */
import { isAncestor } from "../../git/repository.ts";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { MonocoError, exitCodes } from "../../core/error/error.ts";
import type { Waiver } from "../../core/journal/event.ts";
import { policyFor } from "../../core/tuning/policy-share.ts";
import { hintWords } from "../../views/hint.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import { tellingOf } from "../../views/telling.ts";
import { resumeCommand } from "../../views/resume-command.ts";
import { keepsBranch, phaseOf, runningSession } from "../../core/relay/phase.ts";
import type { Settled } from "../../core/settings/layers.ts";
import type { Language } from "../../core/text/language.ts";
import { compareWithCopy, keepJournalCopy } from "../../relay/journal-copy.ts";
import { canOpen, openOrResume } from "../../relay/open.ts";
import type { Found, Terms } from "../../relay/open.ts";
import { systemClock } from "../../relay/clock.ts";
import { openRelay } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import { runRelay } from "../../relay/run-relay.ts";
import type { RunEnd, RunOptions } from "../../relay/run-relay.ts";
import { tidyClones } from "../../relay/landing/tidy-up.ts";
import { sharedFileSystem } from "../../store/file-system.ts";
import type { Lock } from "../../store/lock.ts";
import { tellFailure } from "../../views/failure.ts";
import { printJson } from "../../views/json.ts";
import { showProgress } from "../../views/progress.ts";
import type { ProgressNews } from "../../views/progress.ts";
import { openNotifier } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";
import { openScreen } from "../../views/terminal.ts";
import { commentOnSource } from "./finish-comment.ts";
import { queueOf, resumed } from "../../app/queue.ts";
import type { QueueFlags, RunQueue, Taken } from "../../app/queue.ts";
import { noOpenRelay } from "../../app/no-relay.ts";
import { takeRunnerLock, tryRunnerLock } from "../../app/runner-lock.ts";
import { closingAt, untilTime } from "./until.ts";
import { openWaiter } from "./waiting.ts";
import type { Waiter } from "./waiting.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { validId } from "../../app/valid-id.ts";
import { openHere, placesFor, relayOrHere } from "../../app/here.ts";
import { settledHere } from "../../app/settings.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../app/wire.ts";
import type { Here } from "../../app/here.ts";
import { killAllNow } from "../../agents/child.ts";
import { io, pathHere } from "../../io/io.ts";

export type RunFlags = {
  jobs: number;
  agent?: string;
  set?: string[];
  /** Policy files: each issue runs under one of them. */
  policy?: string[];
  /** The whole backlog, or what of it is named. */
  all?: boolean;
  /** Open a relay on an issue that says not when it is done. */
  withoutCriteria?: boolean;
  /** Begin an issue though what it depends on is not done. */
  ignoreDependencies?: boolean;
  /** What the Reviewers found beside becomes issues after the merge. */
  followUps?: boolean;
  once: boolean;
  wait: boolean;
  json: boolean;
  resume: boolean;
  /** No session begins after this time. */
  until?: string;
  /** Of what is printed; English where it is left out. */
  language?: Language;
};

/** Exit codes from the worst to the best, for a run of several issues. */
export const worstFirst = [70, 2, 4, 3, 130, 1, 75, 0];

/** The settings in force: of an issue by itself, and of each policy that shares the issues. */
export type InForce = { here: Here; alone: Settled; policies: Settled[] };

/** Where and under what a run is asked for. Throws `input` inside a session, and for policies that cannot be compared. */
export async function runHere(flags: Pick<RunFlags, "policy" | "set" | "agent">): Promise<InForce> {
  if (currentSession()) {
    throw new MonocoError("input", "a session cannot run relays", {
      hint: "monoco issue submit, or monoco relay prepare",
    });
  }
  const here = await openHere();
  refuseFromWithin(here.repository);
  refusePolicies(flags.policy ?? []);
  const policies = (flags.policy ?? []).map((policy) => settledHere(here, { ...flags, policy }));
  return { here, policies, alone: settledHere(here, { ...flags, policy: undefined }) };
}

export function queueFlags(
  { all = false, ignoreDependencies = false }: Partial<RunFlags>,
  base: string,
): QueueFlags {
  return { base, all, ignoreDependencies };
}

/** Runs every issue to its rest, at most `jobs` at once; resolves to the exit code of the worst. */
export async function run(ids: string[], flags: RunFlags): Promise<number> {
  const nowMs = systemClock.nowMs();
  const untilMs = flags.until === undefined ? undefined : untilTime(flags.until, nowMs);
  const { here, policies, alone } = await runHere(flags);
  const given = flags.resume && ids.length === 0 ? [await relayOrHere(here, undefined)] : ids;
  const named = [...new Set(given.map(validId))];
  const { base } = alone.settings;
  const next = flags.resume
    ? resumed(here, named, base)
    : await queueOf(here, named, queueFlags(flags, base));
  const screen = openScreen(flags.json ? io().stderr : io().stdout);
  const relays = new Set<Relay>();
  const { interrupt, unlisten } = listenForInterrupt(screen, () => stopWords(relays));
  const { closing, end } = closingAt(untilMs, nowMs);
  const noMore = AbortSignal.any([interrupt, closing]);
  const codes = new Map<string, number>();
  const tellRefused = (): void => {
    for (const { id, error } of next.refused()) codes.set(id, tellFailure(error, id));
  };
  tellRefused();
  warnOfSharedDisk(here, screen);
  const waiter = waiterOf(flags, screen);
  const notifier = openNotifier(here, alone.settings.notify, screen);
  const worker = async (): Promise<void> => {
    for (let taken = await next.take(noMore); taken; taken = await next.take(noMore)) {
      tellRefused();
      const { id, again } = taken;
      const settled = policyFor(id, policies) ?? alone;
      const waived = waivedFor(id, { flags, next });
      const shared = { interrupt, closing, relays, screen, waiter, notifier, next };
      const came = await runOne(here, id, { ...shared, settled, flags, waived, again });
      if (came === "comes back") continue;
      if (!interrupt.aborted) await commentOnSource(here, id, { settings: settled.settings, screen });
      if (!interrupt.aborted && flags.followUps) {
        const { writeFollowUps } = await import("./follow-ups.ts");
        await writeFollowUps(here, id, { settings: settled.settings, screen });
      }
      codes.set(id, came);
      await next.ended(id, came).catch((error: unknown) => codes.set(id, tellFailure(error, id)));
    }
  };
  await Promise.all(Array.from({ length: flags.jobs }, worker)).finally(() => [unlisten(), end()]);
  tellRefused();
  const left = next.left();
  for (const { id, by } of left)
    screen.line({ tone: "bad", text: `${id}  was not begun: it waits for ${by.join(", ")}` });
  waiter.end();
  await notifier.end();
  if (flags.all) {
    await leaveReport(here, screen);
    const { tellClosing } = await import("./closing.ts");
    await tellClosing(here, flags.json ? io().stderr : io().stdout);
  }
  const all = [
    ...codes.values(),
    ...(left.length > 0 ? [exitCodes.person] : []),
    ...(closing.aborted && next.hasMore() ? [exitCodes.later] : []),
    ...(interrupt.aborted ? [exitCodes.interrupted] : []),
  ];
  if (all.length === 0) screen.line({ tone: "plain", text: `no open issues on ${base}: nothing to run` });
  return worstFirst.find((code) => all.includes(code)) ?? 0;
}

/** What this run did, for whoever comes back; only a terminal is told where: a pipe has the lines themselves. */
async function leaveReport(here: Here, screen: With["screen"]): Promise<void> {
  const { writeReport } = await import("../report.ts");
  // A report that cannot be written is made again by monoco report.
  const path = await writeReport(here, here.run.startedAtMs).catch(() => undefined);
  if (path !== undefined && io().stdout.isTTY)
    screen.line({ tone: "dim", text: `what it did: ${path}; what needs you: monoco` });
}

/** Two are compared; the same one twice compares nothing. */
function refusePolicies(files: readonly string[]): void {
  if (files.length < 2) return;
  const [one = "", other = ""] = files;
  const why =
    files.length > 2
      ? `--policy: ${files.length} policy files, and at most two can be compared`
      : pathHere(one) === pathHere(other) && `--policy: ${one} is named twice: there is nothing to compare`;
  if (why) throw new MonocoError("input", why, { hint: "name one policy file, or two different ones" });
}

/** At a terminal somebody is there to choose; who waits unattended asked for it. */
export function waiterOf(flags: Pick<RunFlags, "wait">, screen: With["screen"]): Waiter {
  const { stdin, stdout } = process;
  return openWaiter({
    always: flags.wait || !stdout.isTTY,
    input: stdin.isTTY ? stdin : undefined,
    screen,
    nowMs: systemClock.nowMs,
  });
}

/** Locks are the kernel's: on a shared disk another machine may not see them. */
function warnOfSharedDisk(here: Here, screen: With["screen"]): void {
  const kind = sharedFileSystem(here.repository.root);
  if (!kind) return;
  const words = `${here.repository.root} lies on ${kind}: run monoco from one machine only, its locks may not hold for others`;
  screen.line({ tone: "bad", text: `warning: ${plainLine(words, 400)}` });
}

export function waivedFor(
  id: string,
  { flags, next }: { flags: Partial<RunFlags>; next: RunQueue },
): Waiver[] {
  return [
    ...(flags.withoutCriteria ? (["criteria"] as const) : []),
    ...(next.waives(id) ? (["dependencies"] as const) : []),
  ];
}

type With = {
  settled: Settled;
  waived: readonly Waiver[];
  flags: RunFlags;
  interrupt: AbortSignal;
  /** The time of `--until` has come. */
  closing: AbortSignal;
  /** Those that are run now. */
  relays: Set<Relay>;
  screen: ReturnType<typeof openScreen>;
  waiter: Waiter;
  notifier: Notifier;
  /** This run has left the relay before. */
  again: Taken["again"];
  next: RunQueue;
};

/** How soon a relay that another process runs is looked at again, ms. */
const heldMs = 5_000;

/** One issue, until it rests, or until its slot is wanted while it waits. Its own error is printed and sets its exit code; the other issues go on. */
async function runOne(here: Here, issue: string, told: With): Promise<number | "comes back"> {
  const { settled, flags, waived, interrupt, relays, screen, again, next } = told;
  const progress = showProgress(screen, issue, flags.language);
  const onProgress = (news: ProgressNews): void => {
    progress.tell(news);
    told.notifier.tell(issue, news);
  };
  let lock: Lock | undefined;
  let relay: Relay | undefined;
  try {
    const { journal, runnerLock } = placesFor(here, issue);
    const { base } = settled.settings;
    const find = (): Promise<Found> => findIssueOnBase(here, issue, base);
    // A relay that was never opened leaves nothing behind when it cannot be.
    if (flags.resume && !existsSync(journal)) throw await noOpenRelay(here, issue);
    const first = existsSync(journal) ? undefined : await find();
    const setup = setUpRelay(here, issue, { control: { interrupt }, onProgress });
    const terms = { ...loadTerms(here, settled), waived };
    if (first) await canOpen(setup, terms, first);
    lock = again ? tryRunnerLock(runnerLock) : await takeRunnerLock(runnerLock, issue);
    if (!lock) {
      progress.stop();
      // Who runs it now was free to: it had been left.
      next.comesBack(issue, { untilMs: systemClock.nowMs() + heldMs, held: true });
      return "comes back";
    }
    layOut(here);
    relay = openRelay(setup);
    relays.add(relay);
    if (flags.resume && phaseOf(relay.state) === "none") throw await noOpenRelay(here, issue, relay.state);
    // Another run may have opened, and even finished, the relay while this one waited for the lock.
    const fresh = relay.state.seq === 0 ? first : undefined;
    const { stop } = progress;
    return await runOpened(relay, { ...told, terms, stop, find: async () => fresh ?? (await find()) });
  } catch (error) {
    progress.stop();
    if (!interrupt.aborted) return tellFailure(error, issue);
    screen.line({ tone: "plain", text: `${issue}  interrupted; nothing is lost` });
    return exitCodes.interrupted;
  } finally {
    if (relay) relays.delete(relay);
    lock?.release();
  }
}

type Opened = With & {
  terms: Terms;
  /** Ends the view of its progress. */
  stop(): void;
  find(): Promise<Found>;
};

/** Its journal is open, and its lock is ours. */
async function runOpened(relay: Relay, told: Opened): Promise<number | "comes back"> {
  const { flags, screen, again, next, stop } = told;
  const { issue } = relay;
  const phase = phaseOf(relay.state);
  const open = !["none", "done"].includes(phase);
  // Killed behind its last event, and resumed: what follows that event is all that is left to do.
  if (flags.resume && phase === "done") {
    stop();
    return finishOver(relay, { flags, screen });
  }
  const found = open ? undefined : await told.find();
  if (phase === "done" && found && parseIssue(found.text, found.path).status === "closed") {
    stop();
    const merged = relay.state.opening?.merged?.commit.slice(0, 8) ?? "";
    const words = relay.state.opening?.merged ? `merged as ${merged}` : "it is closed on the base";
    screen.line({ tone: "plain", text: `${issue}  is done: ${words}` });
    return 0;
  }
  if (found && (await isLeft(relay))) {
    stop();
    return tellLeft(relay, screen);
  }
  // What came back from a wait goes on as it was left: nobody has resumed it.
  if (again === "back" && open) await compareWithCopy(relay);
  else await openOrResume(relay, told.terms, found);
  const sessions = relay.state.sessions.length;
  let slotWanted = false;
  const wait: RunOptions["wait"] = (action) => {
    slotWanted = next.slotWanted();
    return !slotWanted && told.waiter.goOn(issue, action);
  };
  const end = await runRelay(relay, { once: flags.once, wait, closing: told.closing });
  await keepJournalCopy(relay);
  stop();
  if (end.end === "later" && slotWanted) {
    const unbegun = again === undefined && relay.state.sessions.length === sessions;
    next.comesBack(issue, { untilMs: end.untilMs, unbegun });
    return "comes back";
  }
  if (end.end === "once" && (await askToGoOn(issue))) return goOn(relay, { flags, screen });
  return tell(relay, end, { flags, screen });
}

/** Tidies up what a killed run left, and says what became of the relay. */
async function finishOver(relay: Relay, told: Pick<With, "flags" | "screen">): Promise<number> {
  const merged = relay.state.opening?.merged;
  if (merged) await tidyClones(relay, `${merged.submission}`);
  const end = await runRelay(relay, { once: false, wait: () => false });
  await keepJournalCopy(relay);
  return tell(relay, end, told);
}

/** Done, its commits on its branch and not taken over yet: to open it again would do the work twice. */
export async function isLeft({ state, repository }: Pick<Relay, "state" | "repository">): Promise<boolean> {
  const { opening } = state;
  if (phaseOf(state) !== "done" || !opening?.finished || keepsBranch(opening)) return false;
  const ref = `refs/heads/${opening.branch}`;
  return isAncestor(repository.git, opening.finished.commit, ref);
}

function tellLeft(relay: Relay, screen: With["screen"]): number {
  const { issue } = relay;
  const { because, hint } = tellingOf(relay.state, { runnerAlive: false, nowMs: relay.nowMs() });
  screen.line({ tone: "plain", text: `${issue}  is done: ${plainLine(because)}` });
  const anew = `monoco relay clear ${issue} and monoco run ${issue} do it anew`;
  screen.line({ tone: "dim", text: `${issue}  hint: ${plainHint(hint === "" ? anew : `${hint}; ${anew}`)}` });
  return 0;
}

/** --once at a terminal: session by session, as long as the person says yes. */
export async function goOn(relay: Relay, { flags, screen }: Pick<With, "flags" | "screen">): Promise<number> {
  for (;;) {
    const end = await runRelay(relay, { once: true, wait: () => flags.wait });
    if (end.end !== "once" || !(await askToGoOn(relay.issue))) return tell(relay, end, { flags, screen });
  }
}

export async function askToGoOn(issue: string): Promise<boolean> {
  if (!io().stdin.isTTY || !io().stdout.isTTY) return false;
  const asking = createInterface({ input: io().stdin, output: io().stdout });
  const answer = await asking.question(`${issue}: one session has run. Go on with the next? [y/N] `);
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

export function tell(relay: Relay, end: RunEnd, { flags, screen }: Pick<With, "flags" | "screen">): number {
  const { issue } = relay;
  const code = codeOf(end, relay);
  const report = tellingOf(relay.state, { runnerAlive: false, nowMs: relay.nowMs() });
  // What its decision took in besides the journal, this report has not.
  const rest = end.end === "rest" && {
    because: becauseOf(end.rest.reason),
    rule: end.rest.reason.rule,
    hint: hintWords(end.rest.hint, relay.state),
  };
  if (flags.json) printJson({ ...report, ...rest, exitCode: code });
  if (end.end === "rest") {
    const tone = end.rest.phase === "done" ? "good" : "bad";
    // A block was told when it was journaled.
    if (end.rest.phase !== "blocked") {
      const chinese = flags.language === "zh" && relay.state.opening?.merged !== undefined;
      const said = chinese ? "完成" : `${end.rest.phase}: ${plainLine(becauseOf(end.rest.reason))}`;
      screen.line({ tone, text: `${issue}  ${said}` });
    }
    const { hint } = end.rest;
    if (hint.length > 0) {
      screen.line({ tone: "dim", text: `${issue}  hint: ${plainHint(hintWords(hint, relay.state))}` });
    }
  } else if (end.end === "interrupted") {
    screen.line({
      tone: "plain",
      text: `${issue}  interrupted; nothing is lost: ${resumeCommand(relay.state)}`,
    });
  } else if (end.end === "later") {
    const at = new Date(end.untilMs).toISOString();
    screen.line({
      tone: "plain",
      text: `${issue}  ${becauseOf(end.reason)}: try again at ${at} (or use --wait)`,
    });
  } else if (end.end === "closed") {
    screen.line({
      tone: "plain",
      text: `${issue}  the time of --until has come: ${resumeCommand(relay.state)} goes on`,
    });
  } else {
    screen.line({
      tone: "plain",
      text: `${issue}  one session has run: ${resumeCommand(relay.state)} goes on`,
    });
  }
  return code;
}

/** A relay that is blocked for a login is a matter of the agent, like one that is not installed. */
function codeOf(end: RunEnd, relay: Relay): number {
  if (end.end === "interrupted") return exitCodes.interrupted;
  if (end.end === "later" || end.end === "closed") return exitCodes.later;
  if (end.end === "once") return exitCodes.person;
  if (end.rest.phase === "done") return 0;
  if (end.rest.phase === "none") return exitCodes.input;
  const login = relay.state.sessions.at(-1)?.ended?.reason === "needs_login";
  return end.rest.phase === "blocked" && login ? exitCodes.agent : exitCodes.person;
}

/**
 * Once: an orderly stop, the handoff kept. Twice: at once. `stopWords` names what the stop does; a live line is erased before
 * anything is said.
 */
export function listenForInterrupt(
  screen: With["screen"],
  stopWords: () => string,
): { interrupt: AbortSignal; unlisten(): void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    screen.end();
    if (controller.signal.aborted) {
      killAllNow();
      process.exit(exitCodes.interrupted);
    }
    // A terminal has shown ^C.
    const { isTTY } = io().stderr;
    io().stderr.write(`${isTTY ? "\r\u001b[2K" : ""}stopping: ${stopWords()}; again to stop at once\n`);
    controller.abort();
  };
  return { interrupt: controller.signal, unlisten: io().onStop(onSignal) };
}

/** What a stop does to what these relays are at. */
export function stopWords(relays: Iterable<Relay>): string {
  const roles = [...relays].flatMap(({ state }) => runningSession(state)?.role ?? []);
  if (roles.length === 0) return "nothing is lost";
  const session = roles.length === 1 ? "the session is" : `${roles.length} sessions are`;
  return `${session} ended${roles.includes("executor") ? " and handed over" : ""}`;
}

/** One issue of a run: its relay is opened or resumed, and runs until it rests or gives its slot away. */
import { existsSync } from "node:fs";
import { plainLine } from "../../core/text/sanitize.ts";
import { exitCodes, MonocoError, wordsOf } from "../../core/error/error.ts";
import type { Waiver } from "../../core/journal/event.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { isUnbegun, phaseOf } from "../../core/relay/phase.ts";
import type { Settled } from "../../core/settings/layers.ts";
import { compareWithCopy, keepJournalCopy } from "../../relay/journal-copy.ts";
import { canOpen, openOrResume } from "../../relay/open.ts";
import type { FoundIssue, Terms } from "../../relay/open.ts";
import { systemClock } from "../../relay/clock.ts";
import { openRelay } from "../../relay/relay.ts";
import type { Relay, RelaySetup } from "../../relay/relay.ts";
import { runRelay } from "../../relay/run-relay.ts";
import type { RunOptions } from "../../relay/run-relay.ts";
import { takeOver } from "../../relay/people/take-over.ts";
import type { HandedOver } from "../../core/handoff/handed-over.ts";
import { readHandOver } from "../../store/handovers.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { tidyClones } from "../../relay/landing/tidy-up.ts";
import { tellFailure } from "../../views/failure.ts";
import { showProgress } from "../../views/progress.ts";
import type { News } from "../../core/session/news.ts";
import type { Notifier } from "./notifier.ts";
import type { Screen } from "../../views/terminal.ts";
import type { RunQueue } from "../../app/queue/queue.ts";
import type { Taken } from "../../core/backlog/queue.ts";
import { isLeftElsewhere } from "../../core/backlog/word.ts";
import { noOpenRelay } from "../../app/no-relay.ts";
import type { Claims } from "../../app/queue/claims.ts";
import type { Claim } from "../../app/queue/port.ts";
import type { StopCause } from "../../core/reason/ending-schema.ts";
import type { Waiter } from "./waiting.ts";
import { placesFor } from "../../app/here.ts";
import { installedIn } from "../../app/hooks/apply.ts";
import { findIssueOnBase, layOut, loadTerms, setUpRelay } from "../../app/wire.ts";
import type { Here } from "../../app/here.ts";
import { io } from "../../io/io.ts";
import { answerTo, atTerminal } from "../answer.ts";
import { comesBackLater, completeLeft, lookAtPull, waitsForOthers } from "./pull-waits.ts";
import { isLeft, tellLeft } from "./left.ts";
import { tell } from "./came-of-it.ts";
import type { RunContext } from "./came-of-it.ts";
import type { RunFlags } from "./run-flags.ts";
import { t } from "../../core/language/translate.ts";

export type With = {
  settled: Settled;
  waived: readonly Waiver[];
  flags: RunFlags;
  interrupt: AbortSignal;
  /** Aborted at the time of `--until`. */
  untilSignal: AbortSignal;
  untilMs: number | undefined;
  /** By which queue an issue is claimed. */
  claims: Claims;
  /** The relays that run now. */
  relays: Set<Relay>;
  screen: Screen;
  waiter: Waiter;
  notifier: Notifier;
  /** Called when the relay does something. */
  begins(): void;
  /** Set if this run has left the relay before. */
  again: Taken["again"];
  next: RunQueue;
};

/** How soon to look again at a relay that another process runs, ms. */
const heldMs = 5_000;

/** How soon to try again where the remote did not answer, ms. */
const awayMs = 30_000;

/** Whether a run of the backlog goes on with the issue later: the remote is away, or another machine has the relay. */
const isOutage = (error: unknown, claim: Claim | undefined): boolean =>
  claim?.lost.aborted === true || (error instanceof MonocoError && error.kind === "later");

/**
 * Runs one issue until it rests, or until its slot is wanted while it waits. Prints the issue's error and returns its exit
 * code; other issues go on.
 */
export async function runOne(here: Here, issue: string, run: With): Promise<number | "comes_back"> {
  const { settled, flags, waived, interrupt, relays, screen, again, next } = run;
  const progress = showProgress(screen, issue);
  const onProgress = (news: News): void => {
    progress.tell(news);
    run.notifier.tell(issue, news);
  };
  const claims = run.claims(issue);
  let claim: Claim | undefined;
  let relay: Relay | undefined;
  try {
    const { journal } = placesFor(here, issue);
    const { base } = settled.settings;
    const find = (): Promise<FoundIssue> => findIssueOnBase(here, issue, base);
    // A relay that cannot be opened must not leave a trace.
    if (flags.resume && !existsSync(journal) && !givenHere(here, issue)) throw await noOpenRelay(here, issue);
    const issueFile = existsSync(journal) || claims.isRemote ? undefined : await find();
    const control = { interrupt, mayAsk: flags.resume && atTerminal() };
    const setup = setUpRelay(here, issue, { control, onProgress });
    const terms = { ...loadTerms(here, settled), waived, now: flags.resume };
    const first = issueFile && { ...issueFile, issue: await canOpen(setup, terms, issueFile) };
    const claimed = await claims.claim(issue);
    if ("heldBy" in claimed) {
      progress.stop();
      if (!again && !(flags.all && claims.isRemote)) throw claimed.heldBy;
      // Another runner holds the relay. Its name is printed the first time only.
      if (!again) screen.line({ tone: "plain", text: plainLine(claimed.heldBy.message) });
      next.comesBack(issue, { untilMs: claimed.untilMs ?? systemClock.nowMs() + heldMs, held: true });
      return "comes_back";
    }
    claim = claimed;
    layOut(here);
    relay = openClaimed(setup, claim, run);
    relays.add(relay);
    // Whoever had the claim before may have merged the issue, or what it depends on.
    await relay.shared?.follow();
    const given = givenHere(here, issue);
    if (flags.resume && phaseOf(relay.state) === "none" && !given)
      throw await noOpenRelay(here, issue, relay.state);
    // Another run may have opened, and even finished, the relay while this one waited for the lock.
    const fresh = relay.state.seq === 0 ? first : undefined;
    const { stop } = progress;
    const came = await runOpened(relay, {
      ...run,
      terms,
      stop,
      find: async () => fresh ?? (await find()),
      given,
    });
    claim.lost.throwIfAborted();
    return came;
  } catch (error) {
    progress.stop();
    if (!interrupt.aborted) {
      const mayWait = flags.all && claims.isRemote && isOutage(error, claim);
      // A remote that is away for the night is told of once.
      const code = mayWait && again === "back" && !claim ? exitCodes.later : tellFailure(error, issue);
      if (!mayWait) return code;
      next.comesBack(issue, { untilMs: systemClock.nowMs() + awayMs, held: true });
      return "comes_back";
    }
    screen.line({ tone: "plain", text: t`${issue}  interrupted; nothing is lost` });
    return exitCodes.interrupted;
  } finally {
    if (relay) relays.delete(relay);
    if (claim) await claims.release(claim);
  }
}

/** Opens the relay of a claim. Its session ends when the claim is lost, and in a remote run at the time of `--until`, too: the machine may be taken away then. */
function openClaimed(setup: RelaySetup, claim: Claim, run: With): Relay {
  if (!claim.shared) return openRelay(setup);
  const { interrupt, untilSignal, untilMs } = run;
  const because = (): StopCause | undefined =>
    claim.lost.aborted
      ? { rule: "lease_lost", said: wordsOf(claim.lost.reason) }
      : untilSignal.aborted && !interrupt.aborted
        ? { rule: "run_time_up" }
        : undefined;
  const ends = AbortSignal.any([interrupt, claim.lost, untilSignal]);
  const relay = openRelay({ ...setup, control: { ...setup.control, interrupt: ends, because, untilMs } });
  return Object.assign(relay, { shared: claim.shared(relay, run.settled.settings.base) });
}

type Opened = With & {
  terms: Terms;
  /** Ends the progress display. */
  stop(): void;
  find(): Promise<FoundIssue>;
  given: Given | undefined;
};

/** The hand-over of a person's own session, and the files of their checkout that are no work. */
type Given = { handedOver: HandedOver; except: ReadonlySet<string> };

function givenHere(here: Here, issue: string): Given | undefined {
  const handedOver = readHandOver(repositoryPlaces(here.repository.root, io().env), issue);
  return handedOver && { handedOver, except: installedIn(here, handedOver.worktree) };
}

/** Runs the relay, whose journal is open and whose lock this run holds. */
async function runOpened(relay: Relay, run: Opened): Promise<number | "comes_back"> {
  const { flags, screen, again, next, stop } = run;
  const { issue } = relay;
  await completeLeft(relay);
  const phase = phaseOf(relay.state);
  const open = !["none", "done"].includes(phase);
  // The runner was killed after its last event: only the steps after that event are left.
  if (flags.resume && phase === "done" && !run.given) {
    stop();
    return finishOver(relay, { flags, screen });
  }
  const { opening } = relay.state;
  const issueFile = open && !(opening && isUnbegun(opening)) ? undefined : await run.find();
  const mayBeDone = phase === "done" || (phase === "none" && relay.shared !== undefined);
  if (mayBeDone && issueFile && parseIssue(issueFile.text, issueFile.path).status === "closed") {
    stop();
    const merged = relay.state.opening?.merged?.commit.slice(0, 8) ?? "";
    const outcome = relay.state.opening?.merged ? t`merged as ${merged}` : t`it is closed on the base`;
    screen.line({ tone: "plain", text: t`${issue}  is done: ${outcome}` });
    return 0;
  }
  if (issueFile && (await isLeft(relay))) {
    stop();
    const merged = relay.state.opening?.merged !== undefined;
    if (!merged || again !== "back") tellLeft(relay, screen);
    return merged && flags.watch ? comesBackLater(relay, next) : 0;
  }
  // Nobody has resumed a relay that comes back from a wait, or one that another machine left to a person: it goes on unchanged.
  const isUnasked = again === "back" || (flags.all && isLeftElsewhere(relay.journal.events()));
  if (isUnasked && open) await compareWithCopy(relay);
  else await openOrResume(relay, run.terms, issueFile);
  if (run.given) await takeOver(relay, run.given.handedOver, run.given.except);
  const { seq, sessions: before } = relay.state;
  const sessions = before.length;
  if (phaseOf(relay.state) === "pull_request") {
    const failed = await lookAtPull(relay);
    if (failed) {
      stop();
      const code = tellFailure(failed, issue);
      return flags.watch ? comesBackLater(relay, next) : code;
    }
  }
  let slotWanted = false;
  const wait: RunOptions["wait"] = (action) => {
    slotWanted = next.slotWanted();
    return !slotWanted && run.waiter.goOn(issue, action);
  };
  const ran = await runRelay(relay, {
    once: flags.once,
    wait,
    untilSignal: run.untilSignal,
    begins: run.begins,
  });
  await keepJournalCopy(relay);
  stop();
  const isTimeUp = ran.end === "interrupted" && run.untilSignal.aborted && !run.interrupt.aborted;
  const end = isTimeUp ? ({ end: "closed" } as const) : ran;
  if (end.end === "later" && slotWanted) {
    const unbegun = again === undefined && relay.state.sessions.length === sessions;
    next.comesBack(issue, { untilMs: end.untilMs, unbegun });
    return "comes_back";
  }
  if (flags.watch && waitsForOthers(end)) {
    // A look without news prints no line.
    if (again !== "back" || relay.state.seq !== seq) tell(relay, end, { flags, screen });
    return comesBackLater(relay, next);
  }
  if (end.end === "once" && (await askToGoOn(issue))) return goOn(relay, { flags, screen });
  return tell(relay, end, { flags, screen });
}

/** Cleans up after a killed run, and reports the relay's result. */
async function finishOver(relay: Relay, run: RunContext): Promise<number> {
  const merged = relay.state.opening?.merged;
  if (merged) await tidyClones(relay, `${merged.submission}`);
  const end = await runRelay(relay, { once: false, wait: () => false });
  await keepJournalCopy(relay);
  return tell(relay, end, run);
}

/** With --once at a terminal, runs session after session as long as the person agrees. */
export async function goOn(relay: Relay, { flags, screen }: RunContext): Promise<number> {
  for (;;) {
    const end = await runRelay(relay, { once: true, wait: () => flags.wait });
    if (end.end !== "once" || !(await askToGoOn(relay.issue))) return tell(relay, end, { flags, screen });
  }
}

export async function askToGoOn(issue: string): Promise<boolean> {
  if (!atTerminal()) return false;
  const answer = await answerTo(t`${issue}: one session has run. Go on with the next? [y/N] `);
  return /^y(es)?$/i.test(answer);
}

/** monoco relay status: what every relay is doing and why, and how that is known. Reads only; cuts nothing, locks nothing for long. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAlive } from "../../agents/process-identity.ts";
import type { ProcessIdentity } from "../../agents/process-identity.ts";
import { budgetWords } from "../../core/reason/amounts.ts";
import { counted } from "../../core/text/counted.ts";
import { openingCommand } from "../../core/issue/name.ts";
import { parseLive } from "../../core/session/live.ts";
import { plainHint, plainLine } from "../../core/text/sanitize.ts";
import { percent, seconds } from "../../core/text/figures.ts";
import { sessionsWords } from "../../core/report/report.ts";
import type { RelayReport } from "../../core/report/report.ts";
import { tellingOf } from "../../views/telling.ts";
import type { Telling } from "../../views/telling.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { runningSession } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { isAncestor } from "../../git/repository.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { spendingsReader } from "../../store/spendings.ts";
import { tellFailure } from "../../views/failure.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import { paint } from "../../views/terminal.ts";
import { MonocoError } from "../../core/error/error.ts";
import { validId } from "../../app/valid-id.ts";
import { hasBegun, openHere, placesFor, relayIds } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { io } from "../../io/io.ts";

/** What runs at this moment, as the process table and the kept output tell it. */
type Now = {
  session: number;
  role: string;
  agent: string;
  elapsedMs: number;
  processAlive: boolean;
  lastOutputMsAgo: number | null;
  contextTokens: number | null;
  windowTokens: number | null;
  /** Neither the agent nor the settings tell the window. */
  windowAssumed: boolean;
};

export type StatusReport = Telling & { current: Now | null; journal: string };

export async function status(id: string | undefined, flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  if (id === undefined) return statusOfAll(here, flags);
  const issue = validId(id);
  if (!hasBegun(placesFor(here, issue).journal)) {
    const { noOpenRelay } = await import("../../app/no-relay.ts");
    throw await noOpenRelay(here, issue);
  }
  const report = await statusOrWhy(here, issue);
  if (flags.json) printJson(report);
  else io().stdout.write(render(report));
  return 0;
}

/** A relay whose journal is damaged is told; the others are shown all the same. */
async function statusOfAll(here: Here, flags: { json: boolean }): Promise<number> {
  const reports: StatusReport[] = [];
  const codes: number[] = [];
  for (const issue of relayIds(here)) {
    try {
      reports.push(await statusOrWhy(here, issue));
    } catch (error) {
      codes.push(tellFailure(error, issue));
    }
  }
  if (flags.json) printJson(reports);
  else if (reports.length > 0) io().stdout.write(reports.map(render).join("\n"));
  else if (codes.length === 0) io().stdout.write("no relays yet; monoco run ID opens one\n");
  return Math.max(0, ...codes);
}

/** A field that is not what it should be: the reader that looks at every field says which, and in what line. */
async function statusOrWhy(here: Here, issue: string): Promise<StatusReport> {
  try {
    const report = await statusOf(here, issue);
    render(report);
    return report;
  } catch (error) {
    const { readJournal } = await import("../../store/journal.ts");
    readJournal(placesFor(here, issue).journal);
    throw error;
  }
}

const dayMs = 24 * 60 * 60_000;

export async function statusOf(here: Here, issue: string): Promise<StatusReport> {
  const places = placesFor(here, issue);
  const state = replay(viewJournal(places.journal));
  if (state.seq === 0) {
    throw new MonocoError("input", `${issue} has no relay`, { hint: `${openingCommand(issue)} opens one` });
  }
  const runnerAlive = isLocked(places.runnerLock);
  const nowMs = Date.now();
  const { relays } = repositoryPlaces(here.repository.root, io().env);
  const around = {
    elsewhere: spendingsReader(relays)({ sinceMs: nowMs - dayMs, except: issue }),
    run: runnerAlive ? state.sessions.at(-1)?.started.run : undefined,
    takenOver: await isTakenOver(here, state),
  };
  const report = tellingOf(state, { runnerAlive, nowMs, around });
  const running = runningSession(state);
  if (!running) return { ...report, issue, current: null, journal: places.journal };
  const session = places.session(running.session, running.role);
  const identity = readJson(session.identity) as ProcessIdentity | undefined;
  const live = existsSync(session.live) ? parseLive(readFileSync(session.live, "utf8")) : undefined;
  const output = statSync(session.stream, { throwIfNoEntry: false });
  const current = {
    session: running.session,
    role: running.role,
    agent: running.agent,
    elapsedMs: nowMs - running.startedAtMs,
    processAlive: identity?.pid !== undefined && isAlive(identity),
    lastOutputMsAgo: output && output.size > 0 ? nowMs - output.mtimeMs : null,
    contextTokens: live?.contextTokens ?? null,
    windowTokens: live?.windowTokens ?? null,
    windowAssumed: live?.windowAssumed ?? false,
  };
  return { ...report, issue, current, journal: places.journal };
}

async function isTakenOver({ repository }: Here, { opening }: RelayState): Promise<boolean> {
  if (!opening?.finished) return false;
  return isAncestor(repository.git, opening.finished.commit, `refs/heads/${opening.base}`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function render(report: StatusReport): string {
  const tone =
    report.phase === "done" ? "good" : ["blocked", "cancelled"].includes(report.phase) ? "bad" : "plain";
  const lines = [
    `${paint("bold", report.issue)}  ${plainLine(report.title)}`,
    `  phase     ${paint(tone, report.phase)}: ${plainLine(report.because)}`,
    ...(report.current ? [`  now       ${currentLine(report.current)}`] : []),
    ...(report.next === "nothing" ? [] : [`  next      ${report.next}${until(report.waitingUntilMs)}`]),
    ...(report.hint ? [`  hint      ${plainHint(report.hint)}`] : []),
    ...(report.question
      ? [
          `  question  session ${report.question.session} asks: ${plainLine(report.question.text, 2_000)}`,
          `            monoco relay answer ${report.issue} "…"`,
        ]
      : []),
    ...report.kept.map((one) => `  kept      ${plainLine(one)}`),
    `  runner    ${report.runner === "alive" ? "alive (it holds the relay's lock)" : "none"}`,
    ...(report.waived.length > 0
      ? [`  waived    opened without its ${report.waived.join(" and ")}, as a person said`]
      : []),
    `  sessions  ${sessionsWords(report)}${cost(report.costUsd)}`,
    ...report.budgets.map(
      (one) => `  budget    ${one.span}: ${budgetWords(one)} (budgets.${one.span}.${one.unit})`,
    ),
    ...tableLines(report.sessions.map(sessionRow)),
    ...report.submissions.map(submissionLine),
    ...(report.breaker.is === "closed"
      ? []
      : [`  breaker   ${report.breaker.is.replace("_", "-")}: ${plainLine(report.breaker.because ?? "")}`]),
    ...report.suspended.map(
      ({ account, untilMs, because }) =>
        `  suspended ${account}${untilMs === null ? "" : ` until ${new Date(untilMs).toISOString()}`}: ${plainLine(because)}`,
    ),
    `  sandbox   none${report.containment ? `; process tree held by ${report.containment}` : ""}`,
    `  journal   ${report.journal}`,
  ];
  return `${lines.join("\n")}\n`;
}

function currentLine(now: Now): string {
  const output =
    now.lastOutputMsAgo === null ? "no output yet" : `last output ${seconds(now.lastOutputMsAgo)} ago`;
  const context =
    now.contextTokens === null
      ? ""
      : `, context ${percent(now.contextTokens, now.windowTokens ?? undefined)}${now.windowAssumed ? ` of an assumed window of ${now.windowTokens} tokens (agents.${now.agent}.windowTokens sets it)` : ""}`;
  const alive = now.processAlive ? "process alive" : "process NOT alive";
  return `session ${now.session}, ${now.role} by ${now.agent}, ${seconds(now.elapsedMs)}${context}; ${alive}, ${output}`;
}

function sessionRow(session: RelayReport["sessions"][number]): string[] {
  const parts = [
    session.durationMs === null ? "" : seconds(session.durationMs),
    session.contextTokens === null
      ? ""
      : `context ${percent(session.contextTokens, session.windowTokens ?? undefined)}`,
    session.commits ? counted(session.commits, "commit") : "",
    session.handoff ? `handoff: ${session.handoff}` : "",
    session.costUsd === null ? "" : `$${session.costUsd.toFixed(2)}`,
  ].filter(Boolean);
  const number = `    ${String(session.session).padStart(3)}`;
  return [number, session.role, session.agent, session.reason ?? "running", parts.join(", ")];
}

function submissionLine(submission: RelayReport["submissions"][number]): string {
  const verdict = submission.verdict
    ? `${submission.verdict} by the ${submission.decidedBy}, ${counted(submission.findings, "finding")}`
    : "no verdict yet";
  const checks =
    submission.checks === null
      ? "not checked yet"
      : submission.checks === "none"
        ? "no checks"
        : `checks ${submission.checks}`;
  const tampered = submission.tampered.length > 0 ? `, TAMPERED: ${submission.tampered.join(", ")}` : "";
  const paths = submission.protected.length > 0 ? `, PROTECTED: ${shownFirst(submission.protected)}` : "";
  const weakened = submission.weakened > 0 ? `, WEAKENED in ${submission.weakened} places` : "";
  return `    submission ${submission.submission}  ${submission.head.slice(0, 8)}  ${checks}, ${verdict}${tampered}${paths}${weakened}`;
}

function shownFirst(paths: readonly string[]): string {
  return `${paths
    .slice(0, 3)
    .map((path) => plainLine(path))
    .join(", ")}${paths.length > 3 ? ", …" : ""}`;
}

function until(ms: number | null): string {
  return ms === null ? "" : ` until ${new Date(ms).toISOString()} (${seconds(Math.max(0, ms - Date.now()))})`;
}

function cost(usd: number): string {
  return usd > 0 ? `, $${usd.toFixed(2)}` : "";
}

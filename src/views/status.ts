/** The status of relays for `monoco status`: one in full, or a line for each. */
import type { There } from "../core/lease/lease.ts";
import { named } from "../core/language/names.ts";
import { counted } from "../core/language/counted.ts";
import { t } from "../core/language/translate.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { refusedWords } from "../core/journal/via.ts";
import type { Tone } from "../core/journal/events/line.ts";
import { stoppedIn } from "../core/overview/relay-item.ts";
import { budgetWords } from "../core/reason/amounts.ts";
import type { Current } from "../core/report/current.ts";
import { reportOf, sessionsWords } from "../core/report/report.ts";
import type { RelayReport } from "../core/report/report.ts";
import { isSandbox, sandboxName } from "../core/report/sandbox.ts";
import { percent, seconds, short, timeOf } from "../core/text/figures.ts";
import { plainHint, plainLine } from "../core/text/sanitize.ts";
import { io } from "../io/io.ts";
import { cutTo, padTo, wrapTo } from "./columns.ts";
import { paint } from "./paint.ts";
import { tableLines } from "./table.ts";
import { hintWords } from "./hint.ts";
import { holderWords, lettersWords } from "./overview/there.ts";

/** A relay's report for people: its hint is spelled as commands to type. */
export type Telling = Omit<RelayReport, "hint"> & { hint: string };

export function tellingOf(
  state: RelayState & { remote?: boolean },
  now: Parameters<typeof reportOf>[1],
): Telling {
  const report = reportOf(state, now);
  return { ...report, hint: hintWords(report.hint, state) };
}

/** The schema of `relay status --json`. */
export type StatusReport = Telling & {
  current: Current | null;
  /** The runner's process, if stopped (SIGSTOP): it holds the lock, and does nothing. */
  stoppedRunner: number | null;
  journal: string;
  /** Of a relay on the remote: who holds it there. */
  there?: There;
};

/** The reports of several relays, the exit codes of those that cannot be read, and what to say if there are none. */
export type Statuses = { reports: StatusReport[]; codes: number[]; none: string };

/** A line for each relay, open ones first; merged relays are only counted. */
export function renderStatuses(reports: readonly StatusReport[], all: boolean): string {
  const isMerged = ({ mergedAs }: StatusReport): boolean => mergedAs !== null;
  const isOpen = ({ phase }: StatusReport): boolean => !["none", "done", "cancelled"].includes(phase);
  const merged = reports.filter(isMerged);
  const others = reports.filter((report) => !isMerged(report));
  const shown = [
    ...others.filter(isOpen),
    ...others.filter((report) => !isOpen(report)),
    ...(all ? merged : []),
  ];
  const { isTTY, columns = 80 } = io().stdout;
  const width = isTTY ? Math.max(40, columns) : 80;
  const lines = shown.map((report) => {
    const { because, current, there } = report;
    const stopped = stoppedOf(report);
    const now = current ? t`${because}; ${evidenceOf(current)}` : because;
    const text = stopped ? t`${stopped.because}; ${now}` : now;
    const why = cutTo(plainLine(text, 400), width - 26);
    const line = `${paint("bold", padTo(report.issue, 11))} ${paint(toneOf(report), padTo(named(report.phase), 12))}  ${why}`;
    const held = there && [holderWords(there, Date.now()), lettersWords(there)].filter(Boolean).join(t`; `);
    return held === undefined ? line : `${line}\n${" ".repeat(26)}${held}`;
  });
  const folded = all || merged.length === 0 ? [] : [t`${merged.length} merged (--all lists them)`];
  return `${[...lines, ...folded].join("\n")}\n`;
}

function stoppedOf({ runner, current, stoppedRunner }: StatusReport): ReturnType<typeof stoppedIn> {
  if (runner === "none") return undefined;
  return stoppedIn({ stoppedRunner: stoppedRunner ?? undefined, stoppedSession: current?.stoppedProcess });
}

function toneOf({ phase }: StatusReport): Tone {
  if (phase === "done") return "good";
  return phase === "blocked" || phase === "cancelled" ? "bad" : "plain";
}

/** The full status of one relay. */
export function renderStatus(report: StatusReport, nowMs: number): string {
  const lines = [
    `${paint("bold", report.issue)}  ${plainLine(report.title)}`,
    ...phaseLines(report),
    ...(report.current ? [row(t`now`, currentLine(report.current))] : []),
    ...(report.next === "nothing"
      ? []
      : [row(t`next`, `${report.next}${until(report.waitingUntilMs, nowMs)}`)]),
    ...(report.hint ? [row(t`hint`, plainHint(report.hint))] : []),
    ...(report.question
      ? [
          row(
            t`question`,
            t`session ${report.question.session} asks: ${plainLine(report.question.text, 2_000)}`,
          ),
          row("", `monoco answer ${report.issue}${report.there ? " --remote" : ""} "…"`),
        ]
      : []),
    ...(report.pullRequest?.seen?.others ?? []).map(({ author, url = "" }) =>
      row(t`remark`, t`by ${plainLine(author)}, who may not write here: ${plainLine(url, 500)}`),
    ),
    ...report.kept.map((one) => row(t`kept`, plainLine(one))),
    row(t`runner`, report.there ? holderWords(report.there, nowMs) : runnerWords(report)),
    ...(report.there?.letters ? [row("", lettersWords(report.there))] : []),
    ...(report.refused ? [row(t`refused`, plainLine(refusedWords(report.refused), 800))] : []),
    ...(report.waived.length > 0
      ? [row(t`waived`, t`opened without its ${report.waived.map(named).join(t` and `)}, as a person said`)]
      : []),
    ...(report.baseline ? [row(t`baseline`, baselineWords(report.baseline))] : []),
    row(t`sessions`, `${sessionsWords(report)}${cost(report.costUsd)}`),
    ...report.budgets.map((one) =>
      row(t`budget`, t`${named(one.span)}: ${budgetWords(one)} (budgets.${one.span}.${one.unit})`),
    ),
    ...tableLines(report.sessions.map(sessionRow)),
    ...report.submissions.map(submissionLine),
    ...(report.breaker.is === "closed" ? [] : [row(t`paused`, breakerWords(report))]),
    ...report.suspended.map(({ account, untilMs, because }) => {
      const until = untilMs === null ? "" : t` until ${timeOf(untilMs, nowMs)}`;
      return row(t`suspended`, t`${account}${until}: ${plainLine(because)}`);
    }),
    ...sandboxWords(report.sessions).map((text, index) => row(index === 0 ? t`sandbox` : "", text)),
    row(t`journal`, report.journal),
  ];
  return `${lines.join("\n")}\n`;
}

/** The phase and its reason, wrapped at a terminal. */
function phaseLines(report: StatusReport): string[] {
  const phase = named(report.phase);
  const text = t`${phase}: ${plainLine(report.because, 800)}`;
  const { isTTY, columns = 80 } = io().stdout;
  const [first = "", ...more] = isTTY ? wrapTo(text, Math.max(40, columns) - 12, Infinity) : [text];
  const painted = first.replace(phase, () => paint(toneOf(report), phase));
  return [row(t`phase`, painted), ...more.map((line) => row("", line))];
}

function baselineWords({ commit, red }: NonNullable<StatusReport["baseline"]>): string {
  if (red.length === 0) return t`green (${short(commit)})`;
  return t`red before any session (${short(commit)}): ${plainLine(red.join("; "), 600)}`;
}

function runnerWords({ runner, stoppedRunner }: StatusReport): string {
  if (runner === "none") return named("none");
  if (stoppedRunner === null) return t`alive (it holds the relay's lock)`;
  return t`process STOPPED by a signal (/proc/${stoppedRunner}/stat; kill -CONT ${stoppedRunner} lets it go on)`;
}

function row(label: string, text: string): string {
  return `  ${padTo(label, 10)}${text}`;
}

function breakerWords({ breaker }: StatusReport): string {
  const because = plainLine(breaker.because ?? "");
  return breaker.is === "half_open" ? t`one session tries again: ${because}` : because;
}

function currentLine(now: Current): string {
  const assumed = now.windowAssumed
    ? t` of an assumed window of ${now.windowTokens} tokens (agents.${now.agent}.windowTokens sets it)`
    : "";
  const context =
    now.contextTokens === null
      ? ""
      : t`, context ${percent(now.contextTokens, now.windowTokens ?? undefined)}${assumed}`;
  return t`session ${now.session}, ${named(now.role)} by ${now.agent}, ${seconds(now.elapsedMs)}${context}; ${evidenceOf(now)}`;
}

/** The evidence that the session is alive. */
function evidenceOf({ processAlive, stoppedProcess, lastOutputMsAgo }: Current): string {
  const output = lastOutputMsAgo === null ? t`no output yet` : t`last output ${seconds(lastOutputMsAgo)} ago`;
  const alive =
    stoppedProcess === null
      ? t`process alive`
      : t`process STOPPED by a signal (/proc/${stoppedProcess.pid}/stat; kill -CONT -${stoppedProcess.group} lets it go on)`;
  return t`${processAlive ? alive : t`process NOT alive`}, ${output}`;
}

function sessionRow(session: RelayReport["sessions"][number]): string[] {
  const parts = [
    session.durationMs === null ? "" : seconds(session.durationMs),
    session.contextTokens === null
      ? ""
      : t`context ${percent(session.contextTokens, session.windowTokens ?? undefined)}`,
    session.commits ? counted(session.commits, "commit") : "",
    session.handoff ? t`handoff: ${named(session.handoff)}` : "",
    session.costUsd === null ? "" : `$${session.costUsd.toFixed(2)}`,
    session.reason === "failure" ? plainLine(session.evidence.join("; "), 120) : "",
  ].filter(Boolean);
  const number = `    ${String(session.session).padStart(3)}`;
  return [number, named(session.role), session.agent, named(session.reason ?? "running"), parts.join(t`, `)];
}

function submissionLine(submission: RelayReport["submissions"][number]): string {
  const verdict = submission.verdict
    ? t`${named(submission.verdict)} by the ${named(submission.decidedBy?.replace("_", " ") ?? "")}, ${counted(submission.findings, "finding")}`
    : t`no verdict yet`;
  const checks =
    submission.checks === null
      ? t`not checked yet`
      : submission.checks === "none"
        ? t`no checks`
        : t`checks ${named(submission.checks)}`;
  const tampered = submission.tampered.length > 0 ? t`, TAMPERED: ${submission.tampered.join(", ")}` : "";
  const paths = submission.protected.length > 0 ? t`, PROTECTED: ${shownFirst(submission.protected)}` : "";
  const weakened = submission.weakened > 0 ? t`, WEAKENED in ${submission.weakened} places` : "";
  return t`    submission ${submission.submission}  ${submission.head.slice(0, 8)}  ${checks}, ${verdict}${tampered}${paths}${weakened}`;
}

function shownFirst(paths: readonly string[]): string {
  return `${paths
    .slice(0, 3)
    .map((path) => plainLine(path))
    .join(", ")}${paths.length > 3 ? ", …" : ""}`;
}

function until(ms: number | null, nowMs: number): string {
  return ms === null ? "" : t` until ${timeOf(ms, nowMs)} (${seconds(Math.max(0, ms - nowMs))})`;
}

function cost(usd: number): string {
  return usd > 0 ? `, $${usd.toFixed(2)}` : "";
}

/** The sandbox of each session. */
function sandboxWords(sessions: StatusReport["sessions"]): string[] {
  const all = sessions.map((one) => ({ session: one.session, words: heldWords(one) }));
  const kinds = [...new Set(all.map(({ words }) => words))];
  if (kinds.length <= 1) return [kinds[0] ?? named("none")];
  return kinds.map((kind) => {
    const held = all.filter(({ words }) => words === kind);
    return t`${kind} (session ${held.map(({ session }) => session).join(", ")})`;
  });
}

function heldWords(session: StatusReport["sessions"][number]): string {
  const { containment } = session;
  return isSandbox(containment) ? sandboxName(session) : t`none; process tree held by ${containment}`;
}

/** Makes the handoff of an ended session: completes the agent's own from facts, or generates all of it. */
import { isOwnFolder } from "../../git/folders.ts";
import { treeOf } from "../../git/repository.ts";
import { makeFolder, writeAtomically } from "../../store/durable.ts";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { ValuesOf } from "../../core/handoff/template-names.ts";
import { fillTemplate } from "../../core/text/template.ts";
import { markContradicted } from "../../core/handoff/claims.ts";
import { carryOver, fitHandoff } from "../../core/handoff/carry-over.ts";
import { lintHandoff } from "../../core/handoff/lint.ts";
import { renderHandoff } from "../../core/handoff/render.ts";
import { normaliseHandoff, parseHandoff } from "../../core/handoff/handoff.ts";
import type { Handoff } from "../../core/handoff/handoff.ts";
import { handoffBytes } from "../../core/limits.ts";
import { oneLine } from "../../core/text/one-line.ts";
import type { SessionRecord } from "../../core/journal/relay-state.ts";
import { failures, uncharged } from "../../core/journal/counts.ts";
import type { EventOf } from "../../core/journal/event.ts";
import { isRed } from "../../core/review/red.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { unfinishedWords } from "../../core/exit/unfinished.ts";
import type { Unfinished } from "../../core/exit/unfinished.ts";
import { workingOnOf } from "../../core/session/working-on.ts";
import { sentences } from "../../core/language/handoff-words.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { failedOf } from "./briefing.ts";
import { besideBaseline } from "../baseline.ts";
import { runCommands } from "../run-checks.ts";
import { contractNow } from "../contract.ts";
import { endOf, gatherFacts, resolvedOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { limitsOf, openingOf, settingsOf, startOf } from "../relay.ts";
import { containmentBy } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import { scoreSession } from "./score.ts";
import { readStream } from "./stream.ts";
import { inEnglish, t } from "../../core/language/translate.ts";
import { endingWords } from "../../core/reason/ending-rows.ts";
import { runName } from "../run-name.ts";

/** Records the handoff of `session`, whose processes are gone and whose work is collected. */
export async function handOver(relay: Relay, session: number): Promise<void> {
  const record = relay.state.sessions.find((candidate) => candidate.session === session)!;
  const checks = await checksOf(relay, record);
  const places = relay.places.session(session, "executor");
  const written = existsSync(places.handoff) ? readFileSync(places.handoff, "utf8") : undefined;
  const ended = record.ended!;
  const { head, wip, unfinished, repositories } = ended;
  const facts = await gatherFacts(relay, { head, wip, unfinished, repositories, checks });
  const seen = readStream(relay, record, places.stream);
  if (ended.reason !== "submitted" && !record.scored && !uncharged(record)) {
    await scoreSession(relay, record, { facts, answer: seen.answer });
  }
  const expected = {
    issue: relay.issue,
    session,
    filesTouched: [...facts.files, ...facts.uncommitted],
    checksOk: facts.checksOk,
    budgetBytes: handoffBytes,
  };
  const faults = written === undefined ? undefined : lintHandoff(written, expected);
  const valid = faults !== undefined && faults.every((finding) => finding.level !== "error");
  const { handoff } = openingOf(relay);
  const previous = handoff && parseHandoff(handoff.text);
  const own = written === undefined ? undefined : parseHandoff(written);
  const { language } = settingsOf(relay);
  const failed = failedOf(relay, checks);
  const submitted = ended.reason === "submitted";
  // A valid handoff of a session that stopped midway names the next steps itself.
  const demands = valid && !submitted ? [] : demandsOn(relay, record, { failed, language });
  const base = valid ? own! : generated(relay, record, { facts, own, demanded: demands.length > 0 });
  const carried = carryOver(previous, base);
  const complete: Handoff = {
    ...carried,
    warnings: warningsNow(relay, carried.warnings, unfinished),
    issue: relay.issue,
    session: String(session),
    stopReason: ended.reason,
    commit: ended.head,
    writtenAt: base.writtenAt ?? new Date(ended.atMs).toISOString(),
    stage: base.stage || "implementing",
    done: markContradicted(base.done, {
      failed,
      finished: submitted || openItems(facts).length === 0,
      language,
    }),
    nextSteps: [...demands, ...base.nextSteps],
    workingOn: workingOnOf({ ...facts, written: base.workingOn, reason: ended.reason }, language),
    facts: [...(valid ? [] : [sentences.generated[language](session, ended.reason)]), ...facts.lines],
    postMortem: failures.has(ended.reason)
      ? postMortem(relay, record, { own: base.postMortem, said: seen.messages })
      : base.postMortem,
  };
  const fitted = fitHandoff(normaliseHandoff(complete), language, handoffBytes);
  const text = renderHandoff(fitted.handoff, language);
  const lint = (faults ?? lintHandoff(text, expected)).map(
    (finding) => `${finding.line}: ${finding.message}`,
  );
  const source = !valid ? "generated" : addedTo(own!, fitted.handoff) ? "completed" : "agent";
  relay.record({
    type: "handoff.recorded",
    session,
    source,
    text,
    sha256: hash("sha256", text),
    lint: [...lint, ...fitted.dropped.map((entry) => t`left out, over ${handoffBytes} bytes: ${entry}`)],
    resolved: resolvedOf(facts.issue),
  });
  // People read this file; the journal has the text already. The session may have run on another machine.
  makeFolder(places.folder);
  writeAtomically(places.handoff, text);
}

/** Each handoff names git's operation in progress anew, without the earlier warnings about it. */
function warningsNow(relay: Relay, carried: readonly string[], unfinished: Unfinished | undefined): string[] {
  const { language } = settingsOf(relay);
  const before = relay.state.sessions.flatMap(({ ended }) =>
    ended?.unfinished ? [unfinishedWords(ended.unfinished, language)] : [],
  );
  const others = carried.filter((text) => !before.includes(text));
  return unfinished ? [unfinishedWords(unfinished, language), ...others] : others;
}

/** The checks on what the session left: those that ran on the same tree, or a new run. */
async function checksOf(relay: Relay, record: SessionRecord): Promise<EventOf<"checks.ran"> | undefined> {
  const { checks } = contractNow(relay);
  const ran = [...relay.state.sessions, ...relay.state.submissions].filter((one) => one.checks);
  if (checks.length === 0 && ran.length === 0) return undefined;
  const ended = record.ended!;
  const tree = await treeOf(relay.repository.git, ended.wip ?? ended.head);
  const earlier = ran.findLast((one) => one.checks?.tree === tree);
  if (earlier) return earlier.checks;
  // Ctrl-C gets an immediate answer, and a missing workspace has nothing to check.
  const interrupted = relay.control.interrupt.aborted || ended.reason === "user_interrupt";
  const skipped = interrupted || checks.length === 0 || !settingsOf(relay).checkAfterSession;
  if (skipped || !ended.progress || !isOwnFolder(relay.places.workspace)) return undefined;
  const logs = relay.places.session(record.session, "executor").folder;
  const run = {
    commands: checks,
    folder: relay.places.workspace,
    logs,
    name: runName`check`,
    minutes: limitsOf(relay).checkMinutes,
    role: "executor" as const,
    sure: true,
  };
  const onto = await startOf(relay, ended.head);
  const results = await besideBaseline(relay, await runCommands(relay, run, false), onto);
  if (relay.control.interrupt.aborted) return undefined;
  const ok = !results.some(isRed);
  const containment = containmentBy(settingsOf(relay), "executor");
  relay.record({
    type: "checks.ran",
    target: "session",
    n: record.session,
    tree,
    ok,
    results,
    containment,
  });
  return record.checks;
}

/** A handoff from facts; an invalid one of the agent's is kept in a file. */
function generated(
  relay: Relay,
  record: SessionRecord,
  { facts, own, demanded }: { facts: Facts; own: Handoff | undefined; demanded: boolean },
): Handoff {
  const { language } = settingsOf(relay);
  const items = [...facts.issue.tasks, ...facts.issue.criteria];
  const open = openItems(facts);
  const ended = record.ended!;
  const usable = own?.issue === relay.issue && own.session === String(record.session) ? own : undefined;
  const { remaining = [], blockedBy } = ended.closing ?? {};
  const steps = [
    ...remaining.map((entry) => oneLine(entry, 300)),
    ...(demanded ? [] : [sentences.stepLook[language]()]),
    ...(facts.uncommitted.length > 0 ? [sentences.commitFirst[language]()] : []),
    ...(contractNow(relay).checks.length > 0 ? [sentences.stepCheck[language]()] : []),
    lastStep(relay, { open: open[0]?.text, demanded }),
  ];
  return {
    issue: relay.issue,
    session: String(record.session),
    stopReason: ended.reason,
    stage: usable?.stage ?? "implementing",
    workingOn: usable?.workingOn ?? "",
    done: usable?.done.length
      ? usable.done
      : items.filter((item) => item.state === "done").map(({ text, state }) => ({ text, state })),
    todo: usable?.todo.length ? usable.todo : open.map(({ text, state }) => ({ text, state })),
    decisions: usable?.decisions ?? [],
    nextSteps: usable?.nextSteps.length ? usable.nextSteps : steps,
    warnings: usable?.warnings ?? (blockedBy === undefined ? [] : [oneLine(blockedBy, 300)]),
    patterns: usable?.patterns ?? [],
    facts: [],
    postMortem: usable?.postMortem ?? "",
  };
}

function openItems({ issue }: Facts): Facts["issue"]["tasks"] {
  return [...issue.tasks, ...issue.criteria].filter(({ state }) => state === "todo" || state === "doing");
}

function lastStep(relay: Relay, { open, demanded }: { open: string | undefined; demanded: boolean }): string {
  const { loop } = openingOf(relay);
  const { language } = settingsOf(relay);
  if (open !== undefined) return sentences.stepContinue[language](open);
  if (loop) return sentences.stepPromise[language](loop.promise);
  return demanded ? sentences.stepSubmitAgain[language]() : sentences.stepSubmit[language]();
}

/** The first next steps: failed checks, and the findings of a verdict on the session's submission. */
function demandsOn(
  relay: Relay,
  { session, ended }: SessionRecord,
  { failed, language }: { failed: readonly CheckResult[]; language: Language },
): string[] {
  const submission = relay.state.submissions.findLast((candidate) => candidate.session === session);
  const review = ended?.reason === "submitted" ? submission?.review : undefined;
  const findings = review && review.by !== "monoco" ? review.findings : [];
  return [
    ...failed.map((check) => sentences.stepFailed[language](check.command, endOf(check, language))),
    ...findings
      .filter((finding) => finding.severity === "blocker" || finding.severity === "major")
      .map((finding) => sentences.stepFinding[language](finding.id, oneLine(finding.title, 300))),
  ];
}

/** The failure, the evidence and the last words, from the record and the kept output. */
function postMortem(
  relay: Relay,
  record: SessionRecord,
  { own, said }: { own: string; said: readonly string[] },
): string {
  const { language } = settingsOf(relay);
  const same = relay.state.sessions.filter(
    (other) => other.role === "executor" && other.ended && failures.has(other.ended.reason),
  ).length;
  const inWords = (): string[] => endingWords(record.ended!.evidence);
  const evidence = language === "en" ? inEnglish(inWords) : inWords();
  const values: ValuesOf<"postMortem"> = {
    session: String(record.session),
    reason: record.ended!.reason,
    evidence: evidence.map((line) => `- ${oneLine(line, 300)}`).join("\n") || "-",
    lastWords:
      said
        .slice(-3)
        .map((line) => `- ${oneLine(line, 300)}`)
        .join("\n") || "-",
    failures: String(same),
    own: own.trim(),
  };
  return fillTemplate(relay.templates(language).postMortem, values).trim();
}

/** Whether sections other than monoco's own were added to the agent's handoff. */
function addedTo(own: Handoff, complete: Handoff): boolean {
  const comparable = (handoff: Handoff): string =>
    JSON.stringify([
      handoff.decisions,
      handoff.warnings,
      handoff.patterns,
      handoff.stage,
      handoff.workingOn,
      handoff.postMortem,
    ]);
  return comparable(normaliseHandoff(own)) !== comparable(complete);
}

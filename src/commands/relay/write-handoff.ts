/** RALPH.md as a session writes it, monoco's or a person's own: a scaffold of known facts first, then checks. */
import { hash } from "node:crypto";
import { unlessRefused } from "../../core/error/attempt.ts";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { carryOver } from "../../core/handoff/carry-over.ts";
import { lintHandoff } from "../../core/handoff/lint.ts";
import { scaffoldHandoff } from "../../core/handoff/render.ts";
import { parseHandoff } from "../../core/handoff/handoff.ts";
import type { HandoffFinding } from "../../core/handoff/lint.ts";
import type { Handoff } from "../../core/handoff/handoff.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { Issue } from "../../core/issue/issue.ts";
import { handoffBytes } from "../../core/limits.ts";
import { stopReasonNow } from "../../core/session/live.ts";
import type { Live } from "../../core/session/live.ts";
import { commitOf, mergeBase } from "../../git/repository.ts";
import { gitIn, gitOr, zeroed } from "../../git/git.ts";
import { refuseUnknownNames } from "../../core/text/template.ts";
import { templateNames } from "../../core/handoff/template-names.ts";
import { plainHint } from "../../core/text/sanitize.ts";
import { writeDurably } from "../../store/durable.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/paint.ts";
import { loadTemplate } from "../../app/documents.ts";
import { io } from "../../io/io.ts";
import { adviceWords } from "../../views/hint.ts";
import { t } from "../../core/language/translate.ts";
import { sentences } from "../../core/language/handoff-words.ts";

export type PrepareFlags = { reason?: string; json: boolean };

/** The place and the subject of RALPH.md; session 0 is a person's own. */
export type HandoffPlace = Pick<
  Live,
  "issue" | "session" | "language" | "workspace" | "base" | "contractPath" | "handoffGiven" | "wrapUpReason"
>;

export type Checked = { path: string; text: string; valid: boolean; findings: HandoffFinding[] };

/** Checks the session's document. Otherwise writes and announces a scaffold, and returns undefined. */
export async function checkOrScaffold(
  place: HandoffPlace,
  flags: PrepareFlags,
): Promise<Checked | undefined> {
  const path = join(place.workspace, "RALPH.md");
  const text = handoffAt(path);
  if (text === undefined || !isOwn(text, place)) {
    await scaffold(place, path, text, flags);
    return undefined;
  }
  const findings = lintHandoff(text, {
    issue: place.issue,
    session: place.session,
    filesKnown: (name) => existsSync(join(place.workspace, name)),
    ...(await touchedIn(place)),
    budgetBytes: handoffBytes,
  });
  return { path, text, findings, valid: findings.every((finding) => finding.level !== "error") };
}

export function handoffAt(path: string): string | undefined {
  return existsSync(path) && lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
}

/** Whether the session wrote the document: it is neither the one that was given nor another session's. */
export function isOwn(text: string, place: HandoffPlace): boolean {
  return hash("sha256", text) !== place.handoffGiven && isOf(text, place);
}

/** The files changed by the branch and by uncommitted work; empty if the clone has no base to compare with. */
async function touchedIn({ workspace, base }: HandoffPlace): Promise<{ filesTouched?: string[] }> {
  const git = gitIn(workspace);
  const start = await mergeBase(git, `refs/heads/${base}`, "HEAD");
  if (start === undefined) return {};
  const changed = await git(["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", start]);
  const untracked = await git(["ls-files", "--others", "--exclude-standard", "-z"]);
  return { filesTouched: [...zeroed(changed), ...zeroed(untracked)] };
}

/** Whether the document names this issue and session. */
function isOf(text: string, place: HandoffPlace): boolean {
  const handoff = parseHandoff(text);
  return (
    handoff.issue === place.issue &&
    Number.parseInt(handoff.session.match(/\d+/)?.[0] ?? "", 10) === place.session
  );
}

async function scaffold(
  place: HandoffPlace,
  path: string,
  before: string | undefined,
  flags: PrepareFlags,
): Promise<void> {
  const git = gitIn(place.workspace);
  const commit = await commitOf(git, "HEAD");
  const items = readIssue(place);
  const status = (await gitOr(git(["status", "--porcelain", "--ignore-submodules=all"]), "")).trim();
  const uncommitted = status.split("\n").length;
  const log = (await gitOr(git(["log", "--format=%h %s", "--max-count=5"]), "")).trim();
  const handoff: Handoff = {
    issue: place.issue,
    session: String(place.session),
    stopReason: flags.reason ?? stopReasonNow(place),
    ...(commit ? { commit } : {}),
    writtenAt: new Date().toISOString(),
    stage: "implementing",
    workingOn: status.split("\n")[0]?.slice(2).trim() ?? "",
    done: itemsIn(items, (state) => state === "done"),
    todo: itemsIn(items, (state) => state === "todo" || state === "doing"),
    decisions: [],
    nextSteps: [],
    warnings: [],
    patterns: [],
    facts: [
      ...(log ? [sentences.lastCommits[place.language](log.split("\n").join("; "))] : []),
      ...(status
        ? [sentences.uncommittedCount[place.language](uncommitted, uncommitted === 1 ? "" : "s")]
        : []),
    ],
    postMortem: "",
  };
  const carried = carryOver(before === undefined ? undefined : parseHandoff(before), handoff);
  const template = loadTemplate(place.workspace, place.language, "RALPH.md");
  refuseUnknownNames(template.text, templateNames.ralph, template.path);
  writeDurably(path, scaffoldHandoff(template.text, carried));
  if (flags.json) printJson({ path, scaffolded: true, valid: false });
  else {
    io().stdout.write(t`${path} is written, with what is known filled in.\n`);
    io().stdout.write(
      t`next: write the next steps (at least one), decisions and warnings into it; then run monoco relay prepare again\n`,
    );
  }
}

function readIssue(place: HandoffPlace): Issue | undefined {
  const path = join(place.workspace, place.contractPath);
  if (place.contractPath === "" || !existsSync(path)) return undefined;
  return unlessRefused(() => parseIssue(readFileSync(path, "utf8"), place.contractPath));
}

function itemsIn(issue: Issue | undefined, wanted: (state: string) => boolean): Handoff["done"] {
  return [...(issue?.tasks ?? []), ...(issue?.criteria ?? [])]
    .filter((item) => wanted(item.state))
    .map(({ text, state }) => ({ text, state }));
}

/** Prints the findings, for a person or an agent. */
export function tellFindings(findings: readonly HandoffFinding[]): void {
  for (const { level, line, message, hint } of findings) {
    const word = level === "error" ? t`error` : t`warning`;
    io().stdout.write(
      `${paint(level === "error" ? "bad" : "dim", t`${word}: RALPH.md:${line}: ${message}`)}\n${t`  hint: ${plainHint(adviceWords(hint))}`}\n`,
    );
  }
}

/** monoco relay prepare: scaffolds RALPH.md from what is known; run again, lints it and, once valid, hands over. */
import { hash } from "node:crypto";
import { unlessRefused } from "../../core/error/attempt.ts";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { counted } from "../../core/text/counted.ts";
import { MonocoError } from "../../core/error/error.ts";
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
import { templateNames } from "../../core/text/template-names.ts";
import { plainHint } from "../../core/text/sanitize.ts";
import { writeDurably } from "../../store/durable.ts";
import { dropMessage } from "../../store/mailbox.ts";
import { printJson } from "../../views/json.ts";
import { paint } from "../../views/terminal.ts";
import { currentSession } from "../../app/session-context.ts";
import { loadTemplate } from "../../app/documents.ts";
import { io } from "../../io/io.ts";
import { adviceWords } from "../../views/hint.ts";

export type PrepareFlags = { reason?: string; json: boolean };

/** For the session that it is run in; exit status 2 while the document is not valid. */
export async function prepare(flags: PrepareFlags): Promise<number> {
  const session = currentSession();
  if (!session) {
    throw new MonocoError("input", "only a session hands over, and this is none", {
      hint: "people write issues and read handoffs: monoco relay show ID",
    });
  }
  const { live: place, outbox } = session;
  if (place.role === "reviewer") {
    throw new MonocoError("input", "a Reviewer hands nothing over", { hint: "give your verdict" });
  }
  const path = join(place.workspace, "RALPH.md");
  const text = existsSync(path) && lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  const own = text !== undefined && hash("sha256", text) !== place.handoffGiven && isOf(text, place);
  if (!own) return scaffold(place, path, text, flags);
  const findings = lintHandoff(text, {
    issue: place.issue,
    session: place.session,
    filesKnown: (name) => existsSync(join(place.workspace, name)),
    ...(await touchedIn(place)),
    budgetBytes: handoffBytes,
  });
  const valid = findings.every((finding) => finding.level !== "error");
  if (valid) dropMessage(outbox, { type: "handoff" });
  report({ path, valid, findings, json: flags.json });
  return valid ? 0 : 2;
}

/** What the branch and the uncommitted work changed; nothing where the clone has no base to compare with. */
async function touchedIn({ workspace, base }: Live): Promise<{ filesTouched?: string[] }> {
  const git = gitIn(workspace);
  const start = await mergeBase(git, `refs/heads/${base}`, "HEAD");
  if (start === undefined) return {};
  const changed = await git(["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", start]);
  const untracked = await git(["ls-files", "--others", "--exclude-standard", "-z"]);
  return { filesTouched: [...zeroed(changed), ...zeroed(untracked)] };
}

/** Whether the document is this session's: what was given, or left by another, is replaced by a scaffold. */
function isOf(text: string, place: Live): boolean {
  const handoff = parseHandoff(text);
  return (
    handoff.issue === place.issue &&
    Number.parseInt(handoff.session.match(/\d+/)?.[0] ?? "", 10) === place.session
  );
}

async function scaffold(
  place: Live,
  path: string,
  before: string | undefined,
  flags: PrepareFlags,
): Promise<number> {
  const git = gitIn(place.workspace);
  const commit = await commitOf(git, "HEAD");
  const items = readIssue(place);
  const status = (await gitOr(git(["status", "--porcelain", "--ignore-submodules=all"]), "")).trim();
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
      ...(log ? [`Last commits: ${log.split("\n").join("; ")}`] : []),
      ...(status ? [`Uncommitted: ${counted(status.split("\n").length, "file")}`] : []),
    ],
    postMortem: "",
  };
  const carried = carryOver(before === undefined ? undefined : parseHandoff(before), handoff);
  const template = loadTemplate(place.workspace, place.language, "RALPH.md");
  refuseUnknownNames(template.text, templateNames.ralph, template.path);
  writeDurably(path, scaffoldHandoff(template.text, carried));
  if (flags.json) printJson({ path, scaffolded: true, valid: false });
  else {
    io().stdout.write(`${path} is written, with what is known filled in.\n`);
    io().stdout.write(
      "next: write the next steps (at least one), decisions and warnings into it; then run monoco relay prepare again\n",
    );
  }
  return 0;
}

function readIssue(place: Live): Issue | undefined {
  const path = join(place.workspace, place.contractPath);
  if (place.contractPath === "" || !existsSync(path)) return undefined;
  return unlessRefused(() => parseIssue(readFileSync(path, "utf8"), place.contractPath));
}

function itemsIn(issue: Issue | undefined, wanted: (state: string) => boolean): Handoff["done"] {
  return [...(issue?.tasks ?? []), ...(issue?.criteria ?? [])]
    .filter((item) => wanted(item.state))
    .map(({ text, state }) => ({ text, state }));
}

function report(of: { path: string; valid: boolean; findings: HandoffFinding[]; json: boolean }): void {
  const { path, valid, findings, json } = of;
  if (json) return printJson({ path, valid, findings });
  for (const { level, line, message, hint } of findings) {
    io().stdout.write(
      `${paint(level === "error" ? "bad" : "dim", `${level}: RALPH.md:${line}: ${message}`)}\n  hint: ${plainHint(adviceWords(hint))}\n`,
    );
  }
  if (!valid)
    io().stdout.write("RALPH.md is not valid yet: fix the errors, then run monoco relay prepare again\n");
  else io().stdout.write("RALPH.md is valid. Stop now: a fresh session goes on from it.\n");
}

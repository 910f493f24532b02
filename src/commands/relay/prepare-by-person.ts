/** monoco relay prepare outside a session of monoco: a person's own session hands over, as session 0 of the coming relay. */
import { hash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { replay } from "../../core/journal/state.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { counted } from "../../core/language/counted.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { keepCheckout } from "../../relay/people/checkout.ts";
import type { Checkout } from "../../relay/people/checkout.ts";
import { branchIn } from "../../git/worktrees.ts";
import { gitIn, gitOr } from "../../git/git.ts";
import { systemClock } from "../../relay/clock.ts";
import { isKept, keepHandOver } from "../../store/handovers.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { printJson } from "../../views/json.ts";
import { idInBranch, openHere, placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { settledHere } from "../../app/settings.ts";
import { excludeRuntime, findIssueOnBase } from "../../app/wire.ts";
import { installedIn } from "../../app/hooks/apply.ts";
import { listedIssues } from "../../app/listed-issues.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { checkOrScaffold, handoffAt, isOwn, tellFindings } from "./write-handoff.ts";
import type { Checked, HandoffPlace, PrepareFlags } from "./write-handoff.ts";
import { t } from "../../core/language/translate.ts";

/** Exit status 2 while the document is not valid. Writes nothing in the checkout but RALPH.md. */
export async function prepareByPerson(id: string | undefined, flags: PrepareFlags): Promise<number> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const issue = id === undefined ? await issueHere(here) : validId(id);
  const { base, language } = settledHere(here).settings;
  const branch = await workBranch(here, issue, base);
  const { path: contractPath, text } = await findIssueOnBase(here, issue, base);
  const { status } = parseIssue(text, contractPath);
  if (status !== "open") {
    throw new MonocoError("input", t`${contractPath}: ${issue} is ${status} on ${base}`, {
      hint: t`monoco issue ${status === "backlog" ? "pull" : "reopen"} ${issue} and commit that on ${base}; or name another issue`,
    });
  }
  refuseBegun(here, issue);
  const workspace = here.repository.worktree;
  const about = { issue, session: 0, language, workspace, base, contractPath, handoffGiven: "" };
  await refuseOthers(here, about);
  excludeRuntime(here.repository);
  const checked = await checkOrScaffold(about, flags);
  if (!checked) return 0;
  const kept = checked.valid ? await keep(here, { issue, branch, checked }) : undefined;
  tell(checked, { issue, branch, kept, json: flags.json });
  return checked.valid ? 0 : 2;
}

/** The issue that the branch names, else the only one in progress here, else the only open one. */
async function issueHere(here: Here): Promise<string> {
  const inBranch = await idInBranch(here);
  if (inBranch !== undefined) return inBranch;
  const open = (await listedIssues(here)).issues.filter(({ status }) => status === "open");
  const doing = open.filter(({ stage }) => stage === "doing");
  const only = [doing, open].find(({ length }) => length === 1)?.[0];
  if (only) return only.id;
  const [first = "FEAT-0001", ...others] = (doing.length > 0 ? doing : open).slice(0, 10).map(({ id }) => id);
  const command = `monoco relay prepare ${first}`;
  throw new MonocoError("input", t`which issue? No id was given, and the branch names none`, {
    hint: others.length > 0 ? t`${command}, or ${others.join(", ")}` : command,
  });
}

/** Requires a branch other than the base: uncommitted work on the base would keep the merge from moving it. */
async function workBranch(here: Here, issue: string, base: string): Promise<string> {
  const branch = await branchIn(here.repository.worktree);
  if (branch !== undefined && branch !== base) return branch;
  const where = branch === undefined ? t`HEAD is detached` : t`${base} is checked out`;
  throw new MonocoError("input", t`${where}: a hand-over needs a branch of the issue`, {
    hint: t`git switch -c work/${issue} (uncommitted work comes along), then monoco relay prepare ${issue}`,
  });
}

/** Refuses while a relay has sessions or submissions: a branch of the person's would leave out their work. */
function refuseBegun(here: Here, issue: string): void {
  const { journal } = placesFor(here, issue);
  const state = existsSync(journal) ? replay(viewJournal(journal)) : undefined;
  const { opening } = state ?? {};
  if (!state || !opening || ["none", "done"].includes(phaseOf(state))) return;
  if (opening.sessions.length + opening.submissions.length === 0) return;
  throw new MonocoError("input", t`${issue} has an open relay with work of its own: it takes nothing over`, {
    hint: t`monoco resume ${issue} goes on with it; or monoco relay clear ${issue} ends it and keeps its work, then monoco relay prepare ${issue}`,
  });
}

/** Refuses to overwrite somebody else's RALPH.md, unless it was handed over and is kept. */
async function refuseOthers(here: Here, place: HandoffPlace): Promise<void> {
  const { workspace } = place;
  const path = join(workspace, "RALPH.md");
  const tracked = await gitOr(gitIn(workspace)(["ls-files", "--", "RALPH.md"]), "");
  if (tracked !== "") {
    throw new MonocoError("input", t`${path} is tracked by git: it would become part of the work`, {
      hint: t`git mv RALPH.md RALPH.old.md, and commit that`,
    });
  }
  const text = handoffAt(path);
  if (text === undefined || isOwn(text, place)) return;
  if (isKept(repositoryPlaces(here.repository.root, io().env), hash("sha256", text))) return;
  throw new MonocoError("input", t`${path} is not the handoff of session 0 of ${place.issue}`, {
    hint: t`move it away (mv RALPH.md RALPH.old.md), or write "- Issue: ${place.issue}" and "- Session: 0" into it; then run monoco relay prepare ${place.issue} again`,
  });
}

async function keep(here: Here, of: { issue: string; branch: string; checked: Checked }): Promise<Checkout> {
  const { issue, branch, checked } = of;
  const places = repositoryPlaces(here.repository.root, io().env);
  const { worktree } = here.repository;
  const kept = await keepCheckout(here.repository, {
    worktree,
    issue,
    scratch: join(places.handovers, issue, "snapshot"),
    except: installedIn(here, worktree),
  });
  const { head, wip, leftOut } = kept;
  keepHandOver(places, {
    v: 1,
    id: randomUUID(),
    issue,
    branch,
    worktree,
    head,
    ...(wip ? { wip } : {}),
    leftOut,
    text: checked.text,
    sha256: hash("sha256", checked.text),
    lint: checked.findings.map(({ message }) => message),
    atMs: systemClock.nowMs(),
  });
  return kept;
}

function tell(
  { path, valid, findings }: Checked,
  of: { issue: string; branch: string; kept: Checkout | undefined; json: boolean },
): void {
  const { issue, branch, kept } = of;
  const next = kept ? `monoco resume ${issue}` : `monoco relay prepare ${issue}`;
  if (of.json) return printJson({ issue, branch, path, valid, findings, next, ...kept });
  tellFindings(findings);
  if (!kept) {
    io().stdout.write(t`RALPH.md is not valid yet: fix the errors, then run ${next} again\n`);
    return;
  }
  const { head, uncommitted, leftOut } = kept;
  const some =
    uncommitted.length === 0 ? t`nothing uncommitted` : counted(uncommitted.length, "uncommitted file");
  io().stdout.write(
    t`${issue}: ${plainLine(branch)} at ${head.slice(0, 8)} with ${some} is handed over; your checkout stays as it is\n`,
  );
  for (const one of leftOut) io().stdout.write(t`left out: ${plainLine(one, 600)}\n`);
  io().stdout.write(t`next: end this session; ${next} goes on headless\n`);
}

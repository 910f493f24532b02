/** Opens a relay: pins the contract from the base branch, the settings and the roles. */
import { commitOfBase, documentAt, entryAt } from "../git/repository.ts";
import { refuseSiblings } from "../git/siblings.ts";
import { refuseFilters } from "../git/filters.ts";
import { behindUpstream } from "../git/remotes.ts";
import { removeClone } from "../git/clone/workspace.ts";
import { setSessionsAside, startRefs } from "../git/refs.ts";
import { becauseOf } from "../core/reason/reason.ts";
import { hash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { MonocoError } from "../core/error/error.ts";
import type { Advice } from "../core/error/hint-schema.ts";
import { behindRemedy, behindWords } from "../core/relay/behind.ts";
import { roles } from "../core/settings/agent-kinds.ts";
import type { EventOf, Waiver } from "../core/journal/event.ts";
import { loopPrefix } from "../core/issue/name.ts";
import { closeIssue } from "../core/issue/edit.ts";
import { parseIssue } from "../core/issue/issue.ts";
import type { Issue } from "../core/issue/issue.ts";
import { documentBytesMax } from "../core/limits.ts";
import { loopSource } from "../core/prompt/loop.ts";
import type { Loop } from "../core/journal/loop-schema.ts";
import { workBranch } from "../core/settings/finish-schema.ts";
import { choosePreset } from "../core/settings/presets.ts";
import type { PresetChoice } from "../core/settings/presets.ts";
import { settingsChanged, withKept } from "../core/settings/change.ts";
import { placeOf, settle } from "../core/settings/layers.ts";
import type { Settled } from "../core/settings/layers.ts";
import type { Git } from "../git/git.ts";
import { isHeldBack, isOver, isUnbegun } from "../core/relay/phase.ts";
import { chooseAgent } from "./choose-agent.ts";
import { contractNow } from "./contract.ts";
import { compareWithCopy } from "./journal-copy.ts";
import { openingOf, settingsOf } from "./relay.ts";
import type { Relay, RelaySetup } from "./relay.ts";
import { t } from "../core/language/translate.ts";

/** The person's current settings, with the origin of each, for opening or resuming a relay. */
export type Terms = {
  settled: Settled;
  roleTexts: { executor: string; reviewer: string };
  /** What the person allows the issue to lack. */
  waived?: readonly Waiver[];
  /** The person resumes this relay by its name: a session may try at once. */
  now?: boolean;
};

/** An issue's file on the base. */
export type FoundIssue = {
  path: string;
  text: string;
  baseCommit: string;
  /** The loop from whose prompt the text was made; a loop has no issue file. */
  loop?: Loop;
  /** The issue that `canOpen` parsed from this text. */
  issue?: Issue;
};

/**
 * Opens the relay, or resumes it with the person's current settings; one that its baseline stopped opens on the base as it is
 * now. `issueFile` is the issue on the base. Throws like `canOpen`.
 */
export async function openOrResume(
  relay: Relay,
  given: Terms,
  issueFile: FoundIssue | undefined,
): Promise<void> {
  await compareWithCopy(relay);
  const { opening } = relay.state;
  const open = opening && !opening.cleared && !isOver(opening) ? opening : undefined;
  const terms = open ? { ...given, settled: withKept(given.settled, open) } : given;
  if (open && !(issueFile && isUnbegun(open))) return resume(relay, terms, issueFile);
  if (!issueFile) throw new MonocoError("bug", t`opening needs the issue's file`);
  const issue = issueFile.issue ?? (await canOpen(relay, terms, issueFile));
  const { baseCommit, loop } = issueFile;
  const pinned = termsNow(terms, { ...issueFile, issue });
  const { base, clones } = pinned.settings;
  const git = relay.repository.git;
  discardClones(relay);
  const held = clones === "borrowed";
  if (relay.state.seq === 0) await setSessionsAside(git, relay.issue, relay.nowMs());
  await startRefs(git, relay.issue, { baseCommit, held, atMs: relay.nowMs() });
  const ofLoop = loop ? { loop } : {};
  relay.record({ type: "relay.opened", issue: relay.issue, base, baseCommit, ...pinned, ...ofLoop });
}

/** The terms by which a relay opens now, or is taken over from another machine. */
export function termsNow(
  terms: Terms,
  { issue, path, text, loop }: Omit<FoundIssue, "baseCommit"> & { issue: Issue },
): NonNullable<EventOf<"relay.pulled">["terms"]> {
  const { settled, preset } = inForce(terms, { issue, loop });
  const { settings, origins } = settled;
  return {
    title: issue.title,
    contract: { path, text, sha256: hash("sha256", text) },
    branch: workBranch(settings.finish.branch, issue),
    settings,
    settingsSha256: hash("sha256", JSON.stringify(settings)),
    origins: placesOfAll(origins),
    ...(preset ? { preset } : {}),
    ...(terms.settled.policy === undefined ? {} : { policy: terms.settled.policy }),
    roleTexts: terms.roleTexts,
    ...(issue.criticality ? { criticality: issue.criticality } : {}),
    ...waivedOf(terms, issue),
  };
}

/** `--without-criteria` has no effect on an issue that has criteria. */
function waivedOf({ waived = [] }: Terms, issue: Issue): { waived?: Waiver[] } {
  const used = waived.filter((one) => one !== "criteria" || issue.criteria.length === 0);
  return used.length > 0 ? { waived: used } : {};
}

/**
 * Returns the issue if a relay can be opened on it. Throws `input` for a closed issue, an issue without criteria, or an
 * unusable base, and `agent` if a role has no usable agent. Changes nothing.
 */
export async function canOpen(setup: RelaySetup, terms: Terms, issueFile: FoundIssue): Promise<Issue> {
  const { settings } = terms.settled;
  const { path, text, baseCommit } = issueFile;
  const issue = parseIssue(text, path);
  if (issue.id !== setup.issue) {
    const line = text.split("\n").findIndex((one) => /^\W*id\W*:/.test(one)) + 1;
    throw new MonocoError("input", t`${path}:${line}: its id is ${issue.id}, not ${setup.issue}`, {
      hint: t`the file's name and the id in it must be the same: fix one of them, and commit that`,
    });
  }
  if (issue.status !== "open") {
    throw new MonocoError("input", t`${path}: ${setup.issue} is ${issue.status} on ${settings.base}`, {
      hint: t`monoco issue ${issue.status === "backlog" ? "pull" : "reopen"} ${setup.issue} and commit that on ${settings.base}; or choose another issue`,
    });
  }
  if (issue.criteria.length === 0 && !issueFile.loop && !terms.waived?.includes("criteria")) {
    const message = t`${path}: ${setup.issue} has no acceptance criteria: nothing could show that it is done`;
    throw new MonocoError("input", message, {
      hint: t`write what has to be true under ## Acceptance Criteria, one \`- [ ]\` each, and commit it; or let it be judged by its objective alone: monoco run ${setup.issue} --without-criteria`,
    });
  }
  // Tries now whether the issue can be closed, so that the merge does not fail on it after all the work.
  if (text !== closable)
    closeIssue(text, {
      closedAt: new Date(setup.nowMs()).toISOString(),
      solution: "implemented",
      file: path,
    });
  closable = text;
  // The pull request would show commits that the remote's base already has, or conflict with them.
  const behind =
    settings.finish.by === "pr" ? await behindUpstream(setup.repository.git, settings.base) : undefined;
  if (behind) throw new MonocoError("input", behindWords(behind), { hint: behindRemedy(behind) });
  const needed = issueFile.loop?.review === false ? (["executor"] as const) : roles;
  for (const role of needed) chooseAgent(setup, settings, { role, names: [] });
  refuseSiblings(setup.repository, settings.siblings);
  await refuseFilters(setup.repository.git, baseCommit, settings.filters);
  return issue;
}

/** The last text that could be closed: `canOpen` runs before the lock is taken and again at the opening. */
let closable: string | undefined;

/** Throws `input` if an open relay cannot be resumed because it is cancelled or has another base. */
export function canGoOn({ issue, state }: Pick<Relay, "issue" | "state">, base: string): void {
  const { halted, settings } = state.opening ?? {};
  if (halted?.phase === "cancelled") {
    const kind = halted.reason.rule === "pull_request_closed" ? "person" : "input";
    throw new MonocoError(kind, t`${issue} is cancelled: ${becauseOf(halted.reason)}`, {
      hint: t`monoco relay clear ${issue}, then run it anew`,
    });
  }
  if (settings && base !== settings.base) {
    throw new MonocoError("input", t`base is now ${base}, but this relay works from ${settings.base}`, {
      hint: t`set base back, or monoco relay clear ${issue} and run it anew`,
    });
  }
}

function resume(relay: Relay, terms: Terms, issueFile: FoundIssue | undefined): void {
  const { halted, preset: chosen, settingsSha256: before } = openingOf(relay);
  const { settled, preset } = inForce(terms, {
    issue: contractNow(relay).issue,
    loop: loopNow(relay, issueFile),
    chosen,
  });
  const { settings, origins } = settled;
  const settingsSha256 = hash("sha256", JSON.stringify(settings));
  const changed = settingsSha256 !== before;
  const holdsBack = terms.now === true && isHeldBack(openingOf(relay), relay.nowMs());
  if (!changed && !halted && !holdsBack) return;
  canGoOn(relay, settings.base);
  relay.record({
    type: "relay.resumed",
    by: "person",
    ...(changed
      ? {
          settings,
          settingsSha256,
          origins: placesOfAll(origins),
          ...(preset ? { preset } : {}),
          ...(settled.policy === undefined ? {} : { policy: settled.policy }),
          changes: settingsChanged(settingsOf(relay), settled),
        }
      : {}),
  });
}

/** Settles `auto` by the contract when the relay opens; explicit choices stay. */
function inForce(
  { settled }: Terms,
  { issue, loop, chosen }: { issue: Issue; loop?: Loop | undefined; chosen?: PresetChoice | undefined },
): { settled: Settled; preset?: PresetChoice } {
  const given = loop ? [loopSource(loop), ...settled.given] : settled.given;
  if (settled.settings.preset !== "auto") return { settled: loop ? settle(given) : settled };
  const preset = chosen ?? choosePreset(issue);
  return { settled: settle(given, preset.name), preset };
}

/** The loop, which keeps its number of sessions unless a new one is given. */
function loopNow(relay: Relay, issueFile: FoundIssue | undefined): Loop | undefined {
  const { loop } = openingOf(relay);
  return loop && { ...loop, max: issueFile?.loop?.max ?? settingsOf(relay).limits.sessionsMax };
}

function placesOfAll(origins: Settled["origins"]): Record<string, string> {
  return Object.fromEntries(Object.entries(origins).map(([key, origin]) => [key, placeOf(origin)]));
}

/** Removes the clones; a clone with what may be the only copy of its commits is renamed instead. */
export function discardClones(relay: Pick<Relay, "places" | "nowMs">): void {
  const { workspace, workspaceUsed } = relay.places;
  // This file means that a session's end was not recorded (the journal was lost, say), so its commits may be in no other place.
  if (existsSync(workspaceUsed) && existsSync(workspace))
    renameSync(workspace, `${workspace}.kept-${relay.nowMs()}`);
  rmSync(workspaceUsed, { force: true });
  for (const clone of [workspace, relay.places.review, relay.places.base, relay.places.trial])
    removeClone(clone);
  rmSync(relay.places.workspaceReady, { force: true });
}

/** The error for an issue that is nowhere, or not on the base. */
async function notOnBase(git: Git, { issue, base }: { issue: string; base: string }): Promise<MonocoError> {
  const refuse = (message: string, hint: Advice): MonocoError => new MonocoError("input", message, { hint });
  const missing = t`${issue} is not on ${base}: no file issues/**/${issue}*.md is committed there`;
  if (issue.startsWith(loopPrefix))
    return refuse(missing, [
      [{ do: "open", issue, note: t`opens a loop: it has no issue` }],
      [{ do: "resume", issue }],
    ]);
  const files = `:(top,glob)**/${issue}*.md`;
  if (await git(["ls-files", "--cached", "--others", "--exclude-standard", "--", files]))
    return refuse(
      missing,
      t`git add issues && git commit -m "Add ${issue}" (on ${base}); monoco issue list shows what there is`,
    );
  const last = ["log", "-1", "--branches", "--remotes", "--diff-filter=d", "--source", "--format=%S"];
  const elsewhere = (await git([...last, "--", files])).trim();
  if (elsewhere)
    return refuse(
      missing,
      t`it is on ${elsewhere}: bring it to ${base}, or name that branch in monoco.yaml: base: NAME`,
    );
  return refuse(
    t`${issue} exists nowhere: no branch has a file issues/**/${issue}*.md`,
    t`monoco issue list shows what there is`,
  );
}

/** Finds the issue's file on the base, where the contract must be committed. */
export async function findOnBase(
  git: Git,
  ask: { issue: string; base: string; paths: readonly string[] },
): Promise<FoundIssue> {
  const baseCommit = await commitOfBase(git, ask.base);
  const path = ask.paths[0];
  if (!path) throw await notOnBase(git, ask);
  if (ask.paths.length > 1) {
    const message = t`${ask.issue} is in ${ask.paths.length} files on ${ask.base}: ${ask.paths.join(", ")}`;
    throw new MonocoError("input", message, { hint: t`keep one of them: an id is given once` });
  }
  const entry = await entryAt(git, baseCommit, path);
  if (entry?.kind !== "file" || entry.bytes > documentBytesMax) {
    const why =
      entry?.kind === "file" ? t`it is larger than ${documentBytesMax} bytes` : t`expected a regular file`;
    throw new MonocoError("input", t`${path} on ${ask.base}: ${why}`, {
      hint: t`commit a Markdown file of a sane size in its place`,
    });
  }
  const text = await documentAt(git, baseCommit, path);
  return { path, text: text ?? "", baseCommit };
}

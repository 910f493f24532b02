/** `finish: branch` and `finish: pr`: leaves the commits on the work branch and the base unchanged; opens a pull request for them. */
import { moveBase } from "../../git/landing.ts";
import { push } from "../../git/github/publish.ts";
import { createCommand, describePull, editCommand, openPull } from "../../git/host/pulls.ts";
import { forkOf, gitlabRemote, isGitlab, pushRemoteOf } from "../../git/remotes.ts";
import { writeDurably } from "../../store/durable.ts";
import { refs } from "../../git/refs.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { commitOf, isAncestor, moveRef } from "../../git/repository.ts";
import { join } from "node:path";
import { criteriaOf } from "../../core/issue/contract.ts";
import { dossierOf } from "../../core/report/dossier.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { EventOf } from "../../core/journal/event.ts";
import { byHand, resume } from "../../core/journal/steps.ts";
import type { Block } from "../../core/journal/steps.ts";
import { landingSubject, landingTrailers } from "../../core/report/landing-message.ts";
import { pullRequestBody } from "../../core/report/pull-request-body.ts";
import { shellWord } from "../../core/text/shell.ts";
import { contractNow } from "../contract.ts";
import { attest } from "./attest.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { stopsUpdate } from "./pull-request.ts";
import { tidyClones } from "./tidy-up.ts";
import { inEnglish, t } from "../../core/language/translate.ts";

type Prepared = EventOf<"merge.prepared">;

export async function isOnBranch(relay: Relay, { commit }: Prepared): Promise<boolean> {
  const ref = `refs/heads/${openingOf(relay).branch}`;
  return isAncestor(relay.repository.git, commit, ref);
}

/** Ends the relay with its work on its branch, or blocks it. A repetition after a crash opens no second pull request. */
export async function leaveOnBranch(relay: Relay, prepared: Prepared): Promise<void> {
  const { submission, commit } = prepared;
  const isLeft = openingOf(relay).finished !== undefined;
  const outcome = (await moveBranch(relay, prepared)) ?? (await publish(relay, prepared));
  if (outcome === "over") return;
  // The pull request is still missing, so there is nothing new to record.
  if (isLeft && !("pullRequest" in outcome)) return;
  if ("reason" in outcome) {
    relay.record({ type: "relay.blocked", ...outcome });
    return;
  }
  // The branch is the person's to delete, and its last commit is under no other ref.
  await moveRef(relay.repository.git, refs.parked(relay.issue), commit);
  await attest(relay, commit);
  const kept = await tidyClones(relay, `${submission}`);
  const more = { ...outcome, ...(kept.length > 0 ? { kept } : {}) };
  relay.record({ type: "relay.finished", submission, commit, ...more });
}

/** Moves the branch, but only over submitted commits: others on it are somebody's own. */
async function moveBranch(relay: Relay, prepared: Prepared): Promise<Block | undefined> {
  if (await isOnBranch(relay, prepared)) return undefined;
  const { git } = relay.repository;
  const { branch, base } = openingOf(relay);
  const { commit } = prepared;
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(git, ref);
  const submitted = refs.submission(relay.issue, prepared.submission);
  // The commit that monoco last left in a pull request, also for an earlier relay.
  const left = openingOf(relay).pullRequest?.commit ?? (await commitOf(git, refs.pushed(relay.issue)));
  if (tip && tip !== left && !(await isWithin(relay, tip, [submitted, `refs/heads/${base}`]))) {
    return {
      reason: { rule: "branch_ahead", branch },
      hint: [
        [{ do: "by_hand", what: `git switch ${branch}` }, { do: "submit" }, resume],
        byHand(`git branch -m ${branch} OTHER`),
      ],
    };
  }
  const grows = tip !== undefined && (await isAncestor(git, tip, commit));
  const holder = (await worktreesOf(git)).find((worktree) => worktree.branch === ref);
  if (holder && !grows) {
    const { merge: strategy } = settingsOf(relay);
    return {
      reason: { rule: "branch_held", branch, worktree: holder.path, strategy },
      hint: [byHand(t`switch it to another branch`)],
    };
  }
  if (!grows) return setBranch(relay, { ref, commit, tip });
  const moved = await moveBase(git, { base: branch, commit, expected: tip });
  if (moved.moved) return undefined;
  if (moved.why === "lost") return { reason: { rule: "branch_moved", branch }, hint: [[resume]] };
  const holding = moved.why === "held" ? { worktree: moved.worktree } : {};
  const reason = { rule: "branch_held", branch, ...holding, said: moved.because } as const;
  return { reason, hint: [byHand(moved.remedy)] };
}

async function setBranch(
  relay: Relay,
  to: { ref: string; commit: string; tip: string | undefined },
): Promise<Block | undefined> {
  try {
    await relay.repository.git(["update-ref", to.ref, to.commit, to.tip ?? ""]);
    return undefined;
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    const { branch } = openingOf(relay);
    return {
      reason: { rule: "branch_stuck", branch, said: error.message },
      hint: [byHand(t`fix that`)],
    };
  }
}

async function isWithin(relay: Relay, commit: string, others: readonly string[]): Promise<boolean> {
  const within = others.map((other) => isAncestor(relay.repository.git, commit, other));
  return (await Promise.all(within)).includes(true);
}

type Published = Pick<EventOf<"relay.finished">, "pullRequest" | "todo">;

/**
 * Pushes the branch and opens or updates its pull request. A failed push blocks, and is tried again on resume. If only the pull
 * request fails, `todo` says how to open it. `over`: the state of the pull request was recorded instead.
 */
async function publish(relay: Relay, prepared: Prepared): Promise<Published | Block | "over"> {
  const { pullRequest: pull } = openingOf(relay);
  if (settingsOf(relay).finish.by !== "pr" && !pull) return {};
  const { git, root } = relay.repository;
  const { branch, base } = openingOf(relay);
  const body = await bodyOf(relay, prepared);
  const title = landingSubject(openingOf(relay));
  const file = join(relay.places.submission(prepared.submission), "dossier.md");
  writeDurably(file, body);
  const remote = await pushRemoteOf(git, { branch, base });
  const across = remote === undefined ? undefined : await forkOf(git, { remote, base });
  const own = remote === undefined ? undefined : await gitlabRemote(git, remote, relay.env);
  const gitlab = across ? (isGitlab(across.of, relay.env) ? across.of : undefined) : own;
  const wanted = { base, branch, across, gitlab, title };
  const create = createCommand(wanted, file);
  if (remote === undefined) {
    const pushed = `git push -u REMOTE ${shellWord(branch)}`;
    return { todo: t`no remote to push ${branch} to: git remote add REMOTE URL, ${pushed}, then ${create}` };
  }
  const pushed = refs.pushed(relay.issue);
  // A pull request only grows, since people read it; a first push may replace what monoco pushed there before.
  const before = pull ? undefined : await commitOf(git, pushed);
  if (pull && (await stopsUpdate(relay, { pull, commit: prepared.commit, remote, gitlab }))) return "over";
  relay.onProgress({ type: "step", text: t`pushing ${branch} to ${remote}` });
  const asPerson = { cwd: root, env: relay.env };
  const how = { remote, branch, commit: prepared.commit, before };
  // A push to another remote moves no lease: this one shows that the relay is still this runner's.
  if (relay.shared?.name !== remote) await relay.shared?.push();
  const failed = relay.shared?.name === remote ? await pushShared(relay, how) : await push(asPerson, how);
  if (failed !== undefined) {
    const push = `git push ${shellWord(remote)} ${shellWord(branch)}`;
    return {
      reason: { rule: "push_failed", branch, remote, said: failed },
      hint: [
        byHand(t`fix that (${push} shows it); where names have a rule, set finish.branch for later issues`),
      ],
    };
  }
  await moveRef(git, pushed, prepared.commit);
  if (pull) {
    const { url } = pull;
    const why = await describePull(asPerson, { url, gitlab, body });
    const edit = editCommand({ url, gitlab }, file);
    return {
      pullRequest: url,
      ...(why === undefined ? {} : { todo: t`its body is not written anew (${why}): ${edit}` }),
    };
  }
  const opened = await openPull(asPerson, { ...wanted, body });
  return "url" in opened
    ? { pullRequest: opened.url }
    : {
        todo: t`${branch} is pushed to ${remote}, but no pull request is opened (${opened.because}): ${create}`,
      };
}

/** Pushes the branch in one push with the relay and its lease, so that a runner that lost the relay cannot. Returns why it failed. */
async function pushShared(
  { shared, repository: { git } }: Relay,
  { branch, commit, before }: Parameters<typeof push>[1],
): Promise<string | undefined> {
  const from = await shared!.tip(branch);
  const isKnown = from !== "" && (await commitOf(git, from)) !== undefined;
  const grows = from === "" || from === before || (isKnown && (await isAncestor(git, from, commit)));
  const landed = grows && (await shared!.land({ branch, from, to: commit }));
  if (!landed || landed.is === "moved") return t`somebody else has moved it`;
  return landed.is === "refused" ? landed.said : undefined;
}

async function bodyOf(relay: Relay, { submission, commit, expectedBase }: Prepared): Promise<string> {
  const opening = openingOf(relay);
  const record = opening.submissions.find((candidate) => candidate.submission === submission)!;
  const stat = await relay.repository.git([
    ..."diff --stat --no-ext-diff --no-textconv --no-color".split(" "),
    expectedBase,
    commit,
  ]);
  const criteria = criteriaOf(contractNow(relay).issue);
  const earlier = await relay.earlier(opening, record);
  const input = { opening, submission: record, criteria, stat, ...(earlier && { earlier }) };
  return inEnglish(() => {
    const dossier = dossierOf({ ...input, reader: "page" });
    return pullRequestBody(dossier, landingTrailers(opening, record, relay.journal.head()));
  });
}

/** Reads a relay's pull request and records what it asks for; if it was merged or closed, the relay ends. */
import { commitElsewhere } from "../../core/relay/phase.ts";
import { takenIds } from "../../core/pulls/findings.ts";
import { blockAhead, judgePullRequest, overThere } from "../../core/pulls/judge.ts";
import type { EventBody } from "../../core/journal/event.ts";
import type { PullRequest } from "../../core/journal/relay-state.ts";
import { isAncestor } from "../../git/repository.ts";
import { isOnBase } from "../../git/landing.ts";
import { gitlabRemote, pushRemoteOf } from "../../git/remotes.ts";
import type { Hosted } from "../../git/remotes.ts";
import { seePull } from "../../git/host/pulls.ts";
import { MonocoError } from "../../core/error/error.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { attest } from "./attest.ts";
import { learn } from "./learn.ts";
import { tidyBranch } from "./tidy-up.ts";
import { t } from "../../core/language/translate.ts";

/** Throws like `gh`, and records nothing then. The caller makes sure that the relay waits for its pull request. */
export async function lookAtPullRequest(relay: Relay): Promise<void> {
  const opening = openingOf(relay);
  const { pullRequest: pull, base } = opening;
  if (!pull) throw new MonocoError("bug", t`${relay.issue}: it has no pull request`);
  const { git, root } = relay.repository;
  const commit = commitElsewhere(opening);
  if (commit !== undefined && (await isOnBase(git, base, commit))) {
    const { submission, url: pullRequest } = pull;
    await recordAll(relay, [{ type: "merge.done", submission, commit, pullRequest }]);
    return;
  }
  const { url } = pull;
  relay.onProgress({ type: "step", text: t`looking at ${url}` });
  const remote = (await pushRemoteOf(git, opening)) ?? "origin";
  const gitlab = await gitlabRemote(git, remote, relay.env);
  const look = await seePull({ cwd: root, env: relay.env }, { url, gitlab, taken: takenIds(relay.state) });
  await recordAll(relay, judgePullRequest({ ...relay.state, opening }, { pull, look, remote }));
}

/**
 * Before a push, records that the pull request was merged or closed, or that others pushed to it; returns whether it recorded
 * something. If GitHub cannot be asked, the push itself is safe: it never replaces a commit.
 */
export async function stopsUpdate(
  relay: Relay,
  of: { pull: PullRequest; commit: string; remote: string; gitlab: Hosted | undefined },
): Promise<boolean> {
  const { git, root } = relay.repository;
  const { pull, commit, remote, gitlab } = of;
  const { url } = pull;
  const look = await seePull({ cwd: root, env: relay.env }, { url, gitlab }).catch(() => undefined);
  if (!look) return false;
  // A commit that is not in this repository cannot be an ancestor.
  const ahead = look.head !== pull.commit && !(await isAncestor(git, look.head, commit));
  const event = overThere(pull, look) ?? (ahead ? blockAhead(openingOf(relay), { url, remote }) : undefined);
  await recordAll(relay, event ? [event] : []);
  return event !== undefined;
}

async function recordAll(relay: Relay, events: readonly EventBody[]): Promise<void> {
  for (const event of events) {
    if (event.type !== "merge.done") {
      relay.record(event);
      continue;
    }
    const last = relay.state.submissions.at(-1)?.submission;
    const { branch, pullRequest } = openingOf(relay);
    // The record moves to the commit that landed, if that is another one: by a squash or a rebase there.
    const made = pullRequest?.commit ?? event.commit;
    await attest(relay, made, made === event.commit ? undefined : event);
    const later = last === event.submission ? [] : [t`branch ${branch}: submission ${last} is not in it`];
    const tidied = later.length > 0 ? later : await tidyBranch(relay, event.submission);
    const kept = [...tidied, ...(await learn(relay))];
    relay.record({ ...event, ...(kept.length > 0 ? { kept } : {}) });
  }
}

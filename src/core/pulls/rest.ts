/** The resting phase of a relay whose work is approved and left on its branch, or merged: done, or waiting for its pull request. */
import type { Hint } from "../error/hint-schema.ts";
import type { EventOf } from "../journal/event.ts";
import type { Opening } from "../journal/relay-state.ts";
import type { Reason } from "../reason/reason-schema.ts";
import { t } from "../language/translate.ts";

export type Left = { phase: "done" | "pull_request"; reason: Reason; hint: Hint };

const done = (reason: Reason, hint: Hint = []): Left => ({ phase: "done", reason, hint });

/** `onBase`: the local base has the commit. */
export function mergedRest(
  { base, merged }: Opening & { merged: EventOf<"merge.done"> },
  onBase: boolean,
): Left {
  const { commit, pullRequest } = merged;
  if (pullRequest === undefined) return done({ rule: "merged", commit });
  const there = { rule: "merged", commit, pullRequest } as const;
  if (onBase) return done(there);
  return done({ ...there, missing: base }, [
    [{ do: "by_hand", what: t`git pull on ${base} brings it here` }],
  ]);
}

export function leftRest(
  {
    baseCommit,
    base,
    branch,
    pullRequest: pull,
    ...opening
  }: Opening & { finished: EventOf<"relay.finished"> },
  takenOver: boolean,
): Left {
  const { commit, pullRequest, todo } = opening.finished;
  if (commit === baseCommit) return done({ rule: "nothing_changed" });
  if (takenOver) return done({ rule: "taken_over", base, commit });
  if (pullRequest === undefined) {
    const what = todo ?? t`git merge ${branch} takes it over`;
    return done({ rule: "left", branch, commit }, [[{ do: "by_hand", what }]]);
  }
  const seen = pull?.seen;
  return {
    phase: "pull_request",
    reason: {
      rule: "pull_request",
      url: pullRequest,
      branch,
      base,
      commit,
      ...(seen && {
        seen: {
          pending: seen.pending,
          red: seen.red,
          stopped: seen.stopped,
          decision: seen.decision,
          conflicts: seen.conflicts,
          ahead: seen.head === commit ? undefined : true,
          others: seen.others.length,
        },
      }),
    },
    hint: [
      ...(todo === undefined ? [] : [[{ do: "by_hand", what: todo } as const]]),
      [{ do: "resume", note: t`looks at it again` }],
    ],
  };
}

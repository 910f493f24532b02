/** Judges one look at a pull request: the relay is done, cancelled, sent back, blocked, or keeps waiting. */
import { byHand, resume } from "../journal/steps.ts";
import type { EventBody, EventOf } from "../journal/event.ts";
import type { Opening, PullRequest, RelayState } from "../journal/relay-state.ts";
import { othersNamedMax } from "../limits.ts";
import { shellWord } from "../text/shell.ts";
import { newFindings, takenIds } from "./findings.ts";
import type { PullRequestLook } from "./look.ts";
import { t } from "../language/translate.ts";

/** The events to record, in order; none if nothing has changed. `remote`: the remote that has the branch. */
export function judgePullRequest(
  state: RelayState & { opening: Opening },
  { pull, look, remote }: { pull: PullRequest; look: PullRequestLook; remote: string },
): EventBody[] {
  const over = overThere(pull, look);
  if (over) return [over];
  const seen = seenOf(pull, look);
  const news = isSame(seen, pull.seen) ? [] : [seen];
  const findings = newFindings(look, takenIds(state));
  if (findings.length === 0) return news;
  if (look.head !== pull.commit) return [...news, blockAhead(state.opening, { url: pull.url, remote })];
  const { submission } = pull;
  return [
    ...news,
    { type: "review.decided", submission, by: "pull_request", verdict: "request_changes", findings },
  ];
}

/** The end of the relay if the pull request is merged or closed. */
export function overThere(pull: PullRequest, look: PullRequestLook): EventBody | undefined {
  const { url, submission } = pull;
  if (look.state === "merged")
    return { type: "merge.done", submission, commit: look.commit ?? pull.commit, pullRequest: url };
  if (look.state === "closed")
    return { type: "relay.cancelled", by: "person", reason: { rule: "pull_request_closed", url } };
  return undefined;
}

/** The block if somebody else pushed to the branch: an Executor's commits could not be pushed. */
export function blockAhead({ branch }: Opening, { url, remote }: { url: string; remote: string }): EventBody {
  const from = `${shellWord(remote)} ${shellWord(branch)}`;
  return {
    type: "relay.blocked",
    reason: { rule: "pull_request_ahead", branch, remote, url },
    hint: [
      [
        { do: "by_hand", what: t`git switch ${branch}, git pull --no-rebase ${from}` },
        { do: "submit" },
        resume,
      ],
      byHand(t`take those commits off ${branch} on ${remote}`),
    ],
  };
}

function seenOf({ submission, url }: PullRequest, look: PullRequestLook): EventOf<"pull_request.seen"> {
  const { head, decision, conflicts, checks, remarks } = look;
  const namesOf = (is: string): string[] => checks.filter((check) => check.is === is).map(({ name }) => name);
  const others = remarks.filter(({ writes }) => !writes);
  return {
    type: "pull_request.seen",
    submission,
    url,
    head,
    pending: namesOf("pending"),
    red: namesOf("red"),
    stopped: namesOf("stopped"),
    ...(decision === undefined ? {} : { decision }),
    ...(conflicts ? { conflicts } : {}),
    others: others
      .slice(0, othersNamedMax)
      .map(({ author, url: at }) => ({ author, ...(at && { url: at }) })),
  };
}

function isSame(one: EventOf<"pull_request.seen">, other: EventOf<"pull_request.seen"> | undefined): boolean {
  const fields = (event: EventOf<"pull_request.seen">): string =>
    JSON.stringify([
      event.submission,
      event.url,
      event.head,
      event.pending,
      event.red,
      event.stopped,
      event.decision,
      event.conflicts,
      event.others,
    ]);
  return other !== undefined && fields(one) === fields(other);
}

/** Decisions about submissions, on their way to the base or back to the Executor. */
import type { EventOf, RelayEvent } from "../../journal/event.ts";
import type { RelayState } from "../../journal/relay-state.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";
import { keepsBranch } from "../../relay/phase.ts";
import { gauges } from "../limits-used.ts";
import type { Draft } from "./draft.ts";

export function draftOfSubmission(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "submission.requested":
      return {
        decision: t`put up submission ${event.submission}`,
        ...(event.by === "monoco" && event.session !== undefined
          ? { reason: { rule: "looks_finished", session: event.session } }
          : { rule: "submitted", because: t`the ${named(event.by)} submitted` }),
      };
    case "submission.refused":
      return { decision: t`refuse the submission`, because: event.why, rule: "submission_refused" };
    case "review.refused":
      return {
        decision: t`not take the verdict of session ${event.session}`,
        because: event.why.join(t`; `),
        rule: "verdict_not_counted",
      };
    case "review.decided": {
      const limit = event.by === "monoco" ? "limits.redRoundsMax" : "limits.reviewRoundsMax";
      return {
        decision: event.verdict === "approve" ? t`take the approval` : t`send it back`,
        because: whoDecided(event),
        rule: "verdict",
        numbers: gauges(state).filter(({ setting }) => setting === limit),
        settings: [limit],
      };
    }
    case "merge.questioned":
      return {
        decision: t`have the approval of submission ${event.submission} confirmed on the merged tree`,
        reason: event.reason,
        numbers: [{ what: t`files that meet`, value: event.reason.meets.length }],
      };
    case "merge.done":
      return {
        decision: t`merge submission ${event.submission}`,
        because:
          event.pullRequest === undefined ? t`it is approved and checked` : t`its pull request is merged`,
        rule: "merged",
      };
    case "relay.finished":
      return state.opening && keepsBranch(state.opening)
        ? {
            decision: t`end the loop, its work on its branch`,
            because: t`its promise is given, and the checks pass on submission ${event.submission}`,
            rule: "finished",
          }
        : {
            decision: t`leave submission ${event.submission} on its branch`,
            because: t`it is approved and checked`,
            rule: "left",
            settings: ["finish.by"],
          };
    case "merge.conflicted":
    case "merge.rejected":
      return {
        decision: t`not merge submission ${event.submission}`,
        because: event.type === "merge.rejected" ? event.why : t`conflicts in ${event.paths.join(", ")}`,
        rule: "merge_trouble",
      };
    default:
      return undefined;
  }
}

function whoDecided({ by, submission }: EventOf<"review.decided">): string {
  return by === "monoco"
    ? t`the checks failed on submission ${submission}`
    : t`the ${named(by.replace("_", " "))} decided so on submission ${submission}`;
}

/** One relay in full for live views: its account, its sessions in time, and its last submission. */
import type { RelayEvent } from "../journal/event.ts";
import type { RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { whyNoVerdict } from "../relay/person-verdict.ts";
import { accountOf } from "./account.ts";
import type { Account } from "./account.ts";
import type { reportOf } from "./report.ts";
import { spansOf } from "./spans.ts";
import type { Span } from "./spans.ts";

export type Detail = {
  /** The whole journal, for its moments and its decisions. */
  events: readonly RelayEvent[];
  account: Account;
  spans: Span[];
  submission: SubmissionRecord | null;
  /** Why a person cannot give a verdict on it now; null if one can. */
  closed: string | null;
  /** The last handoff as its session left it. */
  handoff: { session: number; text: string } | null;
};

/** The detail of the last opening; undefined if the journal has none. */
export function detailIn(
  events: readonly RelayEvent[],
  of: { state: RelayState; now: Parameters<typeof reportOf>[1]; handoff: Detail["handoff"] },
): Detail | undefined {
  const account = accountOf(events, of);
  if (!account) return undefined;
  const { state, handoff } = of;
  const { opening } = state;
  const submission = opening?.submissions.at(-1) ?? null;
  const closed = (opening && submission && whyNoVerdict(opening, submission.submission)) ?? null;
  return { events, account, spans: spansOf(events, account.sessions), submission, closed, handoff };
}

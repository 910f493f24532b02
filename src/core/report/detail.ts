/** One relay in full for live views: its account, its sessions in time, and its last submission. */
import type { RelayEvent } from "../journal/event.ts";
import type { RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { accountOf } from "./account.ts";
import type { Account } from "./account.ts";
import type { reportOf } from "./report.ts";
import { spansOf } from "./spans.ts";
import type { Span } from "./spans.ts";

export type Detail = {
  account: Account;
  spans: Span[];
  submission: SubmissionRecord | null;
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
  return { account, spans: spansOf(state), submission: state.opening?.submissions.at(-1) ?? null, handoff };
}

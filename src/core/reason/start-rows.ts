/** Sentences for the start of a session. */
import { accountWords } from "./account-rows.ts";
import { conversationWords } from "./conversation-rows.ts";
import type { RowsOf } from "./row.ts";
import type { BaseMet, Beside, StartReason } from "./start-schema.ts";
import { t } from "../language/translate.ts";

export const startRows: RowsOf<StartReason> = {
  new_relay: { words: (more) => andBeside(t`new relay`, more) },
  handed_over: {
    words: ({ session, remote, ...more }) => {
      if (remote !== undefined) return andBeside(t`pulled from ${remote}`, more);
      const who = session === 0 ? t`a person's own session handed over` : t`session ${session} handed over`;
      return andBeside(who, more);
    },
  },
  submission_refused: { words: (more) => andBeside(t`the submission was refused`, more) },
  merge_trouble: {
    words: ({ what, ...more }) =>
      andBeside(what === "conflict" ? t`the merge conflicted` : t`the merged tree fails its checks`, more),
  },
  checks_red: {
    words: ({ submission, ...more }) => andBeside(t`the checks failed on submission ${submission}`, more),
    settings: ["checks"],
  },
  changes_requested: {
    words: ({ submission, ...more }) =>
      andBeside(t`changes were requested on submission ${submission}`, more),
  },
  checked: { words: ({ submission, ...more }) => andBeside(t`submission ${submission} is checked`, more) },
  second_reviewer: {
    words: ({ approvals, reviewers, criticality, ...more }) =>
      andBeside(
        t`${approvals} of ${reviewers} Reviewers approved (reviewers.${criticality} ${reviewers})`,
        more,
      ),
    settings: ({ criticality }) => [`reviewers.${criticality}`],
  },
  base_met: {
    words: ({ submission, base, meets, mode, ...more }) =>
      andBeside(
        t`${base} has moved since submission ${submission} was approved${meets.length > 0 ? t`, and ${meetingWords(meets)}` : ""} (review.afterMerge ${mode})`,
        more,
      ),
    settings: ["review.afterMerge"],
  },
  verdict_not_counted: { words: (more) => andBeside(t`the last verdict does not count`, more) },
  verdict_missing: { words: (more) => andBeside(t`the last Reviewer gave no verdict`, more) },
};

/** The first few meetings, as text. */
export function meetingWords(meets: BaseMet["meets"]): string {
  const meetings = meets
    .slice(0, 3)
    .map(({ ours, theirs }) =>
      ours === theirs ? t`both sides changed ${ours}` : t`its ${theirs} meets the submission's ${ours}`,
    );
  return `${meetings.join(t`; `)}${meets.length > 3 ? t`; and ${meets.length - 3} more` : ""}`;
}

function andBeside(text: string, { passedOver = [], conversation }: Beside): string {
  const more = [
    ...passedOver.map((one) => accountWords([one])),
    ...(conversation ? [conversationWords(conversation)] : []),
  ];
  return [text, ...more].join(t`; `);
}

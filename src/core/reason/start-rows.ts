/** Why a session starts, in words. */
import { accountWords } from "./account-rows.ts";
import { conversationWords } from "./conversation-rows.ts";
import type { RowsOf } from "./row.ts";
import type { Beside, StartReason } from "./start-schema.ts";

export const startRows: RowsOf<StartReason> = {
  new_relay: { words: (more) => andBeside("a new relay", more) },
  handed_over: { words: ({ session, ...more }) => andBeside(`session ${session} handed over`, more) },
  submission_refused: { words: (more) => andBeside("the submission was refused", more) },
  merge_trouble: {
    words: ({ what, ...more }) =>
      andBeside(what === "conflict" ? "the merge conflicted" : "the merged tree fails its checks", more),
  },
  checks_red: {
    words: ({ submission, ...more }) => andBeside(`the checks failed on submission ${submission}`, more),
    settings: ["checks"],
  },
  changes_requested: {
    words: ({ submission, ...more }) => andBeside(`changes were requested on submission ${submission}`, more),
  },
  checked: { words: ({ submission, ...more }) => andBeside(`submission ${submission} is checked`, more) },
  second_reviewer: {
    words: ({ approvals, reviewers, criticality, ...more }) =>
      andBeside(
        `${approvals} of ${reviewers} Reviewers approved (reviewers.${criticality} ${reviewers})`,
        more,
      ),
    settings: ({ criticality }) => [`reviewers.${criticality}`],
  },
  verdict_not_counted: { words: (more) => andBeside("the last verdict does not count", more) },
  verdict_missing: { words: (more) => andBeside("the last Reviewer gave no verdict", more) },
};

function andBeside(words: string, { passedOver = [], conversation }: Beside): string {
  const accounts = passedOver.map((one) => `; ${accountWords([one])}`).join("");
  return `${words}${accounts}${conversation ? `; ${conversationWords(conversation)}` : ""}`;
}

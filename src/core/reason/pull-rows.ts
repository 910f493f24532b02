/** Sentences for the waits of an open pull request. */
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";

type Waits = {
  pending: readonly string[];
  red: readonly string[];
  stopped: readonly string[];
  decision?: "approved" | "changes_requested" | "review_required" | undefined;
  conflicts?: true | undefined;
  ahead?: true | undefined;
  others: number | readonly unknown[];
  base?: string;
};

export function waitsWords({
  pending,
  red,
  stopped,
  decision,
  conflicts,
  ahead,
  others,
  base,
}: Waits): string {
  const count = typeof others === "number" ? others : others.length;
  const people = {
    approved: t`approved there, and not merged yet`,
    changes_requested: t`changes are requested there`,
    review_required: t`waits for a review there`,
  };
  const checks = [
    ...(pending.length > 0 ? [t`its checks run (${listOf(pending)})`] : []),
    ...(red.length > 0 ? [t`checks failed (${listOf(red)})`] : []),
    ...(stopped.length > 0 ? [t`checks wait for somebody there (${listOf(stopped)})`] : []),
  ];
  return [
    ...checks,
    decision === undefined ? t`waits for its merge there` : people[decision],
    ...(conflicts ? [t`it conflicts with ${base ?? t`its base`}`] : []),
    ...(ahead ? [t`somebody else has pushed to its branch`] : []),
    ...(count > 0
      ? [t`${counted(count, "remark")} of people without write access, which no agent is given`]
      : []),
  ].join(t`; `);
}

function listOf(checks: readonly string[]): string {
  return checks.length > 3
    ? t`${checks.slice(0, 3).join(", ")}, and ${checks.length - 3} more`
    : checks.join(", ");
}

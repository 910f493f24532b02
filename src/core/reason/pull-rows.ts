/** What an open pull request waits for, in words. */
import { counted } from "../text/counted.ts";

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
    approved: "approved there, and not merged yet",
    changes_requested: "changes are requested there",
    review_required: "waits for a review there",
  };
  const checks = [
    ...(pending.length > 0 ? [`its checks run (${named(pending)})`] : []),
    ...(red.length > 0 ? [`checks failed (${named(red)})`] : []),
    ...(stopped.length > 0 ? [`checks wait for somebody there (${named(stopped)})`] : []),
  ];
  return [
    ...checks,
    decision === undefined ? "waits for its merge there" : people[decision],
    ...(conflicts ? [`it conflicts with ${base ?? "its base"}`] : []),
    ...(ahead ? ["somebody else has pushed to its branch"] : []),
    ...(count > 0
      ? [`${counted(count, "remark")} of people without write access, which no agent is given`]
      : []),
  ].join("; ");
}

function named(checks: readonly string[]): string {
  return checks.length > 3
    ? `${checks.slice(0, 3).join(", ")}, and ${checks.length - 3} more`
    : checks.join(", ");
}

/** The rules by which a relay goes on, waits, stops or asks: each known by its reason's words, with the settings that change it. */
import { allKeys } from "../settings/keys.ts";
import { settingsSchema } from "../settings/settings.ts";

export type Rule = { rule: string; settings: readonly string[] };

type Row = Rule & { says: RegExp };

const row = (rule: string, says: RegExp, ...settings: string[]): Row => ({ rule, says, settings });

/** The first whose words a reason holds. A setting in brackets with its value, `(sessionsMax 30)`, is found without a row. */
const rows: readonly Row[] = [
  // First: what a session asks may hold any words.
  row("question", /^session \d+ asks: /, "limits.questionsMax"),
  row("sessions_max", /^spent \d+ sessions?/, "limits.sessionsMax"),
  row("sessions_per_hour", /^\d+ sessions? (?:was|were) started within an hour/, "limits.sessionsPerHour"),
  row("tokens_per_hour", /tokens were used within an hour/, "limits.tokensPerHour"),
  row("budget", /\(budgets\.\w+\.\w+\)/),
  row("review_rounds", /rounds? of requested changes/, "limits.reviewRoundsMax"),
  row("breaker_open", /^the breaker is open/, "breaker.coolDownMinutes", "breaker.reopen"),
  row("no_progress", /^no progress in \d+ sessions?/, "limits.stalledMax", "breaker.reopen"),
  row("same_error", /^the same error in \d+ sessions?/, "breaker.sameErrorMax", "breaker.reopen"),
  row("denied", /^tools were denied in \d+ sessions?/, "breaker.deniedMax", "breaker.reopen"),
  row("output_decline", /^its output fell by/, "breaker.outputDeclinePercent", "breaker.reopen"),
  row("cool_down_over", /^its cool-down is over/, "breaker.coolDownMinutes"),
  row(
    "probe_failed",
    /^the probing session \d+ (?:made no progress|met the same error)/,
    "breaker.coolDownMinutes",
  ),
  row("probes_used_up", /^\d+ probing sessions? in a row/, "breaker.probesMax"),
  row("probe_succeeded", /^session \d+ made progress/),
  row("back_off", /^back-off after/, "limits.backoffSeconds"),
  row("needs_person", /needs a person/, "roles.executor.agents", "roles.reviewer.agents"),
  row("looks_finished", /looks finished and did not submit/, "exit.submit", "exit.threshold"),
  row("no_verdict", /Reviewer sessions gave no verdict/),
  row("verdict_refused", /verdicts on submission \d+ do not count|^the last verdict does not count/),
  row("finding_repeated", /^finding .* was raised in \d+ rounds/),
  row("second_reviewer", /Reviewers approved \(reviewers\./),
  row("human_gate", /a person has to/),
  row("refusal_repeated", /^\d+ submits in a row were refused/),
  row("merge_failed", /^the merge failed \d+ times/),
  row("setup_failed", /^setup failed/, "setup", "limits.setupMinutes"),
  row("handed_over", /^session \d+ handed over/),
  row("new_relay", /^a new relay/),
  row("changes_requested", /^changes were requested/),
  row("checked", /^submission \d+ is checked/),
  row("checks_failed", /^the checks failed on submission|by a person fails its checks/, "checks"),
  row("settled_by_checks", /^its checks (?:pass|fail)/, "checks"),
  row("submission_refused", /^the submission was refused/),
  row("merge_trouble", /^the merge(?:d tree)? (?:conflicted|fails)/),
  row("outage", /outage of/, "limits.backoffSeconds", "roles.executor.agents"),
  // Behind another reason, too: accounts that are passed over are told last.
  row("usage_limit", /usage limit of/, "limits.usageLimitMinutes", "roles.executor.agents"),
];

const settingKeys = allKeys(settingsSchema);

/** The rule behind a reason; `other` where only the reason itself tells. */
export function ruleOf(because: string): Rule {
  const { rule = "other", settings = [] } = rows.find(({ says }) => says.test(because)) ?? {};
  return { rule, settings: [...new Set([...settings, ...named(because)])] };
}

/** `(sessionsMax 30)`, `(breaker.sameErrorMax 5)`, `(budgets.relay.costUsd)`. */
function named(because: string): string[] {
  return [...because.matchAll(/\(([a-z]\w*(?:\.\w+)*)(?: [^()]*)?\)/gi)].flatMap(
    ([, name]) => settingKeys.find((key) => key === name || key.endsWith(`.${name}`)) ?? [],
  );
}

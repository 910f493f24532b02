/** Recognises a refused request by its text: a last resort, applied only to the agent's own result of a failed request. */
import { resetInWords } from "./reset-time.ts";

/** The meaning of a refusal: a `limit` ends by itself, `person` needs a login, money or a permission. */
export type Refusal = "limit" | "person";

/** The refusal in a failed result; undefined if trying again may help. */
export function refusalIn(result: string): Refusal | undefined {
  const text = result.slice(0, charsMax).replace(/[\s│]+/g, " ");
  if (matchesOne(notALimit, text)) return undefined;
  const isQuota = matchesOne(quotas, text);
  if (matchesOne(limits, text) || ((isQuota || rate.test(text)) && namesTime(text))) return "limit";
  if (matchesOne(persons, text) && !elsewhere.test(text)) return "person";
  return isQuota ? "limit" : undefined;
}

const charsMax = 4_000;

function matchesOne(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

function namesTime(text: string): boolean {
  return resetInWords(text, { nowMs: 0, zone: "UTC" }) !== undefined;
}

/** Texts that mention a limit without reaching one: a busy server, a disk quota, the context window, a limit that is near. */
const notALimit = [
  /\bnot your usage limit\b/i,
  /\bdisk quota\b/i,
  /\b(?:token|context|output)(?: window)? limit\b/i,
  /\bapproaching\b.{0,20}\blimit\b|\bused \d{1,2} ?% of\b/i,
];

/** Limits of a plan, whatever the message adds about upgrades and prices. */
const limits = [
  /\b(?:hit|reached|exceeded) your [\w'’().-]{0,30}(?: [\w'’().-]{1,30}){0,4}? ?limits?\b/i,
  /\bout of (?:[\w-]+ )?(?:usage|messages|requests)\b/i,
  /\btoo many (?:tokens|requests) per (?:day|week|month)\b/i,
  /已达到.{0,20}上限|额度已(?:用完|用尽|耗尽)/u,
  /\b(?:usage|session|spend(?:ing)?|hourly|\d+-hour|daily|weekly|monthly)[ _]limit[ _](?:has been |is |was )?(?:reached|exceeded|hit)\b/i,
  /\blimits? (?:will )?resets?\b/i,
  /\bRESOURCE_EXHAUSTED\b.{0,500}\bquota\b|\bquota\b.{0,500}\bRESOURCE_EXHAUSTED\b/i,
];

/** A rate limit counts only with its duration; without one, it comes from a busy server. */
const rate = /\brate[ -]limit(?:ed|s)?\b/i;

/** Used-up quotas, unless the message asks for a person. */
const quotas = [
  /\bexhausted\b[^.]{0,40}\b(?:quota|capacity)\b/i,
  /\bquota\b(?: limit)?(?: has been| was| is)? (?:exceeded|reached|exhausted)\b/i,
  /\bquota will (?:reset|be refreshed)\b/i,
];

const persons = [
  // A login.
  /\brun \/login\b|\bnot logged in\b|\b(?:log(?:ging)?|sign(?:ing)?) ?in again\b|\bplease (?:log|sign) ?in\b/i,
  /\b(?:token|session|credentials?|login)\b(?: included in the request)?(?: has| have| is| was)?(?: been)? (?:expired|revoked|invalid)\b|\btoken could not be refreshed\b/i,
  /请(?:重新)?登录|(?:登录|授权)已(?:失效|过期)|余额不足|欠费/u,
  /\binvalid (?:api[ _-]key|x-api-key|oauth token|authentication|credentials)\b/i,
  /\bapi[ _-]key (?:is |was )?(?:required|missing|invalid|not valid|not found|expired)\b|\bmissing (?:api[ _-]key|environment variable)\b/i,
  // A login outside the CLI's own folder: a profile of AWS, gcloud or Azure, a helper program, a file that its settings name.
  /\b(?:aws|az|azd|gcloud)(?: [\w-]+){0,2} login\b|\bre-?authenticat(?:e|ion)\b|\binvalid_(?:grant|rapt)\b/i,
  /\b(?:could not|cannot|unable to|failed to) (?:find|load|read|refresh|resolve|retrieve)\b.{0,40}\b(?:credentials?\b|access token\b|token from\b)/i,
  /\b(?:profile|SSO session|credentials?(?: file)?)\b.{0,60}\bnot (?:be )?found\b|credential is unavailable\b/i,
  /\binvalid (?:SSO|temporary) credential|\btoken\b.{0,40}\bnot found or (?:is )?invalid\b|\bmulti-factor authentication\b/i,
  /\binsufficient authentication scopes\b|\bapiKeyHelper\b|\bprovider auth command\b|\{file:[~/]/i,
  /\b(?:requires AWS credentials|access key ID setting is missing|could not resolve authentication method)\b|credential authentication failed\b|\btoken at \S+ has expired\b/i,
  // Money.
  /\bbalance(?: is)? too low\b|\binsufficient[_ ](?:quota|balance|credits?|funds)\b/i,
  /\b(?:requires?|more|purchase|add|buy|0|no) (?:more )?credits\b|\bpayment required\b|\bplan and billing\b/i,
  // A missing permission.
  /\b(?:error|status|failed|http):? ?(?:code:? )?40[123]\b|\bunauthorized\b/i,
  /\bnot have access\b|\bdisabled\b.{0,40}\baccess\b|\baccount\b.{0,40}\bsuspended\b/i,
];

/** A tool server of the agent may need its own login, which does not stop the agent. */
const elsewhere = /\bmcp\b/i;

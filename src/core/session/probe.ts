/** What was found when an agent's real CLI was tried before a scripted model, what follows from it, and what a relay makes of that. */
import { t, translatable } from "../language/translate.ts";

/** In the order of the table. */
export const features = [
  "headless",
  "structuredOutput",
  "ownSessionId",
  "liveUsage",
  "window",
  "resume",
  "stopHook",
  "contextInjection",
  "messageOnInput",
  "structuredVerdict",
  "usageLimitEvent",
  "diesOnTerm",
  "diesOnKill",
] as const;
export type Feature = (typeof features)[number];

/** `unknown`: the trial that would have shown it went wrong for another reason. */
export type Finding = { found: "yes" | "no" | "unknown"; evidence: string };
export type Findings = Readonly<Record<Feature, Finding>>;

/**
 * native: its own hook refuses to stop, it tells its context while it works and says who it is. external loop: the relay does the
 * self-check after it has ended. text only: its words are all there is. unusable: it does not even run without a person.
 */
export const conclusions = translatable(["native", "external loop", "text only", "unusable"]);
export type Conclusion = (typeof conclusions)[number];

/** First rule first; `because` names what is missing for the next better one. */
export function conclude(findings: Findings): { conclusion: Conclusion; because: string } {
  const missing = (wanted: readonly Feature[]): Feature[] =>
    wanted.filter((feature) => findings[feature].found !== "yes");
  const because = (lacking: readonly Feature[]): string => t`without ${lacking.join(", ")}`;
  const toRun = missing(["headless"]);
  if (toRun.length > 0) return { conclusion: "unusable", because: because(toRun) };
  const toBeRead = missing(["structuredOutput"]);
  if (toBeRead.length > 0) return { conclusion: "text only", because: because(toBeRead) };
  const toRelay = missing(["stopHook", "liveUsage", "ownSessionId"]);
  return toRelay.length > 0
    ? { conclusion: "external loop", because: because(toRelay) }
    : { conclusion: "native", because: t`with stopHook, liveUsage, ownSessionId` };
}

/** The part of an adapter's capabilities that a probe can tell. */
const featureOf = {
  messageOnInput: "messageOnInput",
  contextByHook: "contextInjection",
  stopHook: "stopHook",
  liveUsage: "liveUsage",
  resume: "resume",
  verdictBySchema: "structuredVerdict",
} as const satisfies Record<string, Feature>;

/** What an adapter declares, with what was found in its place; what is unknown stays as declared. */
export function withFindings<C extends Record<keyof typeof featureOf, boolean>>(
  declared: C,
  findings: Findings,
): C {
  const found = Object.entries(featureOf).flatMap(([capability, feature]) =>
    findings[feature].found === "unknown" ? [] : [[capability, findings[feature].found === "yes"] as const],
  );
  return { ...declared, ...Object.fromEntries(found) };
}

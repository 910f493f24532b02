/** The result of probing an agent's real CLI with a scripted model: its findings, a conclusion, and the capabilities for a relay. */
import { t, translatable } from "../language/translate.ts";

/** The features in the order of the table. */
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

/** `unknown`: the trial of the feature failed for another reason. */
export type Finding = { found: "yes" | "no" | "unknown"; evidence: string };
export type Findings = Readonly<Record<Feature, Finding>>;

/**
 * native: its own hook can refuse to stop, it reports its context while it works, and identifies itself. external loop: the relay does
 * the self-check after its end. text only: it offers nothing but text. unusable: it does not even run without a person.
 */
export const conclusions = translatable(["native", "external loop", "text only", "unusable"]);
export type Conclusion = (typeof conclusions)[number];

/** The first matching conclusion; `because` names what the next better one would need. */
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

/** The capabilities of an adapter that a probe can measure. */
const featureOf = {
  messageOnInput: "messageOnInput",
  contextByHook: "contextInjection",
  stopHook: "stopHook",
  liveUsage: "liveUsage",
  resume: "resume",
  verdictBySchema: "structuredVerdict",
} as const satisfies Record<string, Feature>;

/** An adapter's declared capabilities, replaced by the findings; an unknown one stays as declared. */
export function withFindings<C extends Record<keyof typeof featureOf, boolean>>(
  declared: C,
  findings: Findings,
): C {
  const entries = Object.entries(featureOf).flatMap(([capability, feature]) =>
    findings[feature].found === "unknown" ? [] : [[capability, findings[feature].found === "yes"] as const],
  );
  return { ...declared, ...Object.fromEntries(entries) };
}

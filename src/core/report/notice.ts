/** What people are told outside of the terminal: a relay needs them, meets a limit, or is done. */
import type { EventBody } from "../journal/event.ts";
import { describeEvent } from "../journal/events/records.ts";
import type { Rule } from "../reason/reason-schema.ts";
import type { Step } from "../error/hint-schema.ts";

export const noticeKinds = ["question", "approval", "blocked", "budget", "limit", "done"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `step` is what a person does about it, if anything. */
export type Notice = { kind: NoticeKind; issue: string; text: string; atMs: number; step?: Step };

/** Undefined for what nobody who is away needs to know. */
export function noticeOf(issue: string, event: EventBody & { atMs: number }): Notice | undefined {
  const told = toldBy(event);
  const line = told && describeEvent(event);
  return line && { ...told, issue, text: line.text, atMs: event.atMs };
}

/** By the rule that blocked it: a person's verdict is all that is missing. */
export function asksForApproval(rule: Rule): boolean {
  return rule === "human_gate" || rule === "evidence_unclear";
}

function toldBy(event: EventBody): Pick<Notice, "kind" | "step"> | undefined {
  switch (event.type) {
    case "question.asked":
      return { kind: "question", step: { do: "answer" } };
    case "relay.blocked": {
      const { rule } = event.reason;
      // The question itself was told.
      if (rule === "question") return undefined;
      if (asksForApproval(rule)) return { kind: "approval", step: { do: "judge", verdicts: ["approve"] } };
      return { kind: rule === "budget" ? "budget" : "blocked" };
    }
    case "limit.hit":
      return { kind: "limit" };
    case "merge.done":
    case "relay.finished":
      return { kind: "done" };
    default:
      return undefined;
  }
}

/** Somebody has to do something: the others can wait until they look. */
export function isUrgent({ kind }: Notice): boolean {
  return kind !== "done" && kind !== "limit";
}

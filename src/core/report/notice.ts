/** Notices outside the terminal: a relay needs a person, hits a limit, or is done. */
import type { EventBody } from "../journal/event.ts";
import { describeEvent } from "../journal/events/records.ts";
import type { Rule } from "../reason/reason-schema.ts";
import type { Step } from "../error/hint-schema.ts";

export const noticeKinds = ["question", "approval", "blocked", "budget", "limit", "done"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `step` is the person's next step, if there is one. */
export type Notice = { kind: NoticeKind; issue: string; text: string; atMs: number; step?: Step };

/** The notice of an event; undefined if nobody who is away needs it. */
export function noticeOf(issue: string, event: EventBody & { atMs: number }): Notice | undefined {
  const notice = toldBy(event);
  const line = notice && describeEvent(event);
  return line && { ...notice, issue, text: line.text, atMs: event.atMs };
}

/** Whether a block only waits for a person's verdict. */
export function asksForApproval(rule: Rule): boolean {
  return rule === "human_gate" || rule === "evidence_unclear";
}

function toldBy(event: EventBody): Pick<Notice, "kind" | "step"> | undefined {
  switch (event.type) {
    case "question.asked":
      return { kind: "question", step: { do: "answer" } };
    case "relay.blocked": {
      const { rule } = event.reason;
      // The question itself was a notice already.
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

/** Whether a person has to act; other notices can wait. */
export function isUrgent({ kind }: Notice): boolean {
  return kind !== "done" && kind !== "limit";
}

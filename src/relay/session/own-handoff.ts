/** The RALPH.md that a session wrote itself: not the one that it was given. */
import { hash } from "node:crypto";
import { lintHandoff } from "../../core/handoff/lint.ts";
import { handoffBytes, handoffBytesMax } from "../../core/limits.ts";
import { readInside } from "../read-inside.ts";

/** Its text; `handoffGiven` is the hash of the one that the session began with. */
export function ownHandoff(session: {
  workspace: string;
  handoffGiven: string | undefined;
}): string | undefined {
  const text = readInside(session.workspace, "RALPH.md", handoffBytesMax);
  return text === undefined || hash("sha256", text) === session.handoffGiven ? undefined : text;
}

export function isValidHandoff(text: string, expected: { issue: string; session: number }): boolean {
  const findings = lintHandoff(text, { ...expected, budgetBytes: handoffBytes });
  return findings.every((finding) => finding.level !== "error");
}

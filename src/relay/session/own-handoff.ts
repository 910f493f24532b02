/** The RALPH.md that a session wrote itself, not the one that it was given. */
import { hash } from "node:crypto";
import { lintHandoff } from "../../core/handoff/lint.ts";
import { handoffBytes, handoffBytesMax } from "../../core/limits.ts";
import { readInside } from "../read-inside.ts";
import type { Relay } from "../relay.ts";
import type { Starting } from "./launch.ts";

/** The text of RALPH.md, if it differs from the one that the session began with (hash `handoffGiven`). */
export function ownHandoff(session: {
  workspace: string;
  handoffGiven: string | undefined;
}): string | undefined {
  const text = readInside(session.workspace, "RALPH.md", handoffBytesMax);
  return text === undefined || hash("sha256", text) === session.handoffGiven ? undefined : text;
}

/** Whether a running session has left a valid handoff in its folder. */
export function isHandedOver(relay: Relay, { folder, session }: Starting): boolean {
  const given = relay.state.sessions.at(-1)?.started.handoff;
  const text = ownHandoff({ workspace: folder, handoffGiven: given?.sha256 });
  return text !== undefined && isValidHandoff(text, { issue: relay.issue, session });
}

export function isValidHandoff(text: string, expected: { issue: string; session: number }): boolean {
  const findings = lintHandoff(text, { ...expected, budgetBytes: handoffBytes });
  return findings.every((finding) => finding.level !== "error");
}

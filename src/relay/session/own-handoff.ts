/** A session's RALPH.md: the one that it is given, and the one that it wrote itself. */
import { hash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lintHandoff } from "../../core/handoff/lint.ts";
import { handoffBytes, handoffBytesMax } from "../../core/limits.ts";
import { readInside } from "../read-inside.ts";
import type { Relay } from "../relay.ts";
import type { Starting } from "./launch.ts";

/** Writes a new RALPH.md, and does not follow a link that an earlier session may have put in its place. */
export function giveHandoff(folder: string, text: string): void {
  const path = join(folder, "RALPH.md");
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text, { flag: "wx" });
}

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

/** What a session's own commands and hooks need to know; the runner writes it, they only read it. No zod: hooks are quick. */
import type { StopReason } from "../journal/event.ts";
import type { Role } from "../settings/agent-kinds.ts";

export type Live = {
  v: 1;
  issue: string;
  title: string;
  session: number;
  role: Role;
  language: "en" | "zh";
  workspace: string;
  base: string;
  branch: string;
  /** The issue file, relative to the workspace. */
  contractPath: string;
  /** Commands whose exit status is evidence. */
  checks: string[];
  checkMinutes: number;
  /** Hash of the RALPH.md that this session was given; "" for none. */
  handoffGiven: string;
  startedAtMs: number;
  deadlineMs: number;
  sessionMinutes: number;
  /** All that it can be given, where a budget leaves less than twice that. */
  minutesMax?: number;
  contextTokens?: number;
  windowTokens?: number;
  /** Neither the agent nor the settings tell the window: this one is assumed. */
  windowAssumed?: boolean;
  /** Tool calls seen so far: what the stop hook takes for "something has happened". */
  toolCalls: number;
  /** Set at the first mark: why the session should begin nothing large any more. */
  plan?: string;
  /** Set at the second mark: why the session has to wrap up. */
  wrapUp?: string;
  /** What the session ends of then. */
  wrapUpReason?: StopReason;
  /** Somebody asked the session to stop, or it has submitted: let it. */
  letStop?: string;
  /** The verdict comes through the agent's own schema: the stop hook has nothing to ask for. */
  verdictBySchema: boolean;
  /** A loop's: what the stop hook says again, and the line that lets it stop. */
  loop?: { prompt: string; promise: string };
  stopBlocksMax: number;
};

/** Why a session that hands over now stops: its mark, or its own choice. */
export function stopReasonNow({ wrapUpReason }: Pick<Live, "wrapUpReason">): StopReason {
  return wrapUpReason ?? "handed_over";
}

/** Parses a live.json; undefined for anything else, since a hook fails open. */
export function parseLive(text: string): Live | undefined {
  try {
    const value = JSON.parse(text) as Live;
    return value.v === 1 && typeof value.issue === "string" && typeof value.workspace === "string"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

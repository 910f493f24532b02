/** The state of a session for its own commands and hooks; the runner writes it, they only read it. No zod, so that hooks are quick. */
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
  /** The setting `shell`, by which checks run. */
  shell?: string | string[];
  /** The variables of the environment that checks get. */
  env?: string[];
  /** Hash of the RALPH.md given to this session; "" for none. */
  handoffGiven: string;
  startedAtMs: number;
  deadlineMs: number;
  sessionMinutes: number;
  /** The most minutes that it can get, if a budget leaves less than twice `sessionMinutes`. */
  minutesMax?: number;
  contextTokens?: number;
  windowTokens?: number;
  /** Whether the window is assumed, since neither the agent nor the settings report it. */
  windowAssumed?: boolean;
  /** The three marks of the context, in tokens. */
  contextMarks?: [number, number, number];
  /** The number of tool calls so far, by which the stop hook detects activity. */
  toolCalls: number;
  /** The last tool call, or the last words. */
  doing?: string;
  /** Set at the first mark: why the session should begin nothing large any more. */
  plan?: string;
  /** Set at the second mark: why the session has to wrap up. */
  wrapUp?: string;
  /** The stop reason of a session that wraps up. */
  wrapUpReason?: StopReason;
  /** Why the session may stop: somebody asked for it, or it has submitted. */
  letStop?: string;
  /** Whether the verdict comes through the agent's own schema, so that the stop hook need not ask for it. */
  verdictBySchema: boolean;
  /** For a loop: the prompt that the stop hook repeats, and the promise that ends it. */
  loop?: { prompt: string; promise: string };
  stopBlocksMax: number;
};

/** The stop reason of a session that hands over now: its mark, or its own choice. */
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

/** Any program as an agent: prompt on standard input, MONOCO_* in its environment, optional JSON lines back. */
import { z } from "zod";
import type { Agent } from "./agent.ts";
import { jsonOf } from "../core/error/attempt.ts";
import { verdictOf } from "./verdict.ts";
import type { AgentUpdate } from "../core/session/update.ts";
import { t } from "../core/language/translate.ts";

const lineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("usage"),
    contextTokens: z.number().int().nonnegative(),
    windowTokens: z.number().int().positive().optional(),
    costUsd: z.number().nonnegative().optional(),
    /** All tokens used so far. */
    tokens: z.number().int().nonnegative().optional(),
  }),
  z.object({ type: z.literal("message"), text: z.string() }),
  z.object({ type: z.literal("question"), text: z.string().min(1) }),
  z.object({
    type: z.literal("command"),
    command: z.string().min(1),
    exitCode: z.number().int(),
    text: z.string().optional(),
  }),
  z.object({ type: z.literal("denied"), tool: z.string().min(1) }),
  z.object({ type: z.literal("session"), id: z.string().min(1) }),
  z.object({ type: z.literal("outage"), text: z.string().min(1) }),
  z.object({
    type: z.literal("limit"),
    kind: z.literal("usage"),
    // A limit counts even if its time cannot be read.
    resetsAt: z.iso.datetime({ offset: true }).optional().catch(undefined),
  }),
]);

/** The last sum of tokens: a program reports a running sum. */
type Seen = { tokens: number };

/** Reads the JSON lines of the `command` protocol; every other line is message text. */
function readCommandLine(line: string, seen: Seen): AgentUpdate[] {
  if (line.trim() === "") return [];
  const value = line.startsWith("{") ? jsonOf(line) : undefined;
  // Most of a program's output is plain text, so no schema error is made for it.
  if (value === undefined) return [{ type: "message", text: line }];
  const verdict = verdictOf(value);
  if (verdict) return [verdict];
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) return [{ type: "message", text: line }];
  const report = parsed.data;
  if (report.type === "message") return [{ type: "message", text: report.text }];
  if (report.type === "question") return [{ type: "question", text: report.text }];
  if (report.type === "denied") return [report];
  if (report.type === "session") return [{ type: "identified", agentSessionId: report.id }];
  if (report.type === "command") {
    const { command, exitCode, text } = report;
    return [{ type: "command", command, ...(exitCode === 0 ? {} : { error: text ?? `exit ${exitCode}` }) }];
  }
  if (report.type === "outage") return [{ type: "ended", ending: "outage", evidence: report.text }];
  if (report.type === "limit") {
    const resetsAtMs = Date.parse(report.resetsAt ?? "");
    const resets = resetsAtMs >= 0 ? { resetsAtMs } : {};
    return [
      {
        type: "limit",
        ...resets,
        text: `usage limit${report.resetsAt ? `, resets at ${report.resetsAt}` : ""}`,
      },
    ];
  }
  const { contextTokens, windowTokens, costUsd, tokens } = report;
  const newTokens = tokens === undefined ? undefined : Math.max(0, tokens - seen.tokens);
  seen.tokens += newTokens ?? 0;
  return [
    {
      type: "usage",
      contextTokens,
      ...(windowTokens === undefined ? {} : { windowTokens }),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(newTokens === undefined ? {} : { newTokens }),
    },
  ];
}

export const command: Agent = {
  kind: "command",
  capabilities: {
    messageOnInput: false,
    contextByHook: false,
    stopHook: false,
    liveUsage: true,
    resume: false,
    verdictBySchema: false,
    tellsEnd: false,
    tellsStart: false,
    tellsTurns: false,
    reserveTokens: 0,
  },
  program: (settings) => ({ name: settings.run?.[0] ?? "", install: t`see agents: in monoco.yaml` }),
  passEnv: [],
  launch: (request) => ({
    argv: [...(request.settings.run ?? []), ...(request.settings.args ?? [])],
    env: request.settings.env ?? {},
    files: [],
    stdin: request.prompt,
    keepStdinOpen: false,
  }),
  dialogue: () => {
    const seen: Seen = { tokens: 0 };
    return { read: (line) => readCommandLine(line, seen), message: () => undefined };
  },
};

/** Any agent that speaks the Agent Client Protocol: a driver process of monoco speaks the protocol and prints updates. */
import { z } from "zod";
import { agentEndings } from "../../core/journal/event.ts";
import { usual } from "../agent.ts";
import type { Agent } from "../agent.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { jsonOf } from "../../core/error/attempt.ts";
import { programOf } from "../lines.ts";
import { verdictIn } from "../verdict.ts";
import { t } from "../../core/language/translate.ts";

const program = programOf(import.meta.url);

const count = z.int().nonnegative();

/** The lines that the driver prints: each is one update. */
const updateSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("identified"), agentSessionId: z.string().min(1) }),
  z.object({
    type: z.literal("usage"),
    contextTokens: count,
    windowTokens: z.int().positive().optional(),
    costUsd: z.number().nonnegative().optional(),
  }),
  z.object({ type: z.literal("message"), text: z.string() }),
  z.object({ type: z.literal("tool"), name: z.string(), summary: z.string() }),
  z.object({ type: z.literal("command"), command: z.string().min(1), error: z.string().optional() }),
  z.object({ type: z.literal("result"), error: z.string().optional() }),
  z.object({ type: z.literal("limit"), text: z.string() }),
  z.object({ type: z.literal("hooks_proved") }),
  z.object({ type: z.literal("compacted") }),
  z.object({ type: z.literal("ended"), ending: z.enum(agentEndings), evidence: z.string() }),
]);

/** A line that is not an update is text that the agent printed itself. A line that begins like JSON is ignored. */
function read(line: string): AgentUpdate[] {
  const update = updateSchema.safeParse(jsonOf(line));
  if (!update.success)
    return line.trim() === "" || line.startsWith("{") ? [] : [{ type: "message", text: line }];
  const said = withoutUndefined(update.data);
  const verdict = said.type === "message" ? verdictIn(said.text) : undefined;
  return verdict ? [said, verdict] : [said];
}

/** Removes the fields that the driver's line leaves out. */
function withoutUndefined(update: z.infer<typeof updateSchema>): AgentUpdate {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined)) as AgentUpdate;
}

/** The first line on the driver's standard input. Each later line is a message. The agent is the driver's argv. */
export type AcpOrder = {
  prompt: string;
  workspace: string;
  /** The agent's own session to resume; undefined for a new one. */
  resume: string | undefined;
  /** `[node, cli]`: the command of the self-check after each turn. */
  monoco: readonly string[];
};

export const acp: Agent = {
  kind: "acp",
  // The driver runs the stop hook's self-check after each turn and sends its answer as the next prompt.
  capabilities: { ...usual, tellsTurns: false },
  program: (settings) => ({ name: settings.run?.[0] ?? "", install: t`see agents: in monoco.yaml` }),
  passEnv: [],
  launch: (request) => {
    const order: AcpOrder = {
      prompt: request.prompt,
      workspace: request.workspace,
      resume: request.resume ? request.agentSessionId : undefined,
      monoco: request.monoco,
    };
    return {
      argv: [request.monoco[0]!, program, ...(request.settings.run ?? []), ...(request.settings.args ?? [])],
      env: request.settings.env ?? {},
      files: [],
      stdin: `${JSON.stringify(order)}\n`,
      keepStdinOpen: true,
    };
  },
  dialogue: () => ({ read, message: (text) => `${JSON.stringify(text)}\n` }),
};

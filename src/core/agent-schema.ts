/** An entry under `agents:` in monoco.yaml: what it may hold, and what its kind needs. */
import { z } from "zod";
import { agentKinds } from "./agent-kinds.ts";

export const agentSchema = z
  .strictObject({
    kind: z.enum(agentKinds),
    run: z.array(z.string().min(1)).min(1).optional(),
    script: z.string().optional(),
    model: z.string().optional(),
    windowTokens: z.number().int().positive().optional(),
    env: z.record(z.string(), z.string()).optional(),
    args: z.array(z.string()).optional(),
  })
  .refine((agent) => (agent.kind !== "command" && agent.kind !== "acp") || agent.run !== undefined, {
    message: 'an agent of kind command or acp needs run: ["./program", "argument"]',
  })
  .refine((agent) => agent.kind !== "scripted" || agent.script !== undefined, {
    message: "an agent of kind scripted needs script: path/to/script.yaml",
  });

export type AgentEntry = z.infer<typeof agentSchema>;

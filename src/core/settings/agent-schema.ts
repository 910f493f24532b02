/** An entry under `agents:` in monoco.yaml: what it may hold, and what its kind needs. */
import { z } from "zod";
import { agentKinds } from "./agent-kinds.ts";

/** What becomes part of a command line or an environment: the kernel ends it at the first NUL. */
const argument = z.string().refine((text) => !text.includes("\0"), { message: "it holds a NUL character" });
export const command = argument.min(1);
const variable = z.string().regex(/^[A-Za-z_]\w*$/, { message: "no variable can be called so" });

export const agentSchema = z
  .strictObject({
    kind: z.enum(agentKinds),
    run: z.array(command).min(1).optional(),
    script: argument.optional(),
    model: argument.optional(),
    windowTokens: z.number().int().positive().optional(),
    env: z.record(variable, argument).optional(),
    args: z.array(argument).optional(),
  })
  .refine((agent) => (agent.kind !== "command" && agent.kind !== "acp") || agent.run !== undefined, {
    message: 'an agent of kind command or acp needs run: ["./program", "argument"]',
  })
  .refine((agent) => agent.kind !== "scripted" || agent.script !== undefined, {
    message: "an agent of kind scripted needs script: path/to/script.yaml",
  });

export type AgentEntry = z.infer<typeof agentSchema>;

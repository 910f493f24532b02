/** The schema of an entry under `agents:` in monoco.yaml, and the requirements of its kind. */
import { z } from "zod";
import { agentKinds } from "./agent-kinds.ts";
import { setting } from "./setting.ts";
import { t } from "../language/translate.ts";

/** A text for a command line or an environment, where the kernel ends it at the first NUL. */
const argument = z.string().refine((text) => !text.includes("\0"), {
  error: () => t`it holds a NUL character`,
});
export const command = argument.min(1);
export const variable = z.string().regex(/^[A-Za-z_]\w*$/, { error: () => t`no variable can be called so` });

export const agentSchema = z
  .strictObject({
    kind: setting(
      z.enum(agentKinds),
      "`claude`, `codex`, `gemini`, `opencode`, `acp` (any program that speaks the Agent Client Protocol), `command` (any other) or `scripted`",
    ),
    run: setting(
      z.array(command).min(1).optional(),
      "the program and its arguments (kinds `acp` and `command`; `./…` is relative to the repository's root)",
    ),
    script: setting(argument.optional(), "the script's path (kind `scripted`)"),
    model: setting(
      argument.optional(),
      "the model (kinds `claude`, `codex`, `gemini` and `opencode`; for `opencode` with its provider: `anthropic/claude-sonnet-5`)",
    ),
    windowTokens: setting(
      z.number().int().positive().optional(),
      "the size of the context window, where the agent does not report it or you want another; where it is unknown, 200,000 is assumed, and `relay status` says so",
      "tokens",
    ),
    env: setting(
      z.record(variable, argument).optional(),
      "variables for this agent, added to the scrubbed environment",
    ),
    args: setting(z.array(argument).optional(), "more arguments"),
    coAuthor: setting(
      z
        .string()
        .regex(/^[^<>\p{Cc}]*[^<>\p{Cc}\s] <[^<>\s\p{Cc}]+@[^<>\s\p{Cc}]+>$/u, {
          error: () => t`write it as "Name <mail@example.org>"`,
        })
        .optional(),
      "`Name <mail@example.org>`, for a `Co-authored-by` trailer where this agent was an Executor: [docs/merging.md](merging.md#merge)",
    ),
    fleetMax: setting(
      z.number().int().positive().optional(),
      "relays that a fleet runs at once, on all machines together, if this agent is the first of the Executor's list; agents that share an account share its places: [docs/fleet.md](fleet.md#limits)",
      "relays",
    ),
    state: setting(
      z.array(command).optional(),
      "folders and files that the agent keeps its login and conversations in, such as `~/.kimi`: its sessions can write them in a sandbox, set-up and checks cannot. [Known programs](agents.md#any-agent-that-speaks-the-agent-client-protocol) need none",
    ),
  })
  .refine((agent) => (agent.kind !== "command" && agent.kind !== "acp") || agent.run !== undefined, {
    error: () => t`an agent of kind command or acp needs run: ["./program", "argument"]`,
  })
  .refine((agent) => agent.kind !== "scripted" || agent.script !== undefined, {
    error: () => t`an agent of kind scripted needs script: path/to/script.yaml`,
  });

export type AgentEntry = z.infer<typeof agentSchema>;

/** A hint as data: the ways out for a relay that rests or a command that failed, each a list of steps for a person. */
import { z } from "zod";

const verdicts = ["approve", "request_changes"] as const;

const note = { note: z.string().optional() };
/** The issue; left out if it is the relay's own. */
const issue = { issue: z.string().optional() };

const stepSchema = z.discriminatedUnion("do", [
  /** Resumes the relay, since something has changed. */
  z.object({ do: z.literal("resume"), ...issue, ...note }),
  /** Resumes the relay though nothing has changed: its sessions cost money, and may end as the last ones did. */
  z.object({ do: z.literal("retry"), note: z.string() }),
  /** One of these verdicts, by a person, on the submission under review. */
  z.object({ do: z.literal("judge"), verdicts: z.array(z.enum(verdicts)).min(1) }),
  z.object({ do: z.literal("answer") }),
  z.object({ do: z.literal("say") }),
  /** A submission of a person's own commits. */
  z.object({ do: z.literal("submit"), ...issue }),
  z.object({ do: z.literal("clear"), ...issue, ...note }),
  z.object({ do: z.literal("open"), ...issue, ...note }),
  z.object({ do: z.literal("log"), ...issue, ...note }),
  /** A transition of the issue (`transitions`). */
  z.object({ do: z.literal("move"), by: z.string(), ...issue }),
  z.object({ do: z.literal("import"), from: z.string(), as: z.string().optional() }),
  z.object({ do: z.enum(["create", "init", "list_settings", "lint", "heal", "update"]), ...note }),
  /** The workflow files of a CI service. */
  z.object({ do: z.literal("init_ci"), service: z.enum(["github", "gitlab"]) }),
  /** `where`: the place that sets the setting. */
  z.object({ do: z.literal("raise"), setting: z.string(), where: z.string() }),
  /** A step that no command of monoco does. */
  z.object({ do: z.literal("by_hand"), what: z.string() }),
]);
export type Step = z.infer<typeof stepSchema>;
export type Way = readonly Step[];

export const hintSchema = z.array(z.array(stepSchema).readonly()).readonly();
export type Hint = readonly Way[];
/** Advice is plain text where no command of monoco helps. */
export type Advice = string | Hint;

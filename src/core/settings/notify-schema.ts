/** How people are told outside of the terminal that a relay needs them, or is done. */
import { z } from "zod";
import { setting } from "./setting.ts";

export const notifySchema = z.strictObject({
  command: setting(
    z
      .string()
      .min(1)
      .refine((text) => !text.includes("\0"))
      .optional(),
    "a shell command of yours that is given each batch as JSON on standard input: [docs/notify.md](notify.md)",
  ),
  desktop: setting(
    z.boolean().optional(),
    "show a message on the desktop, by `notify-send` where that is installed",
  ),
  webhook: setting(
    z.url({ protocol: /^https$/ }).optional(),
    "an https address to which each batch is posted as JSON; a private address and a redirect are refused",
  ),
  secretEnv: setting(
    z
      .string()
      .regex(/^[A-Za-z_]\w*$/)
      .optional(),
    "the environment variable that holds the secret which signs what is posted; needed for `webhook`",
  ),
});
export type NotifySettings = z.infer<typeof notifySchema>;

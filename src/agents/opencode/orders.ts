/** The orders to OpenCode's driver: one on its command line, then lines on standard input. */
import { z } from "zod";

export const drivingSchema = z.object({
  /** The program that runs monoco, for hooks. */
  monoco: z.array(z.string()).min(1).readonly(),
  /** The title in the person's own list of sessions. */
  title: z.string(),
  /** `provider/model`; without it, the person's own default. */
  model: z.string().optional(),
  /** The session to resume. */
  sessionID: z.string().optional(),
});
export type Driving = z.infer<typeof drivingSchema>;

export const orderSchema = z.discriminatedUnion("order", [
  /** A prompt for the model. A busy model gets it with the results of its tools. */
  z.object({ order: z.literal("prompt"), text: z.string() }),
  /** Runs the self-check of a stopped model; `said` is the model's text since its last tool. */
  z.object({ order: z.literal("check"), said: z.string() }),
  /** Allows the model's request this once. */
  z.object({ order: z.literal("allow"), id: z.string() }),
]);
export type Order = z.infer<typeof orderSchema>;

export function orderLine(order: Order): string {
  return `${JSON.stringify(order)}\n`;
}

/** What the driver of OpenCode is told: once by its command line, then by lines of standard input. */
import { z } from "zod";

export const drivingSchema = z.object({
  /** The program that runs monoco, for hooks. */
  monoco: z.array(z.string()).min(1).readonly(),
  /** Shown in the person's own list of sessions. */
  title: z.string(),
  /** `provider/model`; the person's own default where it is missing. */
  model: z.string().optional(),
  /** The session to go on with. */
  sessionID: z.string().optional(),
});
export type Driving = z.infer<typeof drivingSchema>;

export const orderSchema = z.discriminatedUnion("order", [
  /** Say this to the model; in the middle of its work it gets it with the results of its tools. */
  z.object({ order: z.literal("prompt"), text: z.string() }),
  /** The model has stopped, and has said this since its last tool: may it? */
  z.object({ order: z.literal("check"), said: z.string() }),
  /** What it asks for may be done, this time. */
  z.object({ order: z.literal("allow"), id: z.string() }),
]);
export type Order = z.infer<typeof orderSchema>;

export function orderLine(order: Order): string {
  return `${JSON.stringify(order)}\n`;
}

/** All programmes of `npm run torture`, in the order of their rows. */
import { powerLoss } from "./power-loss.ts";
import type { Programme } from "./row.ts";

export const programmes: readonly Programme[] = [powerLoss];

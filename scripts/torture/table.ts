/** All programmes of `npm run torture`, in the order of their rows. */
import { fuzz } from "./fuzz.ts";
import { model } from "./model.ts";
import { powerLoss } from "./power-loss.ts";
import type { Programme } from "./row.ts";

export const programmes: readonly Programme[] = [model, fuzz, powerLoss];

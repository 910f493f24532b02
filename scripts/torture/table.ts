/** All programmes of `npm run torture`, in the order of their rows. */
import type { Programme } from "./row.ts";

export const programmes: readonly Programme[] = [];

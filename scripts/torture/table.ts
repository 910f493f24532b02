/** All programmes of `npm run torture`, in the order of their rows. */
import { crashPoints } from "./crash-points.ts";
import { killStorms } from "./kill-storms.ts";
import type { Programme } from "./row.ts";

export const programmes: readonly Programme[] = [crashPoints, killStorms];

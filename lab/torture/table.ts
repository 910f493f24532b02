/** All programmes of `npm run torture -w lab`, in the order of their rows. */
import { claims } from "./claims.ts";
import { crashPoints } from "./crash-points.ts";
import { cuts } from "./cuts.ts";
import { leases } from "./leases.ts";
import { fleet } from "./fleet.ts";
import { fuzz } from "./fuzz.ts";
import { jobs } from "./jobs.ts";
import { runners } from "./runners.ts";
import { killStorms } from "./kill-storms.ts";
import { model } from "./model.ts";
import { powerLoss } from "./power-loss.ts";
import { resources } from "./resources.ts";
import type { Programme } from "./row.ts";

export const programmes: readonly Programme[] = [
  model,
  fuzz,
  powerLoss,
  crashPoints,
  cuts,
  resources,
  killStorms,
  claims,
  leases,
  jobs,
  fleet,
  runners,
];

/** All mutants. */
import { carry } from "./carry.ts";
import { durable } from "./durable.ts";
import { exit } from "./exit.ts";
import { fuzz } from "./fuzz.ts";
import { leases } from "./leases.ts";
import { merged } from "./merged.ts";
import { model } from "./model.ts";
import { review } from "./review.ts";
import type { Mutant } from "./row.ts";
import { pulls } from "./pulls.ts";
import { sessions } from "./sessions.ts";
import { torture } from "./torture.ts";
import { trial } from "./trial.ts";
import { weakening } from "./weakening.ts";

export const mutants: readonly Mutant[] = [
  ...weakening,
  ...review,
  ...trial,
  ...exit,
  ...pulls,
  ...carry,
  ...leases,
  ...merged,
  ...durable,
  ...fuzz,
  ...model,
  ...sessions,
  ...torture,
];

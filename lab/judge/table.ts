/** All rows of the judge, group by group. */
import { aroundChecks } from "./around-checks.ts";
import { contradictions } from "./contradictions.ts";
import { controls } from "./controls.ts";
import { evidence } from "./evidence.ts";
import { nearChecks } from "./near-checks.ts";
import { plays } from "./plays.ts";
import type { Row } from "./row.ts";
import { tampering } from "./tampering.ts";
import { weakened } from "./weakened.ts";
import { withoutWork } from "./without-work.ts";

export const table: readonly Row[] = [
  ...evidence,
  ...weakened,
  ...tampering,
  ...contradictions,
  ...controls,
  ...withoutWork,
  ...plays,
  ...aroundChecks,
  ...nearChecks,
];

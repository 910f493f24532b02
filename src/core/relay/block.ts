/** Blocks a relay until a person acts, with the ways out. */
import type { Way } from "../error/hint-schema.ts";
import type { Opening } from "../journal/relay-state.ts";
import { resume } from "../journal/steps.ts";
import { t } from "../language/translate.ts";
import type { BlockReason, BlockRule } from "../reason/block-schema.ts";
import type { Action } from "./action.ts";
import { judging } from "./person-verdict.ts";

export const said: Way = [{ do: "say" }, resume];

/** The block of a reason. A retry that was in vain is not offered again: the remaining ways need a person's decision, or end the relay. */
export function block(
  opening: Opening,
  { reason, ways }: { reason: BlockReason; ways: readonly Way[] },
): Action {
  const isRetry = (way: Way): boolean => way.some((step) => step.do === "retry");
  const inVain = isRepeated(opening, reason.rule) && ways.some(isRetry);
  const hint = inVain ? [...ways.filter((way) => !isRetry(way)), giveUp()] : ways;
  return { do: "block", reason, hint };
}

const giveUp = (): Way => [{ do: "clear", note: t`gives it up, and keeps its work` }];

/** The tries before a block: one if nothing has changed since the same block. */
export function triesLeft(opening: Opening, rule: BlockRule, max: number): number {
  return isRepeated(opening, rule) ? 1 : max;
}

function isRepeated({ resumedFrom, changed }: Opening, rule: BlockRule): boolean {
  return resumedFrom === rule && !changed;
}

export function judged(state: Opening): Way[] {
  const judge = judging(state);
  return judge ? [[judge, resume]] : [];
}

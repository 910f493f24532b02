/** A relay that needs a person, with the ways that lead on. */
import type { Way } from "../error/hint-schema.ts";
import type { Opening } from "../journal/relay-state.ts";
import { resume } from "../journal/steps.ts";
import { t } from "../language/translate.ts";
import type { BlockReason, BlockRule } from "../reason/block-schema.ts";
import type { Action } from "./action.ts";
import { judging } from "./person-verdict.ts";

export const said: Way = [{ do: "say" }, resume];

/** What was tried again in vain is not offered once more: what is left needs a person's word, or ends the relay. */
export function block(
  { resumedFrom }: Opening,
  { reason, ways }: { reason: BlockReason; ways: readonly Way[] },
): Action {
  const isRetry = (way: Way): boolean => way.some((step) => step.do === "retry");
  const inVain = reason.rule === resumedFrom && ways.some(isRetry);
  const hint = inVain ? [...ways.filter((way) => !isRetry(way)), giveUp()] : ways;
  return { do: "block", reason, hint };
}

const giveUp = (): Way => [{ do: "clear", note: t`gives it up, and keeps its work` }];

/** Where nothing has changed since the same block, one more time is enough. */
export function triesLeft({ resumedFrom }: Opening, rule: BlockRule, max: number): number {
  return resumedFrom === rule ? 1 : max;
}

export function judged(state: Opening): Way[] {
  const judge = judging(state);
  return judge ? [[judge, resume]] : [];
}

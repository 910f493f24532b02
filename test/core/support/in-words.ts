/** A decision or an event as people read it: its rule, and its reason in words. */
import { becauseOf } from "../../../src/core/reason/reason.ts";
import type { Reason } from "../../../src/core/reason/reason-schema.ts";

export type InWords = { rule: string; because: string };

export function inWords<T extends { reason: Reason }>(told: T): T & InWords {
  return { ...told, rule: told.reason.rule, because: becauseOf(told.reason) };
}

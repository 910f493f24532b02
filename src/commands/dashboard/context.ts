/** The context of a session over time, as its agent printed it. */
import { statSync } from "node:fs";
import { windowTokensAssumed } from "../../core/limits.ts";
import { markTokens } from "../../core/relay/context-marks.ts";
import type { SessionRecord } from "../../core/journal/relay-state.ts";
import { findAgent } from "../../core/settings/agent-entry.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { agentsHere } from "../../app/agents.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { linesIn } from "../background/tail.ts";

/** A longer output is not read for its curve: the journal's own figures are shown instead. */
const curveBytesMax = 16_000_000;
const curvePointsMax = 200;

/** The curves of ended sessions, which do not change, by the path of their output. */
const curves = new Map<string, number[]>();

/** The context of a session as its agent reported it, and the marks in tokens. */
export function contextOf(
  here: Here,
  issue: string,
  record: SessionRecord,
  settings: Settings,
): { curve: number[]; marks: number[] } {
  const { session, role, windowTokens = windowTokensAssumed, contextTokens } = record;
  const { stream } = placesFor(here, issue).session(session, role);
  const agent = agentsHere()[findAgent(settings, record.agent)?.kind ?? "command"];
  const marks = markTokens(settings.limits.contextMarks, {
    windowTokens,
    reserveTokens: agent.capabilities.reserveTokens,
  });
  const known = curves.get(stream);
  if (known) return { curve: known, marks };
  const size = statSync(stream, { throwIfNoEntry: false })?.size ?? 0;
  const read = size > curveBytesMax ? [] : linesIn(stream)();
  const dialogue = agent.dialogue("");
  const tokens = read
    .flatMap((line) => dialogue.read(line))
    .flatMap((update) => (update.type === "usage" ? update.contextTokens : []));
  const curve = thinned(tokens.length > 0 ? tokens : [contextTokens ?? []].flat());
  if (record.ended) curves.set(stream, curve);
  return { curve, marks };
}

/** Every nth point, and always the last. */
function thinned(points: readonly number[]): number[] {
  const step = Math.ceil(points.length / curvePointsMax);
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

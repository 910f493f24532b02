/** A usage limit in words: the last resort, for the agent's own result of a request that failed; never for what it says in its work. */

const saying = [
  /\byou(?:['’]ve| have) (?:hit|reached) your [\w -]{0,40}limits?\b/i,
  /\busage limit (?:has been )?(?:reached|exceeded|hit)\b/i,
  /\b(?:\d+-hour|weekly|daily|monthly|session) limit (?:reached|exceeded)\b/i,
] as const;

/** A busy server says that it is none. */
const denying = /\bnot your usage limit\b/i;

export function saysUsageLimit(result: string): boolean {
  return saying.some((words) => words.test(result)) && !denying.test(result);
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** When it is over by the same words: `|1795253808`, "resets 9:36am (UTC)", "try again in 20 minutes"; undefined where they do not say. */
export function resetInWords(result: string, nowMs: number): number | undefined {
  const [, epoch] = /\|(\d{10})\b/.exec(result) ?? [];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const [, amount, unit] = /\b(?:again|resets) in (\d{1,3}) (minute|hour|day)s?\b/i.exec(result) ?? [];
  if (amount !== undefined && unit !== undefined)
    return nowMs + Number(amount) * unitsMs[unit.toLowerCase()]!;
  const [, hour, minute = "0", half] =
    /\bresets (?:at )?(\d{1,2})(?::(\d\d))? ?([ap]m) \(UTC\)/i.exec(result) ?? [];
  if (hour === undefined) return undefined;
  const minutes = ((Number(hour) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0)) * 60 + Number(minute);
  const today = nowMs - (nowMs % dayMs) + minutes * minuteMs;
  return today > nowMs ? today : today + dayMs;
}

const unitsMs: Readonly<Record<string, number>> = { minute: minuteMs, hour: 60 * minuteMs, day: dayMs };

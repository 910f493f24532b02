/** `run --until`: the time after which a run begins no further session. */
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";

/** The longest time of a timer. */
const daysMax = 24;
const dayMs = 24 * 60 * 60_000;

/**
 * Reads `07:30` (the next one, local), a date and time in ISO 8601, or a duration (`8h`, `1h30m`). Throws `input` for anything
 * else, and for a time that is over.
 */
export function untilTime(text: string, nowMs: number): number {
  const ms = durationFrom(text, nowMs) ?? timeOfDay(text, nowMs) ?? isoTime(text);
  const why =
    ms === undefined
      ? t`expected a time or a duration`
      : ms <= nowMs
        ? t`that is over already`
        : ms - nowMs > daysMax * dayMs && t`that is more than ${daysMax} days away`;
  if (ms !== undefined && !why) return ms;
  throw new MonocoError("input", t`--until ${text}: ${why || ""}`, {
    hint: t`write it like 07:30, 2026-11-23T07:30, or 8h`,
  });
}

function durationFrom(text: string, nowMs: number): number | undefined {
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (!parts || text === "") return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return nowMs + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}

function timeOfDay(text: string, nowMs: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const time = new Date(nowMs);
  time.setHours(Number(hours), Number(minutes), 0, 0);
  if (time.getTime() <= nowMs) time.setDate(time.getDate() + 1);
  return time.getTime();
}

function isoTime(text: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Aborts `signal` at that time; never without a time. `end` clears the timer. */
export function untilSignal(
  untilMs: number | undefined,
  nowMs: number,
): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timer =
    untilMs === undefined ? undefined : setTimeout(() => controller.abort(), Math.max(0, untilMs - nowMs));
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

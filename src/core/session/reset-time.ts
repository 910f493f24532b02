/** The end of a usage limit from the text of its message: "in 5 hours", or a date and a time of day with a zone. */
import { attempt } from "../error/attempt.ts";

/** The moment of reading, and the machine's time zone (IANA), which applies to times without a zone. */
export type Reading = { nowMs: number; zone: string };

/** Milliseconds since 1970; undefined if the text has no time, or one in an unknown zone. */
export function resetInWords(text: string, reading: Reading): number | undefined {
  const plain = text.slice(0, charsMax).replace(/[\s│]+/g, " ");
  const epoch = /(?:\||"resets_?at" ?: ?)(\d{10})\b/i.exec(plain)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const delayMs = delayInWords(plain);
  if (delayMs !== undefined) return reading.nowMs + delayMs;
  const moment = moments.exec(plain)?.groups;
  return moment && msOf(moment, reading);
}

const charsMax = 4_000;

/** Three years; a longer delay is nonsense. */
const delayMsMax = 1e11;

/** "Try again in 5 days 22 hours 11 minutes", "will reset after 42h1m20s", "Please retry in 7.5s", in milliseconds. */
export function delayInWords(text: string): number | undefined {
  const span = spans.exec(text.slice(0, charsMax))?.[1];
  if (span === undefined) return undefined;
  const amounts = [...span.matchAll(parts)].map(([, amount, unit = ""]) => Number(amount) * unitMs(unit));
  const sum = amounts.reduce((one, other) => one + other, 0);
  return sum <= delayMsMax ? Math.round(sum) : undefined;
}

const spans =
  /\b(?:again|resets?|retry|wait)(?: in| after)? ((?:\d{1,7}(?:\.\d{1,9})? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])(?:,? and |, ?| )?)+)/i;
const parts = /(\d+(?:\.\d+)?) ?([a-z]+)/gi;
const dayMs = 86_400_000;
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs };

function unitMs(unit: string): number {
  return /^(?:ms|milli)/i.test(unit) ? 1 : (unitsMs[unit.slice(0, 1).toLowerCase()] ?? 1_000);
}

/** "resets Feb 4, 8pm (Europe/Berlin)", "try again at Nov 28th, 2026 3:33 PM", "resets 2026-12-01T00:00:00Z". */
const moments = new RegExp(
  [
    "(?:将[在于]|\\b(?:resets?|again|access|available)(?: again)?:?) ?(?:on |at |after )?",
    "(?:(?<date>\\d{4}-\\d\\d-\\d\\d|[A-Z]{3,9}\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?)(?:,|T)? ?(?:at )?)?",
    "(?<hour>\\d{1,2})(?=:|(?: ?[ap]\\.?m\\b))(?::(?<minute>\\d\\d))?(?::[\\d.]+)? ?(?<half>[ap](?=\\.?m\\b))?(?:\\.?m\\b\\.?)?",
    "(?: ?\\((?<place>[^()]{1,40})\\)| ?(?<short>(?:UTC|GMT)[+-]\\d{1,2}(?::?\\d\\d)?|[A-Z]{1,5}\\b))?",
  ].join(""),
  "i",
);

type Groups = Readonly<Record<string, string | undefined>>;

function msOf({ date, place, short, ...clock }: Groups, { nowMs, zone }: Reading): number | undefined {
  // The pattern matches any word, so that it can ignore the case of the rest.
  const zoneName = place ?? (/^[A-Z]+(?:[+-]|$)/.test(short ?? "") ? short : undefined);
  const offsetAt = offsetsIn(zoneName === undefined ? zone : zoneOf(zoneName.trim()));
  const clockMs = clockIn(clock);
  if (!offsetAt || clockMs === undefined) return undefined;
  const today = Math.floor((nowMs + offsetAt(nowMs)) / dayMs) * dayMs;
  const days =
    date === undefined ? [today, today + dayMs] : daysNamed(date, new Date(today).getUTCFullYear());
  if (!days.every(Number.isFinite)) return undefined;
  const times = days.map((day) => whenThere(day + clockMs, offsetAt));
  // A date that is read slightly late does not mean next year.
  const afterMs = date === undefined ? nowMs : nowMs - dayMs;
  return times.find((ms) => ms > afterMs) ?? times.at(-1);
}

function clockIn({ hour, minute = "0", half }: Groups): number | undefined {
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return hours < 24 && Number(minute) < 60 ? hours * 3_600_000 + Number(minute) * 60_000 : undefined;
}

/** The days that a date may mean as UTC, this year's first; NaN for an invalid date. */
function daysNamed(date: string, year: number): number[] {
  const plain = date.replace(/(?<=\d)[a-z]+/i, "");
  if (/\d{4}/.test(plain)) return [Date.parse(`${plain} UTC`)];
  return [year, year + 1].map((one) => Date.parse(`${plain}, ${one} UTC`));
}

/** The zone of an IANA name, UTC, or `GMT-3`; other abbreviations are ambiguous. */
function zoneOf(name: string): string | undefined {
  const [, sign, hours, minutes = "00"] = /^(?:UTC|GMT)([+-])(\d{1,2}):?(\d\d)?$/i.exec(name) ?? [];
  if (hours !== undefined) return `${sign}${hours.padStart(2, "0")}:${minutes}`;
  if (/^(?:UTC|GMT|Z)$/i.test(name)) return "UTC";
  return name.includes("/") ? name : undefined;
}

/** The offset of a zone from UTC at a moment, in milliseconds; undefined for an unknown zone. */
function offsetsIn(timeZone: string | undefined): ((ms: number) => number) | undefined {
  if (timeZone === undefined) return undefined;
  const options = { timeZone, timeZoneName: "longOffset" } as const;
  const format = attempt(() => new Intl.DateTimeFormat("en-US", options), undefined);
  return (
    format &&
    ((ms) => {
      const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(ms)) ?? [];
      return hours === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    })
  );
}

/** The moment at which the clocks of a zone show `wallMs` (read as if it were UTC); summer time may begin or end in between. */
function whenThere(wallMs: number, offsetAt: (ms: number) => number): number {
  return wallMs - offsetAt(wallMs - offsetAt(wallMs));
}

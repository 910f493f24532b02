/** When a usage limit is over, by the words of the message that tells it: a time in any named zone, a date, or a span. */
import { attempt } from "../error/attempt.ts";

/** The moment of reading, and the machine's own time zone (IANA): a time without a zone is one of it. */
export type Reading = { nowMs: number; zone: string };

/** Milliseconds since 1970; undefined where the text names no time, or one in a zone that nobody knows. */
export function resetInWords(text: string, reading: Reading): number | undefined {
  const words = text.slice(0, charsMax).replace(/[\s│]+/g, " ");
  const epoch = /(?:\||"resets_?at" ?: ?)(\d{10})\b/i.exec(words)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const delayMs = delayInWords(words);
  if (delayMs !== undefined) return reading.nowMs + delayMs;
  for (const { index, 0: lead } of words.matchAll(leads)) {
    const named = momentIn(words.slice(index + lead.length));
    if (named) return msOf(named, reading);
  }
  return undefined;
}

const charsMax = 4_000;

/** Three years; more is nonsense. */
const delayMsMax = 1e11;

/** "Try again in 5 days 22 hours 11 minutes", "will reset after 42h1m20s", "Please retry in 7.5s", in milliseconds. */
export function delayInWords(text: string): number | undefined {
  const told = spans.exec(text.slice(0, charsMax))?.[1];
  if (told === undefined) return undefined;
  const sum = [...told.matchAll(parts)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * unitsMs[unitOf(unit)],
    0,
  );
  return sum <= delayMsMax ? Math.round(sum) : undefined;
}

const spans =
  /\b(?:again|resets?|retry|wait)(?: in| after)? ((?:\d{1,7}(?:\.\d{1,9})? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])(?:,? and |, ?| )?)+)/i;
const parts = /(\d+(?:\.\d+)?) ?([a-z]+)/gi;
const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function unitOf(unit: string): keyof typeof unitsMs {
  if (/^(?:ms|milli)/i.test(unit)) return "ms";
  const first = unit[0]?.toLowerCase();
  return first === "d" || first === "h" || first === "m" ? first : "s";
}

/** What stands before a time. */
const leads =
  /(?:将[在于]|\b(?:resets?|again|regain access|resume|refresh(?:es|ed)?|available)(?: again)?:?) ?(?:on |at |after |by )?/gi;

/** A wall clock's reading: what a message names of it, and where the clock hangs. */
type Moment = { date?: NamedDate | undefined; hour: number; minute: number; zone?: string | undefined };
type NamedDate =
  | { year?: number | undefined; month: number; day: number }
  | { weekday: number }
  | { days: number };

const dateThenTime = new RegExp(
  [
    "^(?:",
    "(?<iso>\\d{4})-(?<isoMonth>\\d\\d)-(?<isoDay>\\d\\d)",
    "|(?<month>[A-Z][a-z]{2,8})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?",
    "|(?<day2>\\d{1,2})(?:st|nd|rd|th)? (?<month2>[A-Z][a-z]{2,8})\\.?(?:,? (?<year2>\\d{4}))?",
    "|(?<word>today|tomorrow|[A-Z][a-z]{2,8})\\b",
    ")?(?:,|T)? ?(?:at )?",
    "(?<time>(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?::\\d\\d)? ?(?<half>[ap]\\.?m\\b\\.?)?)?",
    "(?<later> tomorrow\\b)?",
    "(?: ?\\((?<place>[^()]{1,40})\\)| ?(?<short>(?:UTC|GMT)[+-]\\d{1,2}(?::?\\d\\d)?|[A-Z]{2,5}\\b|Z\\b))?",
  ].join(""),
  "i",
);

function momentIn(text: string): Moment | undefined {
  const found = dateThenTime.exec(text)?.groups;
  if (!found) return undefined;
  const date = found["later"] === undefined ? dateIn(found) : { days: 1 };
  const clock = clockIn(found);
  if (!clock && !(date && "month" in date && found["time"] === undefined)) return undefined;
  // The pattern takes any word, to be independent of the case of the rest.
  const short = /^[A-Z]+(?:[+-]|$)/.test(found["short"] ?? "") ? found["short"] : undefined;
  return { date, ...(clock ?? { hour: 0, minute: 0 }), zone: found["place"] ?? short };
}

type Groups = Readonly<Record<string, string | undefined>>;

function dateIn(found: Groups): NamedDate | undefined {
  if (found["iso"]) {
    return { year: Number(found["iso"]), month: Number(found["isoMonth"]), day: Number(found["isoDay"]) };
  }
  const month = startsWith(months, found["month"] ?? found["month2"]) + 1;
  const year = found["year"] ?? found["year2"];
  if (month > 0) {
    const day = Number(found["day"] ?? found["day2"]);
    return { month, day, year: year === undefined ? undefined : Number(year) };
  }
  const word = found["word"]?.toLowerCase();
  if (word === "today" || word === "tomorrow") return { days: word === "today" ? 0 : 1 };
  const weekday = startsWith(weekdays, word);
  return weekday < 0 ? undefined : { weekday };
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

function startsWith(names: readonly string[], word: string | undefined): number {
  return word === undefined ? -1 : names.indexOf(word.slice(0, 3).toLowerCase());
}

/** 24 hours need their minutes: a bare number is any number. */
function clockIn({ hour, minute, half }: Groups): { hour: number; minute: number } | undefined {
  if (hour === undefined || (half === undefined && minute === undefined)) return undefined;
  const pm = half?.toLowerCase().startsWith("p") ? 12 : 0;
  const clock = { hour: half ? (Number(hour) % 12) + pm : Number(hour), minute: Number(minute ?? 0) };
  return clock.hour < 24 && clock.minute < 60 ? clock : undefined;
}

function msOf(moment: Moment, { nowMs, zone }: Reading): number | undefined {
  const place = moment.zone === undefined ? zone : zoneOf(moment.zone);
  const offsets = place === undefined ? undefined : offsetsIn(place);
  if (!offsets) return undefined;
  const at = (year: number, month: number, day: number): number =>
    whenThere(Date.UTC(year, month - 1, day, moment.hour, moment.minute), offsets);
  const there = new Date(nowMs + offsets(nowMs));
  const [year, month, day] = [there.getUTCFullYear(), there.getUTCMonth() + 1, there.getUTCDate()];
  const { date } = moment;
  if (date === undefined) return next(at(year, month, day), at(year, month, day + 1), nowMs);
  if ("days" in date) return at(year, month, day + date.days);
  if ("weekday" in date) {
    const days = (date.weekday - there.getUTCDay() + 7) % 7;
    return next(at(year, month, day + days), at(year, month, day + days + 7), nowMs);
  }
  if (date.year !== undefined) return at(date.year, date.month, date.day);
  // A message that is read a little late does not mean the next year.
  return next(at(year, date.month, date.day), at(year + 1, date.month, date.day), nowMs - unitsMs.d);
}

/** The first of two that is still to come. */
function next(first: number, second: number, nowMs: number): number {
  return first > nowMs ? first : second;
}

/** The abbreviations that mean one zone only; `CST` and `IST` mean several. */
const zones: Readonly<Record<string, string>> = {
  Z: "UTC",
  UTC: "UTC",
  GMT: "UTC",
  PT: "America/Los_Angeles",
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  ET: "America/New_York",
  EST: "America/New_York",
  EDT: "America/New_York",
  CET: "Europe/Berlin",
  CEST: "Europe/Berlin",
};

/** An IANA name, an abbreviation, or `GMT-3`. */
function zoneOf(name: string): string | undefined {
  const [, sign, hours, minutes = "00"] = /^(?:UTC|GMT)([+-])(\d{1,2}):?(\d\d)?$/i.exec(name.trim()) ?? [];
  if (hours !== undefined) return `${sign}${hours.padStart(2, "0")}:${minutes}`;
  return zones[name.trim().toUpperCase()] ?? (name.includes("/") ? name.trim() : undefined);
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds; undefined for a zone that there is not. */
function offsetsIn(zone: string): ((ms: number) => number) | undefined {
  const format = formatOf(zone);
  return (
    format &&
    ((ms) => {
      const parts = format.formatToParts(ms).map(({ type, value }) => [type, Number(value)] as const);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = Object.fromEntries(parts);
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
    })
  );
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  return attempt(
    () =>
      new Intl.DateTimeFormat("en-US", {
        timeZone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      }),
    undefined,
  );
}

/** The moment at which the clocks of a zone show `wallMs`, read as if it were UTC; summer time may begin or end in between. */
function whenThere(wallMs: number, offsets: (ms: number) => number): number {
  const about = wallMs - offsets(wallMs);
  return wallMs - offsets(about);
}

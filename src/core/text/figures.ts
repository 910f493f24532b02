/** Figures as text: durations, times, shares, short hashes. */
import { minutesAhead, t } from "../language/translate.ts";

/** `160000 of 200000 tokens` as `80 %`; as tokens if the window is unknown. */
export function percent(tokens: number, windowTokens?: number): string {
  return windowTokens ? `${Math.round((tokens / windowTokens) * 100)} %` : t`${tokens} tokens`;
}

export function seconds(ms: number): string {
  if (ms < 59_950) return t`${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return t`${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A duration in whole minutes, hours or days. */
export function agoWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return t`${minutes} min`;
  return minutes < 2_880 ? t`${Math.round(minutes / 60)} h` : t`${Math.round(minutes / 1_440)} days`;
}

/** A time by the reader's clock: `2026-11-28 17:38 UTC+1`, or `17:38 UTC+1` on the day of `nowMs`. */
export function timeOf(ms: number, nowMs?: number): string {
  const moment = momentOf(ms);
  const [date, time = ""] = moment.split(" ");
  const today = nowMs !== undefined && momentOf(nowMs).startsWith(`${date} `);
  return !time.includes(":") ? moment : `${today ? "" : `${date} `}${time.slice(0, 5)} ${zoneOf(ms)}`;
}

/** `2026-11-28 17:38:05` by the reader's clock, for a column. Agents report times, too, and beyond the year 275760 there is no date. */
export function momentOf(ms: number): string {
  const date = new Date(ms + minutesAhead(ms) * 60_000);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString().slice(0, 19).replace("T", " ");
}

/** The zone of the reader's clock: `UTC`, `UTC+1`, `UTC-3:30`. */
export function zoneOf(ms: number): string {
  const minutes = Math.abs(minutesAhead(ms));
  const past = minutes % 60 === 0 ? "" : `:${String(minutes % 60).padStart(2, "0")}`;
  return minutes === 0 ? "UTC" : `UTC${minutesAhead(ms) < 0 ? "-" : "+"}${Math.floor(minutes / 60)}${past}`;
}

/** What stands above a column of times. */
export function clockWords(nowMs: number): string {
  return t`times: ${zoneOf(nowMs)}`;
}

export function short(commit: string): string {
  return commit.slice(0, 8);
}

/** Disk space: `1.5 GB`, `300 MB`, `4 kB`. */
export function diskSpace(bytes: number): string {
  if (bytes >= 999_500_000) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 999_500 ? `${Math.round(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

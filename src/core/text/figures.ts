/** Figures as text: durations, times, shares, short hashes. */
import { t } from "../language/translate.ts";

/** `160000 of 200000 tokens` as `80 %`; as tokens if the window is unknown. */
export function percent(tokens: number, windowTokens?: number): string {
  return windowTokens ? `${Math.round((tokens / windowTokens) * 100)} %` : t`${tokens} tokens`;
}

export function seconds(ms: number): string {
  if (ms < 59_950) return t`${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return t`${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A time as text. Agents report times, too, and beyond the year 275760 there is no date. */
export function timeOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}

export function short(commit: string): string {
  return commit.slice(0, 8);
}

/** Disk space: `1.5 GB`, `300 MB`, `4 kB`. */
export function diskSpace(bytes: number): string {
  if (bytes >= 999_500_000) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 999_500 ? `${Math.round(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

/** Words for a relay on the remote: who holds it, as far as a lease can tell, and how many letters nobody has read. */
import { counted } from "../../core/language/counted.ts";
import { t } from "../../core/language/translate.ts";
import type { There } from "../../core/lease/lease.ts";
import { agoWords, timeOf } from "../../core/text/figures.ts";

/** A lease that ran out says nothing of its holder, whose clock may be wrong. */
export function holderWords({ lease }: There, nowMs: number): string {
  if (!lease) return t`nobody holds it`;
  const { who, host, minutes, untilMs } = lease;
  const since = timeOf(untilMs - minutes * 60_000, nowMs);
  if (untilMs > nowMs)
    return t`${who} on ${host} holds it, as of ${since}; the lease ends at ${timeOf(untilMs, nowMs)}`;
  return t`${who} on ${host} held it, as of ${since}; the lease ran out ${agoWords(nowMs - untilMs)} ago by the clock here`;
}

export function lettersWords({ letters, remote }: There): string {
  return letters === 0 ? "" : t`${counted(letters, "letter")} on ${remote}, not read yet`;
}

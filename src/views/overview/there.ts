/** What is known of a relay on the remote besides its journal: who holds it, as far as a lease can tell, and unread letters. */
import { counted } from "../../core/language/counted.ts";
import { t } from "../../core/language/translate.ts";
import type { Lease } from "../../core/lease/lease.ts";
import { agoWords, timeOf } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";

export type There = {
  remote: string;
  /** Undefined: nobody has it. A lease that ran out says nothing of its holder, whose clock may be wrong. */
  lease: Omit<Lease, "v" | "issue" | "slot"> | null;
  letters: number;
};

export function thereOf(remote: string, lease: Lease | undefined, letters: number): There {
  if (!lease) return { remote, lease: null, letters };
  const { attempt, minutes, untilMs } = lease;
  const [who, host] = [plainLine(lease.who, 80), plainLine(lease.host, 80)];
  return { remote, lease: { who, host, attempt, minutes, untilMs }, letters };
}

export const isHeld = ({ lease }: There, nowMs: number): boolean => lease !== null && lease.untilMs > nowMs;

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

/** monoco doctor: reports faults with their fixes; --fix applies the fixes that lose nothing. */
import { fixSafe } from "../app/doctor/fix.ts";
import { gather } from "../app/doctor/gather.ts";
import { isOutside, openHere } from "../app/here.ts";
import type { Here } from "../app/here.ts";
import { currentSession, refuseFromWithin } from "../app/session-context.ts";
import { diagnose, exitStatusOf } from "../core/doctor/doctor.ts";
import type { Finding } from "../core/doctor/finding.ts";
import { rowOf } from "../core/doctor/rows.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { io } from "../io/io.ts";
import { fixWords, renderDoctor } from "../views/doctor.ts";
import { printJson } from "../views/json.ts";

export async function doctor(flags: { fix: boolean; ci: boolean; json: boolean }): Promise<number> {
  if (flags.ci && isOutside(io().cwd)) await openHere();
  const { facts, here } = await gather(flags.ci);
  let findings = diagnose(facts);
  let fixed: Finding[] = [];
  if (flags.fix) {
    refuseToAgents(here);
    fixed = await fixSafe(findings, here);
    if (fixed.length > 0) findings = diagnose((await gather(flags.ci)).facts);
  }
  const status = exitStatusOf(findings);
  if (flags.json) {
    const withWords = (one: Finding): object => {
      const { words, safe = false } = rowOf(one);
      return { ...one, because: words, fix: fixWords(one) || null, safe };
    };
    printJson({ status, findings: findings.map(withWords), fixed: fixed.map(withWords) });
  } else io().stdout.write(renderDoctor({ findings, fixed }));
  return status;
}

function refuseToAgents(here: Here | undefined): void {
  if (here) refuseFromWithin(here.repository);
  if (!currentSession()) return;
  throw new MonocoError("input", t`doctor --fix is for people: a session cannot tidy up behind relays`, {
    hint: t`monoco doctor without --fix only looks`,
  });
}

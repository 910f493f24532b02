/** monoco doctor: what is wrong here and how to fix it; with --fix, what loses nothing is fixed. */
import { fixSafe } from "../app/doctor/fix.ts";
import { gather } from "../app/doctor/gather.ts";
import type { Gathered } from "../app/doctor/gather.ts";
import { currentSession, refuseFromWithin } from "../app/session-context.ts";
import { diagnose, exitStatusOf, findingWords, isSafe } from "../core/doctor/doctor.ts";
import type { Finding } from "../core/doctor/finding.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { io } from "../io/io.ts";
import { fixWords, renderDoctor } from "../views/doctor.ts";
import type { States } from "../views/doctor.ts";
import { printJson } from "../views/json.ts";

/** One fix may uncover another: an orphan's temporary folder is in use until it is ended. */
const passesMax = 3;

export async function doctor(flags: { fix: boolean; json: boolean }): Promise<number> {
  let gathered = await gather();
  let findings = diagnose(gathered.facts);
  const fixed: Finding[] = [];
  if (flags.fix) refuseToAgents(gathered);
  for (let pass = 0; flags.fix && pass < passesMax; pass += 1) {
    const done = await fixSafe(findings, gathered);
    if (done.length === 0) break;
    fixed.push(...done);
    gathered = await gather();
    findings = diagnose(gathered.facts);
  }
  const states = statesIn(gathered);
  const status = exitStatusOf(findings);
  if (flags.json) {
    const told = (one: Finding): object => ({
      ...one,
      because: findingWords(one),
      fix: fixWords(one, states) || null,
      safe: isSafe(one),
    });
    printJson({ status, findings: findings.map(told), fixed: fixed.map(told) });
  } else io().stdout.write(renderDoctor({ findings, fixed }, states));
  return status;
}

function refuseToAgents({ here }: Gathered): void {
  if (here) refuseFromWithin(here.repository);
  if (!currentSession()) return;
  throw new MonocoError("input", t`doctor --fix is for people: a session cannot tidy up behind relays`, {
    hint: t`monoco doctor without --fix only looks`,
  });
}

function statesIn({ facts: { repository } }: Gathered): States {
  const relays = repository && "relays" in repository ? repository.relays : [];
  return new Map(relays.map(({ issue, state }) => [issue, state]));
}

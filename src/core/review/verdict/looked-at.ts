/** What monoco saw when it looked at evidence itself: did it reproduce, and what is it worth? */
import { kindOf } from "../../issue/criterion-kind.ts";
import type { Margin } from "../../issue/criterion-kind.ts";
import { natureOf } from "../command-nature.ts";
import { isForPerson, supports, worthOfCommand } from "../evidence.ts";
import type { Worth } from "../evidence.ts";
import type { Criterion, Verdict } from "../verdict-schema.ts";
import { checkCommand, isCommand, ranOn, natureFor } from "./known.ts";
import type { Known, NamedCommand } from "./known.ts";

export type Evidence = Pick<Criterion, "command" | "exitCode" | "file" | "line">;
export type Looked = Pick<Criterion, "reproduced" | "seen" | "worth" | "base">;

/** A command that was not run, or not to its end, says nothing either way. */
export function lookedAt(evidence: Evidence, known: Known, margin?: Margin): Looked {
  const { file, line } = evidence;
  if (isCommand(evidence)) return lookedAtCommand(evidence, known, margin);
  if (file === undefined) return {};
  const lines = known.lines.get(file);
  if (lines === undefined) return { reproduced: false, seen: "no such file" };
  if ((line ?? 1) > lines) return { reproduced: false, seen: `it has ${lines} lines` };
  return { reproduced: true, worth: known.added.get(file)?.has(line ?? 0) ? "shown" : "hollow" };
}

function lookedAtCommand(named: NamedCommand, known: Known, margin: Margin | undefined): Looked {
  const looked = triedAgain(named, known, margin);
  if (looked.worth !== undefined || looked.reproduced !== true) return looked;
  const { command } = named;
  const base = ranOn("base", command, known);
  const branch = ranOn("branch", command, known)!;
  const worth = worthOfCommand({ nature: natureFor(command, margin), branch, base, margin });
  return { ...looked, worth, ...(base && { base: base.exitCode }) };
}

/** What is seen on the submission alone. */
export function triedAgain({ command, exitCode }: NamedCommand, known: Known, margin?: Margin): Looked {
  if (command.trim() === checkCommand && known.checks.length === 0)
    return { reproduced: false, seen: "there are no checks to run" };
  const ran = ranOn("branch", command, known);
  if (!ran || ran.exitCode === null) return { worth: "unseen" };
  if (ran.exitCode !== exitCode)
    return { reproduced: false, seen: `exit status ${ran.exitCode}, not ${exitCode}` };
  const again = known.again?.get(command);
  if (again && again.exitCode !== exitCode)
    return {
      reproduced: false,
      seen: `exit status ${again.exitCode ?? "none"} when it ran again after the base`,
    };
  return { reproduced: true, ...(natureFor(command, margin) === "constant" ? { worth: "hollow" } : {}) };
}

export function judgeCriterion(criterion: Verdict["criteria"][0], known: Known): Criterion {
  const text = known.criteria[criterion.criterion - 1];
  const { kind, guessed, margin } = kindOf(text ?? "");
  const looked = lookedAt(criterion, known, margin);
  const { worth } = looked;
  const judged = { ...criterion, ...looked, ...(text === undefined ? {} : { kind, guessed }) };
  if (worth === undefined) return judged;
  const { command } = criterion;
  const tried = kind === "behaves" && command !== undefined ? known.emptied?.get(command) : undefined;
  const absent = worth === "shown_by_absence" && kind === "behaves" && command !== undefined;
  const emptied = absent ? (tried ?? "not_tried") : tried;
  // What is `shown` has no need to say that it would notice.
  const how = emptied && (absent || emptied === "same" || isForPerson(emptied)) ? { emptied } : {};
  const enough = supports(kind, asEvidence({ ...criterion, worth, ...how }));
  if (enough && kind === "measured" && known.ownRulers?.has(command ?? ""))
    return { ...judged, ownRuler: true, supports: false };
  return { ...judged, ...how, supports: enough };
}

export function asEvidence(
  one: Pick<Criterion, "command" | "exitCode" | "text" | "emptied"> & { worth: Worth },
): Parameters<typeof supports>[1] {
  return { ...one, nature: one.command === undefined ? "reads" : natureOf(one.command) };
}

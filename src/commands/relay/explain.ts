/** monoco relay explain: each decision of a relay with its numbers, threshold and rule, from the journal alone. */
import { existsSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import { explain } from "../../core/report/explain.ts";
import { readJournal } from "../../store/journal.ts";
import { explanationLines } from "../../views/explanation.ts";
import { printJson } from "../../views/json.ts";
import { noOpenRelay } from "../../app/no-relay.ts";
import { relayOrHere, openHere, placesFor } from "../../app/here.ts";
import { io } from "../../io/io.ts";

/** All decisions, or those about one session. */
export async function explainRelay(
  id: string | undefined,
  flags: { session?: number; json: boolean },
): Promise<number> {
  const here = await openHere();
  const issue = await relayOrHere(here, id);
  const { journal } = placesFor(here, issue);
  if (!existsSync(journal)) throw await noOpenRelay(here, issue);
  const all = explain(readJournal(journal), Date.now());
  const decisions = all.filter(({ session }) => flags.session === undefined || session === flags.session);
  if (decisions.length === 0) {
    throw new MonocoError("input", `${issue} has no session ${flags.session}`, {
      hint: `monoco relay status ${issue} lists its sessions`,
    });
  }
  if (flags.json) printJson({ issue, decisions });
  else io().stdout.write(`${decisions.flatMap(explanationLines).join("\n")}\n`);
  return 0;
}

/** monoco explain: each decision of a relay with its numbers, threshold and rule, from the journal alone. */
import { clockWords } from "../../core/text/figures.ts";
import { MonocoError } from "../../core/error/error.ts";
import { explain } from "../../core/report/explain.ts";
import { readJournal } from "../../store/journal.ts";
import { explanationLines } from "../../views/explanation.ts";
import { printJson } from "../../views/json.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

/** All decisions, or those about one session. */
export async function explainRelay(
  id: string | undefined,
  flags: { session?: number; json: boolean },
): Promise<number> {
  const { issue, journal } = await begunRelay(id);
  const all = explain(readJournal(journal), Date.now());
  const decisions = all.filter(({ session }) => flags.session === undefined || session === flags.session);
  if (decisions.length === 0) {
    throw new MonocoError("input", t`${issue} has no session ${flags.session}`, {
      hint: t`monoco status ${issue} lists its sessions`,
    });
  }
  if (flags.json) printJson({ issue, decisions });
  else io().stdout.write(`${[clockWords(Date.now()), ...decisions.flatMap(explanationLines)].join("\n")}\n`);
  return 0;
}

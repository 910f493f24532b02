/** monoco issue escaped: a person's word that the merge of an issue was wrong, for the count of escapes. */
import { MonocoError } from "../../core/error/error.ts";
import { recordedHere, replay } from "../../core/journal/state.ts";
import { isMerged } from "../../core/relay/phase.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { printJson } from "../../views/json.ts";
import { openHere, placesFor } from "../../app/here.ts";
import { deliver } from "../../app/message.ts";
import { validId } from "../../app/valid-id.ts";
import { sayable } from "../relay/ask.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export async function escaped(id: string, flags: { message: string; json: boolean }): Promise<number> {
  const here = await openHere();
  const issue = validId(id);
  const text = sayable(flags.message);
  if (!isMerged(replay(recordedHere(viewJournal(placesFor(here, issue).journal)))))
    throw new MonocoError("input", t`nothing of ${issue} is merged`, {
      hint: t`monoco report lists what was merged here`,
    });
  const delivery = await deliver(here, issue, { type: "escaped", text });
  if (delivery.by === "taken" && delivery.refused !== undefined)
    throw new MonocoError("input", delivery.refused);
  if (flags.json) printJson({ issue, escaped: delivery.by });
  else {
    const said =
      delivery.by === "left"
        ? t`it lies in its inbox: the runner takes it as soon as it can`
        : t`its merge counts as escaped`;
    io().stdout.write(t`${issue}: ${said}\nnext: monoco report --escapes\n`);
  }
  return 0;
}

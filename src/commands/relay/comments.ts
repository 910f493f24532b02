/** monoco relay comments: takes commands from comments on the issues and pull requests of relays. */
import { commentEvent } from "../../core/comments/event.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";
import { carrierHere } from "../../app/carry/carrier.ts";
import { readComments } from "../../app/comments/read.ts";
import { eventIn } from "../../app/comments/event-file.ts";
import { openHere } from "../../app/here.ts";
import { refuseFromWithin } from "../../app/session-context.ts";
import { loadSettings } from "../../app/settings.ts";
import { validId } from "../../app/valid-id.ts";
import { io } from "../../io/io.ts";
import { printJson } from "../../views/json.ts";

export async function comments(
  ids: readonly string[],
  flags: { event?: string; json: boolean },
): Promise<number> {
  const here = await openHere();
  refuseFromWithin(here.repository);
  const settings = loadSettings(here);
  const carrier = carrierHere(here, settings);
  const event = flags.event === undefined ? undefined : eventIn(flags.event, commentEvent);
  const isOther = flags.event !== undefined && event === undefined;
  const read = isOther ? [] : await readComments(carrier, { ids: ids.map(validId), event, settings });
  if (flags.json) printJson(read);
  else {
    const lines = read.map(
      ({ issue, login, is, why = "" }) =>
        `${issue}  ${plainLine(login)}  ${translated(ways[is])}${why === "" ? "" : `: ${plainLine(why)}`}\n`,
    );
    io().stdout.write(lines.join("") || t`no new command in a comment\n`);
  }
  return 0;
}

const ways = translatable({
  sent: "taken; the runner reads it as soon as it can",
  taken: "the relay has it already",
  refused: "not taken",
});

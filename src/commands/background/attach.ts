/** monoco attach: what the agent of a relay's running session prints, as it comes. */
import { describeEvent } from "../../core/journal/events/records.ts";
import { MonocoError } from "../../core/error/error.ts";
import { replay } from "../../core/journal/state.ts";
import { runningSession } from "../../core/relay/phase.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { findAgent } from "../../core/settings/agent-entry.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { paint } from "../../views/paint.ts";
import { agentsHere } from "../../app/agents.ts";
import { placesFor } from "../../app/here.ts";
import { begunRelay } from "../../app/no-relay.ts";
import { io } from "../../io/io.ts";
import { linesIn, printTail } from "./tail.ts";
import { named } from "../../core/language/names.ts";
import { t } from "../../core/language/translate.ts";

/** Prints until the session ends, and how it ended. Throws `input` if no session runs. */
export async function attach(id: string | undefined, { last }: { last: number }): Promise<number> {
  const { here, issue, journal } = await begunRelay(id);
  const places = placesFor(here, issue);
  const { opening, ...state } = replay(readJournal(journal));
  const running = runningSession(state);
  if (!opening || !running || !isLocked(places.runnerLock))
    throw new MonocoError("input", t`${issue}: no session runs now`, {
      hint: t`monoco status ${issue} shows where it stands, monoco log ${issue} what has happened`,
    });
  const { session, role, agent } = running;
  const kind = findAgent(opening.settings, agent)?.kind ?? "command";
  const dialogue = agentsHere()[kind].dialogue("");
  const lines = linesIn(places.session(session, role).stream);
  const endOf = () =>
    readJournal(journal).find((event) => event.type === "session.ended" && event.session === session);
  const said = t`${issue}: session ${session}, ${named(role)} by ${agent}`;
  io().stdout.write(`${paint("bold", said)}\n`);
  await printTail({
    last,
    read: () =>
      lines()
        .flatMap((line) => dialogue.read(line))
        .flatMap(linesOf),
    isOver: () => endOf() !== undefined || !isLocked(places.runnerLock),
  });
  const ended = endOf();
  const end =
    (ended && describeEvent(ended)?.text) ?? t`its run has ended before it: monoco resume ${issue} goes on`;
  io().stdout.write(`${paint("bold", `${issue}: ${end}`)}\n`);
  return 0;
}

function linesOf(update: AgentUpdate): string[] {
  if (update.type === "message") return plain(update.text).split("\n");
  if (update.type === "tool") return [paint("dim", plainLine(`${update.name} ${update.summary}`, 400))];
  return [];
}

/** monoco answer and say: send a person's message to a relay: to its running session, if the agent takes messages, and to all later ones. */
import { existsSync } from "node:fs";
import { MonocoError } from "../../core/error/error.ts";
import { idMeant } from "../../core/issue/name.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { resumeCommand } from "../../views/hint.ts";
import { replay } from "../../core/journal/state.ts";
import { readJournal } from "../../store/journal.ts";
import { printJson } from "../../views/json.ts";
import { listIssueFiles, idOf } from "../../store/issue-folder.ts";
import { placesFor, openHere, relayIds, relayOrHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { deliver } from "../../app/message.ts";
import { noOpenRelay } from "../../app/no-relay.ts";
import { sayable } from "./ask.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";

type Given = readonly [idOrText: string, text: string | undefined];

type Flags = { remote?: boolean; json: boolean };

export async function say(...[id, text, flags]: [...Given, Flags]): Promise<number> {
  return deliverWords([id, text], "say", flags);
}

/** Answers the open question. */
export async function answer(...[id, text, flags]: [...Given, Flags]): Promise<number> {
  return deliverWords([id, text], "answer", flags);
}

/** A single word is the message, to the only open relay. A single id is an error; `UTF-8` is no id unless one begins with UTF. */
function wordsOf(here: Here, [first, second]: Given): { id: string | undefined; text: string } {
  if (second !== undefined) return { id: first, text: second };
  const [prefix] = idMeant(first)?.split("-") ?? [];
  const files = listIssueFiles(here.repository.worktree).files.map(idOf);
  if (![...relayIds(here), ...files].some((id) => prefix !== undefined && id?.startsWith(`${prefix}-`)))
    return { id: undefined, text: first };
  throw new MonocoError("input", t`what is said to ${first}?`, {
    hint: t`name it behind the id: ${first} "…"`,
  });
}

async function deliverWords(given: Given, type: "say" | "answer", flags: Flags): Promise<number> {
  if (currentSession()) {
    throw new MonocoError("input", t`relay ${type} is for people: a session cannot answer itself`, {
      hint: t`monoco relay ask "…" asks a person`,
    });
  }
  const here = await openHere();
  const { id, text } = wordsOf(here, given);
  if (flags.remote)
    return (await import("../there/tell.ts")).sayThere(type, { id, text: sayable(text) }, flags);
  const issue = await relayOrHere(here, id);
  const { journal } = placesFor(here, issue);
  const said = sayable(text);
  const state = existsSync(journal) ? replay(readJournal(journal)) : undefined;
  if (!state?.opening || state.opening.cleared || state.opening.merged) {
    throw await noOpenRelay(here, issue, state);
  }
  const { question } = state.opening;
  if (type === "answer" && !question) {
    throw new MonocoError("input", t`${issue} has asked nothing that is still open`, {
      hint: t`monoco say ${issue} "…" says something unasked`,
    });
  }
  const delivery = await deliver(here, issue, { type, text: said });
  if (delivery.by === "taken" && delivery.refused !== undefined)
    throw new MonocoError("input", delivery.refused, {
      hint: t`monoco status ${issue} shows where it stands`,
    });
  if (flags.json) printJson({ issue, [type]: delivery.by });
  else {
    const asked = type === "answer" && question ? t`, to "${plainLine(question.text, 100)}"` : "";
    const next = delivery.by === "taken" ? t`next: ${resumeCommand(state)}\n` : "";
    io().stdout.write(t`${issue}: ${translated(ways[delivery.by])}${asked}\n${next}`);
  }
  return 0;
}

const ways = translatable({
  runner: "taken by its runner: the running session is told if its agent can be, and every later one",
  left: "it lies in its inbox: the runner takes it as soon as it can",
  taken: "the next session is told",
});

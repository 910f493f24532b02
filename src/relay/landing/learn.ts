/** Keeps what a relay's last handoff says about the repository, once its work is merged. */
import { wordsOf } from "../../core/error/error.ts";
import { parseHandoff } from "../../core/handoff/handoff.ts";
import { offeredOf, withLearned } from "../../core/handoff/learnings.ts";
import { learningsFile, readLearnings, updateLearnings } from "../../store/learnings.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** Adds the handoff's patterns to the learnings, once, for a person to promote. Returns errors as text, since they do not stop a merge. */
export async function learn(relay: Relay): Promise<string[]> {
  const { handoff } = openingOf(relay);
  if (!handoff) return [];
  const { patterns } = parseHandoff(handoff.text);
  if (patterns.length === 0) return [];
  try {
    await updateLearnings(relay.repositoryPlaces, (text) =>
      withLearned(text, { patterns, from: relay.issue }),
    );
    return [];
  } catch (error) {
    return [t`${learningsFile(relay.repositoryPlaces)}: not written: ${wordsOf(error)}`];
  }
}

/** The learnings for an Executor's prompt. A file that cannot be read gives an error there, as in `monoco learnings`. */
export function learningsFor(relay: Relay): string[] {
  if (!settingsOf(relay).learnings) return [];
  try {
    return offeredOf(readLearnings(relay.repositoryPlaces));
  } catch (error) {
    return [wordsOf(error)];
  }
}

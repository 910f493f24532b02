/** The state of a relay on the remote, from its journal there as last fetched. */
import { attempt } from "../../core/error/attempt.ts";
import { replay } from "../../core/journal/state.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { refs } from "../../git/refs.ts";
import { commitOf } from "../../git/repository.ts";
import { parseJournal } from "../../store/journal.ts";
import { textsIn } from "../carry/own.ts";
import type { Carrier } from "../carry/own.ts";

/** Undefined without a journal there, or if it is damaged. */
export async function relayThere({ here }: Carrier, issue: string): Promise<RelayState | undefined> {
  const { git } = here.repository;
  const ref = `${refs.there(issue)}/journal`;
  if (!(await commitOf(git, ref))) return undefined;
  const text = (await textsIn(git, ref)).join("");
  return attempt(() => replay(parseJournal(text, ref)), undefined);
}

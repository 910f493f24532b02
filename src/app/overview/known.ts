/** The result of earlier looks at a repository, so that the next look reads only what has changed. */
import type { SeenRelay } from "../../core/overview/relay-item.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { commitOf, isAncestor } from "../../git/repository.ts";
import type { Git } from "../../git/git.ts";
import { followJournal } from "../../store/journal-view.ts";
import type { IssueCards } from "../../store/issues/issue-cards.ts";

export type Known = {
  /** The state of the journal at this path. */
  stateOf(path: string): RelayState;
  /** Whether the branch contains the commit; git is asked once for each pair of commits. */
  isIn(git: Git, commit: string, branch: string): Promise<boolean>;
  /** The relays that are over, with this state at this length of their journals: nothing else can change them. */
  over: Map<string, { state: RelayState; seq: number; relay: SeenRelay }>;
  /** The cards as last read, and when by the clock that never jumps. */
  cards?: { atMs: number; read: IssueCards };
};

/** Issues' files are read again after this time, ms: each look at them costs a system call for each file. */
export const cardsKeptMs = 1_500;

export function openKnown(): Known {
  const journals = new Map<string, () => RelayState>();
  const contained = new Map<string, boolean>();
  return {
    stateOf: (path) => {
      const follow = journals.get(path) ?? followJournal(path);
      journals.set(path, follow);
      return follow();
    },
    isIn: async (git, commit, branch) => {
      const key = `${commit} ${(await commitOf(git, branch)) ?? ""}`;
      const is = contained.get(key) ?? (await isAncestor(git, commit, branch));
      contained.set(key, is);
      return is;
    },
    over: new Map(),
  };
}

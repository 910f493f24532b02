/** A git operation that a session left unfinished: its name, and how to continue or undo it. */
import { z } from "zod";
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";

const commands = {
  merge: ["git merge --continue", "git merge --abort"],
  rebase: ["git rebase --continue", "git rebase --abort"],
  "cherry-pick": ["git cherry-pick --continue", "git cherry-pick --abort"],
  revert: ["git revert --continue", "git revert --abort"],
  am: ["git am --continue", "git am --abort"],
  bisect: ["git bisect good", "git bisect reset"],
} as const;

export type Operation = keyof typeof commands;

export const unfinishedSchema = z.object({
  operation: z.enum(Object.keys(commands) as [Operation, ...Operation[]]).optional(),
  /** The commit that is being merged, rebased onto, picked or reverted, if git names one. */
  commit: z.string().optional(),
  /** Paths with unresolved conflicts. */
  unmerged: z.array(z.string()),
  /** Commands that a rebase runs when it goes on. */
  runs: z.array(z.string()).optional(),
});

export type Unfinished = z.infer<typeof unfinishedSchema>;

/** One sentence for the next session: the operation, its commit and paths, and how to continue or undo it. */
export function unfinishedWords(
  { operation, commit, unmerged, runs = [] }: Unfinished,
  language: Language,
): string {
  const of = commit === undefined ? "" : ` (${commit.slice(0, 12)})`;
  // Conflicts without an operation come from a stash that was applied.
  const begin = operation
    ? sentences.inProgress[language](operation, of, ...commands[operation])
    : sentences.withConflicts[language]("git add PATH", "git checkout HEAD -- PATH");
  return [
    begin,
    unmerged.length > 0 ? sentences.unmerged[language](unmerged.join(", ")) : "",
    runs.length > 0 ? sentences.rebaseRuns[language](runs.join("; ")) : "",
  ].join("");
}

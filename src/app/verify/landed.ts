/** Finds landings by their records: a code host squashed them, and wrote a message without trailers. */
import { readNote } from "../../core/attest/dsse.ts";
import { landingIn } from "../../core/report/lineage.ts";
import type { Landing } from "../../core/report/lineage.ts";
import { trailersOf } from "../../core/report/landing-message.ts";
import { keepGit } from "../../git/git.ts";
import { allNotes } from "../../git/notes/notes.ts";
import type { Here } from "../here.ts";
import { commitFacts } from "./facts.ts";
import { patchOf } from "./record.ts";

/** `subjects` are those of the commits that are asked about. A record is a commit's own, or has its change and an issue that its subject names. */
export async function landingsRecorded(
  { repository: { root, git } }: Here,
  subjects: ReadonlyMap<string, string>,
): Promise<Landing[]> {
  const leave = keepGit(root);
  try {
    const records = (await allNotes(git)).flatMap(({ commit, note }) => {
      const read = readNote(note);
      return read ? [{ commit, ...read.statement.predicate }] : [];
    });
    const landings: Landing[] = [];
    for (const [commit, subject] of subjects) {
      const own = records.find((one) => one.commit === commit);
      const named = records.filter(({ landing }) => subject.includes(landing.issue));
      const facts = own || named.length > 0 ? await commitFacts(git, commit) : undefined;
      if (!facts) continue;
      const patch = own ? "" : await patchOf(git, facts);
      const record = own ?? named.find((one) => one.patch === patch);
      if (!record) continue;
      const { landing, title } = record;
      const message = [`${landing.issue}: ${title}`, "", ...trailersOf(landing)].join("\n");
      const found = landingIn(commit, facts.parents, message);
      if (found) landings.push(found);
    }
    return landings;
  } finally {
    leave();
  }
}

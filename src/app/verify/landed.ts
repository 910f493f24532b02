/** Finds landings by their records: a code host squashed them, and wrote a message without trailers. */
import { landingIn } from "../../core/report/lineage.ts";
import type { Landing } from "../../core/report/lineage.ts";
import { trailersOf } from "../../core/report/landing-message.ts";
import { keepGit } from "../../git/git.ts";
import type { Here } from "../here.ts";
import { commitFacts } from "./facts.ts";
import { recordsIn } from "./record.ts";

/** Those of the named commits that have a record, or the change of one. */
export async function landingsRecorded(
  { repository: { root, git } }: Here,
  names: readonly string[],
): Promise<Landing[]> {
  const leave = keepGit(root);
  try {
    const facts = await Promise.all(names.map(async (name) => commitFacts(git, name)));
    const commits = facts.filter((one) => one !== undefined);
    const records = recordsIn(git, commits);
    const found = commits.map(async (one): Promise<Landing[]> => {
      const record = await records.of(one);
      if (!record || record === "broken") return [];
      const { landing, title } = record.read.statement.predicate;
      const message = [`${landing.issue}: ${title}`, "", ...trailersOf(landing)].join("\n");
      const landed = landingIn(one.commit, one.parents, message);
      return landed ? [landed] : [];
    });
    return (await Promise.all(found)).flat();
  } finally {
    leave();
  }
}

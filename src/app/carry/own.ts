/** What this clone has of a relay to carry: commits by the names that they have on the remote below the relay's id. */
import { isGivenOnce } from "../../core/carry/sides.ts";
import type { Carried } from "../../core/carry/sides.ts";
import { isPulled, replay } from "../../core/journal/state.ts";
import type { RemoteSettings } from "../../core/settings/finish-schema.ts";
import type { Remote } from "../../git/carry/remote.ts";
import { packerEnv } from "../../git/carry/packer.ts";
import { gitOr } from "../../git/git.ts";
import type { Git } from "../../git/git.ts";
import { refs } from "../../git/refs.ts";
import { blobAt } from "../../git/repository.ts";
import { keepJournalCopy } from "../../relay/journal-copy.ts";
import { openJournal, readJournal } from "../../store/journal.ts";
import type { Journal } from "../../store/journal.ts";
import { hasBegun, placesFor } from "../here.ts";
import type { Here } from "../here.ts";

/** A push or pull: the repository, and the remote with what is carried there under which names. */
export type Carrier = {
  here: Here;
  remote: Remote;
  settings: Omit<RemoteSettings, "carry"> & { carry: readonly Carried[] };
  prefix: string;
};

/** Whether the caller holds the runner's lock, so that the copy of the journal can be renewed: from its open journal, if it has one. */
export type Locked = boolean | Journal;

export type Commits = ReadonlyMap<string, string>;

export async function ownCommits(carrier: Carrier, issue: string, locked: Locked): Promise<Commits> {
  const { here, settings } = carrier;
  const { git } = here.repository;
  const kept = await commitsBelow(git, `refs/monoco/${issue}`);
  const { carry } = settings;
  const own = [...kept].filter(([name]) => name === "head" || isGivenOnce(name, carry));
  const journal = carry.includes("journal") ? await journalPacked(here, issue, locked) : undefined;
  const handoffs = carry.includes("handoffs") ? await handoffsPacked(here, issue) : undefined;
  return new Map([
    ...own,
    ...(journal === undefined ? [] : ([["journal", journal]] as const)),
    ...(handoffs === undefined ? [] : ([["handoffs", handoffs]] as const)),
  ]);
}

/** The commits of the refs below a folder, by the rest of their names; a remote may have tags, trees and blobs there. */
export async function commitsBelow(git: Git, folder: string): Promise<Commits> {
  const format = "--format=%(objecttype) %(objectname) %(refname)";
  const lines = (await git(["for-each-ref", format, `${folder}/`])).split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [type, object = "", ref = ""] = line.split(" ");
      return type === "commit" ? [[ref.slice(folder.length + 1), object]] : [];
    }),
  );
}

async function journalPacked(here: Here, issue: string, locked: Locked): Promise<string | undefined> {
  const { repository } = here;
  const { journal: path } = placesFor(here, issue);
  if (locked && hasBegun(path)) {
    const journal = locked === true ? openJournal(path) : locked;
    // Otherwise the copy is what was pulled.
    if (!journal.events().slice(-1).some(isPulled))
      await keepJournalCopy({ repository, issue, journal, onProgress: () => undefined });
    if (locked === true) journal.close();
  }
  const tree = await gitOr(
    repository.git(["rev-parse", "--verify", "--quiet", `${refs.journal(issue)}^{tree}`]),
    "",
  );
  return tree === "" ? undefined : packed(repository.git, tree.trim(), `Journal of ${issue}`);
}

async function handoffsPacked(here: Here, issue: string): Promise<string | undefined> {
  const { git } = here.repository;
  const { journal } = placesFor(here, issue);
  if (!hasBegun(journal)) return undefined;
  const handoffs = replay(readJournal(journal)).sessions.flatMap(({ handoff }) => handoff ?? []);
  if (handoffs.length === 0) return undefined;
  const entries: string[] = [];
  for (const { session, text } of handoffs) {
    const blob = (await git(["hash-object", "-w", "--no-filters", "--stdin"], { input: text })).trim();
    entries.push(`100644 blob ${blob}\t${String(session).padStart(4, "0")}.md\n`);
  }
  const tree = (await git(["mktree"], { input: entries.join("") })).trim();
  return packed(git, tree, `Handoffs of ${issue}`);
}

/** A commit of the tree that is the same in each clone: a host that takes branches only takes no trees. */
export async function packed(
  git: Git,
  tree: string,
  message: string,
  parents: readonly string[] = [],
): Promise<string> {
  const argv = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return (await git(argv, { env: packerEnv, input: message })).trim();
}

/** The texts of a packed commit's files, in order. */
export async function textsIn(git: Git, commit: string): Promise<string[]> {
  const blobs = (await git(["ls-tree", "--full-tree", "--object-only", commit])).split("\n").filter(Boolean);
  return Promise.all(blobs.map(async (blob) => (await blobAt(git, blob)) ?? ""));
}

/** The issues of the base branch, which the relays follow: reads each, or keeps the reason why it cannot be read. */
import { existsSync } from "node:fs";
import { unlessRefused } from "../core/error/attempt.ts";
import { worksOf } from "../core/backlog/backlog.ts";
import type { Work } from "../core/backlog/backlog.ts";
import { MonocoError } from "../core/error/error.ts";
import { keyLine } from "../core/text/front-matter.ts";
import type { Card } from "../core/issue/card.ts";
import { phaseOf } from "../core/relay/phase.ts";
import type { Phase } from "../core/relay/phase.ts";
import { replay } from "../core/journal/state.ts";
import type { Git } from "../git/git.ts";
import { issueBlobsAt, textsOf } from "../git/issues.ts";
import type { IssueBlob } from "../git/issues.ts";
import { commitOfBase } from "../git/repository.ts";
import { io } from "../io/io.ts";
import { idOf, idOfName } from "../store/issue-folder.ts";
import { openCardCache } from "../store/issues/card-cache.ts";
import type { CardCache } from "../store/issues/card-cache.ts";
import { readCard } from "../store/issues/issue-cards.ts";
import { readJournal } from "../store/journal.ts";
import { cardsOfBlobs, repositoryPlaces } from "../store/places.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { t } from "../core/language/translate.ts";

/** An issue of the base: its path, the blob of its text, and its card for lists. */
export type BaseIssue = { path: string; object: string; card: Card };

export type BaseIssues = {
  /** By id. */
  sound: Map<string, BaseIssue>;
  /** By id: why the issue cannot be read. */
  broken: Map<string, MonocoError>;
};

/** Reads the issues of the base repeatedly, asking git only for the changes. */
export type BaseReader = { read(): Promise<BaseIssues> };

/** Makes a reader; `read` throws `input` if the branch does not exist. */
export function baseReader(here: Here, base: string): BaseReader {
  let cache: CardCache | undefined;
  let last: { commit: string; issues: BaseIssues } | undefined;
  return {
    read: async () => {
      const commit = await commitOfBase(here.repository.git, base);
      if (last?.commit === commit) return last.issues;
      const blobs = await issueBlobsAt(here.repository.git, commit);
      const isFirst = cache === undefined;
      cache ??= openCardCache(cardsOfBlobs(repositoryPlaces(here.repository.root, io().env)));
      last = { commit, issues: await issuesIn(here, blobs, cache) };
      // Saved once: later merges are few, and the next run reads them again.
      if (isFirst) cache.save();
      return last.issues;
    },
  };
}

async function issuesIn(here: Here, blobs: readonly IssueBlob[], cache: CardCache): Promise<BaseIssues> {
  const { git } = here.repository;
  const unknown = blobs.map(({ object }) => object).filter((object) => cache.get(object) === undefined);
  const texts = await textsOf(git, unknown);
  const textOf = new Map(unknown.map((object, index) => [object, texts[index]!]));
  const all: BaseIssues = { sound: new Map(), broken: new Map() };
  for (const { path, object } of blobs) {
    const text = textOf.get(object);
    const cached = cache.get(object);
    const id = text === undefined ? (idOfName(path) ?? cached?.id) : idOf({ path, text });
    if (id === undefined) continue;
    const other = all.sound.get(id)?.path;
    try {
      const card = cached ?? (await readCard({ path, text: text! }));
      if (card instanceof MonocoError) throw card;
      // An issue whose id only the parser can read is not cached.
      if (text !== undefined && idOf({ path: "", text }) === card.id) cache.keep(object, card);
      if (card.id !== id)
        throw otherId(id, { path, id: card.id, text: text ?? (await textOne(git, object)) });
      if (other !== undefined) throw twice(id, [other, path]);
      if (!all.broken.has(id)) all.sound.set(id, { path, object, card });
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      all.sound.delete(id);
      all.broken.set(id, error);
    }
  }
  return all;
}

/** The line of a key in each issue, by path. */
export async function linesIn(
  { repository }: Here,
  issues: readonly BaseIssue[],
  key: string,
): Promise<Map<string, number>> {
  const texts = await textsOf(
    repository.git,
    issues.map(({ object }) => object),
  );
  return new Map(issues.map(({ path }, index) => [path, keyLine(texts[index]!, key)]));
}

async function textOne(git: Git, object: string): Promise<string> {
  const [text = ""] = await textsOf(git, [object]);
  return text;
}

function otherId(id: string, own: { path: string; text: string; id: string }): MonocoError {
  return new MonocoError("input", t`${own.path}:${keyLine(own.text, "id")}: its id is ${own.id}, not ${id}`, {
    hint: t`the file's name and the id in it must be the same: fix one of them, and commit that`,
  });
}

function twice(id: string, paths: readonly string[]): MonocoError {
  return new MonocoError("input", t`${id} is in ${paths.length} files: ${paths.join(", ")}`, {
    hint: t`monoco issue lint --fix gives the younger one a new id; commit that`,
  });
}

/** The work on the base. Unreadable issues are included, since others may wait for them. */
export function worksOnBase({ sound, broken }: BaseIssues): Work[] {
  const unread = [...broken.keys()].map((id): Work => ({ id, needs: [], stands: "open" }));
  return [...worksOf([...sound.values()].map(({ card }) => card)), ...unread];
}

/** The phase of an issue's open relay, whose contract is pinned and which waits for no other issue. */
export function openPhase(here: Here, id: string): Phase | undefined {
  const { journal } = placesFor(here, id);
  if (!existsSync(journal)) return undefined;
  // A damaged journal is reported where the relay is opened.
  const phase = unlessRefused(() => phaseOf(replay(readJournal(journal))));
  return phase === "none" || phase === "done" ? undefined : phase;
}

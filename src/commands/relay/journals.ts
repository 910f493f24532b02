/** The journals that a command reads: those of this repository, or those in named folders. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { pathHere } from "../../io/io.ts";
import { readJournal } from "../../store/journal.ts";
import { tellFailure } from "../../views/failure.ts";
import { openHere, placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { noOpenRelay } from "../../app/no-relay.ts";
import { relayIds } from "../../app/here.ts";
import { validId } from "../../app/valid-id.ts";
import { t } from "../../core/language/translate.ts";

/** `project` distinguishes journals of several repositories. */
export type KnownJournal = { issue: string; project: string; events: RelayEvent[] };

/** The journals that could be read, and the exit code for the others: a damaged journal hides no other. */
export type KnownJournals = { journals: KnownJournal[]; code: number };

/** This repository's journals: all, or those of `ids`. */
export async function journalsHere(ids: readonly string[] = []): Promise<KnownJournals & { here: Here }> {
  const here = await openHere();
  const issues = ids.length > 0 ? ids.map(validId) : relayIds(here);
  const paths = issues.map((issue) => placesFor(here, issue).journal);
  const missing = issues.find((issue) => !existsSync(placesFor(here, issue).journal));
  if (missing !== undefined) throw await noOpenRelay(here, missing);
  return { here, ...readAll(paths, here.repository.root) };
}

/** The journals in folders: repositories, folders of relays, or folders that hold a journal.jsonl. */
export function journalsIn(folders: readonly string[]): KnownJournals {
  const read = folders.map((folder) => {
    const paths = journalPaths(pathHere(folder));
    if (paths.length === 0) {
      throw new MonocoError("input", t`${folder}: expected a folder with a journal`, {
        hint: t`name a repository that monoco has run in, its .monoco/relays, or a folder with a journal.jsonl`,
      });
    }
    return readAll(paths, folder);
  });
  return {
    journals: read.flatMap(({ journals }) => journals),
    code: Math.max(0, ...read.map(({ code }) => code)),
  };
}

function journalPaths(folder: string): string[] {
  const own = join(folder, "journal.jsonl");
  if (existsSync(own)) return [own];
  const relays = [join(folder, ".monoco", "relays"), folder].find((path) => isFolder(path));
  if (relays === undefined) return [];
  return readdirSync(relays)
    .map((name) => join(relays, name, "journal.jsonl"))
    .filter((path) => existsSync(path))
    .toSorted();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readAll(paths: readonly string[], project: string): KnownJournals {
  const journals: KnownJournal[] = [];
  const codes: number[] = [];
  for (const path of paths) {
    const issue = basename(dirname(path));
    try {
      journals.push({ issue, project, events: readJournal(path) });
    } catch (error) {
      codes.push(tellFailure(error, issue));
    }
  }
  return { journals, code: Math.max(0, ...codes) };
}

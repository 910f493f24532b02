/** The repositories in which monoco ran on this machine, below the folder of monoco's state: a line for each, and one with a `-` for each that went. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { io } from "../../io/io.ts";
import { stateFolder } from "../../store/places.ts";
import { openHere } from "../here.ts";
import type { Here } from "../here.ts";

const listPath = (): string => join(stateFolder(io().env), "repositories");

/** The checkouts in the list. */
function listed(): Set<string> {
  const paths = new Set<string>();
  for (const line of attempt(() => readFileSync(listPath(), "utf8"), "").split("\n")) {
    if (line.startsWith("/")) paths.add(line);
    else paths.delete(line.slice(1));
  }
  return paths;
}

/** Notes that monoco ran here. If that fails, only the views of all repositories miss this one. */
export function noteRepository({ repository }: Here): void {
  if (!listed().has(repository.checkout)) append(repository.checkout);
}

/** Nothing is ever overwritten: what another process notes at the same time stays. */
function append(line: string): void {
  attempt(() => {
    mkdirSync(dirname(listPath()), { recursive: true });
    appendFileSync(listPath(), `${line}\n`);
  }, undefined);
}

/** All noted repositories that are still there; `said` names those that are not, which are forgotten, and those that cannot be read. */
export async function everywhere(): Promise<{ heres: Here[]; said: string[] }> {
  const found = new Map<string, Here>();
  const said: string[] = [];
  for (const path of listed()) {
    const here = isGone(path) ? undefined : await openHere(path).catch(wordsOf);
    if (typeof here === "string") said.push(here.startsWith(path) ? here : `${path}: ${here}`);
    else if (here && existsSync(join(here.repository.root, ".monoco"))) found.set(here.repository.root, here);
    else {
      said.push(t`${path}: no relays are there any more; it is dropped from the list of repositories`);
      append(`-${path}`);
    }
  }
  return { heres: [...found.values()], said };
}

/** A folder that may not be looked at is not gone. */
function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

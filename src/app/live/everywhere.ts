/** The repositories in which monoco ran on this machine: one path a line, below the folder of monoco's state. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { io } from "../../io/io.ts";
import { writeAtomically } from "../../store/durable.ts";
import { stateFolder } from "../../store/places.ts";
import { openHere } from "../here.ts";
import type { Here } from "../here.ts";

const listPath = (): string => join(stateFolder(io().env), "repositories");

/** The worktrees in the list. */
function listed(): string[] {
  const text = attempt(() => readFileSync(listPath(), "utf8"), "");
  return [...new Set(text.split("\n").filter((line) => line.startsWith("/")))];
}

/** Notes that monoco ran here. If that fails, only the views of all repositories miss this one. */
export function noteRepository({ repository }: Here): void {
  attempt(() => {
    if (listed().includes(repository.checkout)) return;
    mkdirSync(dirname(listPath()), { recursive: true });
    appendFileSync(listPath(), `${repository.checkout}\n`);
  }, undefined);
}

/** All noted repositories that are still there; `said` names those that are not, which are forgotten, and those that cannot be read. */
export async function everywhere(): Promise<{ heres: Here[]; said: string[] }> {
  const found = new Map<string, Here>();
  const said: string[] = [];
  const kept: string[] = [];
  const paths = listed();
  for (const path of paths) {
    const here = existsSync(path) ? await openHere(path).catch(wordsOf) : undefined;
    const isThere = typeof here === "object" && existsSync(join(here.repository.root, ".monoco"));
    if (isThere) found.set(here.repository.root, here);
    else if (typeof here === "string") said.push(`${path}: ${here}`);
    else said.push(t`${path}: no relays are there any more; it is dropped from the list of repositories`);
    if (isThere || typeof here === "string") kept.push(path);
  }
  if (kept.length < paths.length) forget(kept);
  return { heres: [...found.values()], said };
}

function forget(kept: readonly string[]): void {
  attempt(() => writeAtomically(listPath(), kept.map((root) => `${root}\n`).join("")), undefined);
}

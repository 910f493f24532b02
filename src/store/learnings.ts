/** Reads and updates a repository's learnings in .monoco/learnings.md. People may edit the file; monoco changes single lines. */
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { isThere, readDocument } from "./document.ts";
import { writeDurably } from "./durable.ts";
import { tryLock } from "./lock.ts";
import type { RepositoryPlaces } from "./places.ts";
import { t } from "../core/language/translate.ts";

type Where = Pick<RepositoryPlaces, "monoco" | "locks">;

export function learningsFile({ monoco }: Pick<Where, "monoco">): string {
  return join(monoco, "learnings.md");
}

/** The text of the learnings; empty if there are none. Throws `input` for anything but a text file. */
export function readLearnings(where: Pick<Where, "monoco">): string {
  const path = learningsFile(where);
  return isThere(path) ? readDocument(path) : "";
}

/** Changes the file under a lock. Throws `conflict` if another monoco holds the lock for 10 s. */
export async function updateLearnings(where: Where, change: (text: string) => string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const lock = tryLock(join(where.locks, "learnings"));
    if (lock) {
      try {
        const text = readLearnings(where);
        const changed = change(text);
        if (changed !== text) writeDurably(learningsFile(where), changed);
        return;
      } finally {
        lock.release();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new MonocoError("conflict", t`another monoco changes the learnings, and does not end`, {
    hint: t`end it, then run the same command again (its lock: ${join(where.locks, "learnings")})`,
  });
}

/** Notes lines that another process wrote to a journal while its runner worked; they do not count until a person has looked at them. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";

const noteOf = (path: string): string => `${path}.foreign`;

/** Notes that the journal's runner wrote only its first `bytes` bytes. The run stops even if the note cannot be written. */
export function noteForeign(path: string, bytes: number): void {
  try {
    writeFileSync(noteOf(path), `${bytes}\n`);
  } catch {
    // The caller's error, about the foreign lines, is more important.
  }
}

/** Throws `person` while the foreign lines are there; calls `gone` if only their note is left. */
export function lookForForeign(path: string, gone: (note: string) => void = () => undefined): void {
  const note = noteOf(path);
  if (!existsSync(note)) return;
  const bytes = Number(readFileSync(note, "utf8"));
  if (!Number.isSafeInteger(bytes) || bytes <= 0) {
    throw new MonocoError(
      "person",
      t`${path}: somebody else than its runner wrote into it, while that was at work`,
      {
        hint: t`how much of it is the runner's is not known (${note} is damaged): look at its end, then rm '${note}' to take it for true`,
      },
    );
  }
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= bytes) {
    gone(note);
    return;
  }
  throw new MonocoError(
    "person",
    t`${path}: what follows its first ${bytes} bytes was written by somebody else than its runner, while that was at work`,
    {
      hint: t`look at it: tail -c +${bytes + 1} '${path}'; take it out: head -c ${bytes} '${path}' > '${path}.kept' && mv '${path}.kept' '${path}'; or take it for true: rm '${note}'; then monoco resume`,
    },
  );
}

/** Throws like `lookForForeign`, and removes the note once the lines are gone. */
export function refuseForeign(path: string): void {
  lookForForeign(path, (note) => rmSync(note, { force: true }));
}

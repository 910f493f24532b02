/** What somebody else wrote into a journal while its runner was at work: noted beside it, and not taken for true again unseen. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";

const noteOf = (path: string): string => `${path}.foreign`;

/** Notes that the journal's runner wrote `bytes` of it, and no more. Where that cannot be written, the run stops all the same. */
export function noteForeign(path: string, bytes: number): void {
  try {
    writeFileSync(noteOf(path), `${bytes}\n`);
  } catch {
    // The reason that is told stays the foreign lines.
  }
}

/** Throws `person` while the foreign lines are there; `gone` is called where a note of them is all that is left. */
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
      hint: t`look at it: tail -c +${bytes + 1} '${path}'; take it out: head -c ${bytes} '${path}' > '${path}.kept' && mv '${path}.kept' '${path}'; or take it for true: rm '${note}'; then monoco relay resume`,
    },
  );
}

/** The same; with the lines gone the note goes, too. */
export function refuseForeign(path: string): void {
  lookForForeign(path, (note) => rmSync(note, { force: true }));
}

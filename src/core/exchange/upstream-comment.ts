/** What is posted where an issue came from once it is merged: the dossier, under a marker by which it is known again. */
import { plain } from "../text/sanitize.ts";

/** GitHub takes 65,536 characters; the rest of it is for the words around. */
const charsMax = 60_000;

/** One for each merge: an issue that was reopened and merged again is told of again. */
export function markerOf(issue: string, commit: string): string {
  return `<!-- monoco ${issue} ${commit} -->`;
}

export function sourceComment(of: { issue: string; commit: string; base: string; dossier: string }): string {
  const { issue, commit, base } = of;
  const dossier = plain(of.dossier).toWellFormed();
  const cut =
    dossier.length > charsMax
      ? `${cutAtLine(dossier)}\n\n… (monoco issue review ${issue} shows all of it)`
      : dossier;
  return `${markerOf(issue, commit)}\nMerged into \`${base}\` as ${commit}.\n\n${cut.trimEnd()}\n`;
}

/** A fence that was open there is closed. */
function cutAtLine(text: string): string {
  const kept = text.slice(0, text.lastIndexOf("\n", charsMax));
  const fences = [...kept.matchAll(/^(`{3,})/gm)].map(([, fence]) => fence!);
  return fences.length % 2 === 0 ? kept : `${kept}\n${fences.at(-1)}`;
}

/** The issue that a source names (`github:owner/name#12`), as `gh` takes it; undefined for any other source. */
export function githubIssueOf(source: string): { repository: string; number: string } | undefined {
  const [, repository, number] =
    /^github:((?:\w[\w.-]*\/)?\w[\w.-]*\/[\w.-]+)#(\d{1,12})$/.exec(source) ?? [];
  return repository === undefined || number === undefined ? undefined : { repository, number };
}

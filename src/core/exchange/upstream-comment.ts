/** The comment for the upstream issue after a merge: the dossier, with a marker by which monoco recognises it. */
import { plain } from "../text/sanitize.ts";

/** GitHub allows 65,536 characters; the remainder is for the text around the dossier. */
const charsMax = 60_000;

/** A marker for each merge: an issue that is merged again gets a second comment. */
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

/** The text cut at a line end; an open code fence is closed. */
function cutAtLine(text: string): string {
  const kept = text.slice(0, text.lastIndexOf("\n", charsMax));
  const fences = [...kept.matchAll(/^(`{3,})/gm)].map(([, fence]) => fence!);
  return fences.length % 2 === 0 ? kept : `${kept}\n${fences.at(-1)}`;
}

/** The GitHub issue of a source (`github:owner/name#12`), as `gh` takes it; undefined for any other source. */
export function githubIssueOf(source: string): { repository: string; number: string } | undefined {
  const [, repository, number] =
    /^github:((?:\w[\w.-]*\/)?\w[\w.-]*\/[\w.-]+)#(\d{1,12})$/.exec(source) ?? [];
  return repository === undefined || number === undefined ? undefined : { repository, number };
}

/** An issue on a host, with the whole address of its repository. */
export type Upstream = { by: "github" | "gitlab"; repository: string; number: number };

/** The issue of a source: `github:owner/name#12`, `gitlab:host/group/name#12`. */
export function upstreamOf(source: string): Upstream | undefined {
  const [, by, path = "", number] =
    /^(github|gitlab):((?:[\w-][\w.-]*\/)+[\w.-]+)#(\d{1,12})$/.exec(source) ?? [];
  if (by !== "github" && by !== "gitlab") return undefined;
  const repository = path.split("/").length > 2 ? path : `${by}.com/${path}`;
  return { by, repository, number: Number(number) };
}

/** The name that the repository's issues have as a source. */
export function sourceName({ by, repository }: Omit<Upstream, "number">): string {
  return `${by}:${by === "github" ? repository.replace(/^github\.com\//, "") : repository}`;
}

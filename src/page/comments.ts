/** A person's comments at lines of a diff, kept as drafts until a verdict takes them along. */
import { t } from "../core/language/translate.ts";
import type { ReviewFacts } from "../views/page/facts.ts";
import { draft, written } from "./drafts.ts";

/** A line of the submission; for a removed one, the line above it, and what it was. */
export type At = { file: string; line?: number; was?: string };

/** What it is about, and what its draft is called; `older` is the number of its submission if another one is under review. */
export type Comment = { at: At; name: string; older: string | undefined };

type Of = Pick<ReviewFacts, "repository" | "id" | "submission" | "head">;

const begin = ({ repository, id }: Of): string => `comment:${repository}:${id}:`;

export const nameAt = (of: Of, at: At): string =>
  begin(of) + JSON.stringify({ ...at, submission: of.submission, head: of.head });

/** The comments with a text, by line. */
export function commentsOn(of: Of): Comment[] {
  const start = begin(of);
  return written.value
    .flatMap((name) => {
      if (!name.startsWith(start)) return [];
      const { submission, head, ...at } = JSON.parse(name.slice(start.length)) as At & Of;
      const isOlder = submission !== of.submission || head !== of.head;
      return { name, at, older: isOlder ? `${submission}` : undefined };
    })
    .toSorted((one, other) => (one.at.line ?? 0) - (other.at.line ?? 0));
}

export function placeWords({ file, line, was }: At): string {
  return was === undefined ? `${file}:${line}` : t`${file}, removed line ${was.split(" ", 1)[0]}`;
}

/** As a finding of the review; a removed line is quoted. */
export function findingOf({ at: { file, line, was }, name }: Comment): {
  text: string;
  file: string;
  line?: number;
} {
  const text = draft(name).value.trim();
  return {
    text: was === undefined ? text : `${text}\n\n> ${was}`,
    file,
    ...(line !== undefined && { line }),
  };
}

/** A source with all work taken out, and with the words of the work in a comment at its end, where text searches still find them. */
import { asComment, languageOf } from "../weakening/code-line.ts";
import { asChange, partsOf, replaced, without } from "./changes.ts";
import type { Change, ChangedSource } from "./changes.ts";

/** The old source (empty if the file is new), which still loads if it loaded before. */
export function withWordsAlone(source: ChangedSource): string {
  const now = source.after.split("\n");
  const added = source.hunks.flatMap(({ after: { line, count } }) => now.slice(line - 1, line - 1 + count));
  return withWords(source, source.before, added);
}

/** The submitted source with new bodies emptied. Its names stay, so it may not load: half of a pair may be left. */
export function withNames(source: ChangedSource): string {
  const lines = source.after.split("\n");
  const changes = changesWith(source);
  const taken = changes.flatMap(({ line, lines: count }) => lines.slice(line - 1, line - 1 + count));
  return withWords(source, without(source, changes), taken);
}

/**
 * The submitted source with a meaningless comment after the lines that must stay first, and at its end: a command that reads or
 * hashes the text ends differently.
 */
export function withComment({ path, after }: Pick<ChangedSource, "path" | "after">): string {
  const language = languageOf(path, after);
  const comment = asComment(["-"], language).join(" ");
  if (comment === "" || unsure.test(path) || (language === "php" && !phpAlone.test(after))) return after;
  const lines = after.replace(/\n?$/, "\n").split("\n");
  const at = lines.findIndex((one) => !stays.test(one));
  return `${lines.toSpliced(at, 0, comment).join("\n")}${comment}\n`;
}

/** Endings of files in which several languages meet, or that stand for several. */
const unsure = /\.(?:vue|svelte|astro|fs|vb|m)$/;

/** PHP without text around it, in which a comment would be printed, and without a comment that its first line opens. */
const phpAlone = /^(?:#!.*\n)?<\?php(?!.*\/\*|[^]*\?>)/;

/** First lines that must stay first: a shebang, an encoding, a directive, a build constraint. */
const stays = /^(?:#!|#.*coding[:=]|\s*["']use \w+["']|<\?php|\/\/go:build|\uFEFF)/;

/** The changes of all hunks: a bracket or a list entry is no work by itself, but may belong to work. */
function changesWith({ path, before, after, hunks }: ChangedSource): Change[] {
  const [then, now] = [before.split("\n"), after.split("\n")];
  return hunks.flatMap(({ before: old, after: fresh }) => {
    if (old.count > 0) return [replaced(path, fresh, then.slice(old.line - 1, old.line - 1 + old.count))];
    const added = now.slice(fresh.line - 1, fresh.line - 1 + fresh.count);
    return partsOf(added, languageOf(path, after), { alone: true }).map((part) =>
      asChange(path, fresh, part),
    );
  });
}

function withWords({ path, after }: ChangedSource, text: string, lines: readonly string[]): string {
  const comment = asComment(lines, languageOf(path, after));
  if (comment.length === 0) return text;
  return `${text === "" ? "" : text.replace(/\n?$/, "\n")}${comment.join("\n")}\n`;
}

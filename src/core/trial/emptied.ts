/** A source with all work taken out, and with the words of the work in a comment at its end, where text searches still find them. */
import { asComment, languageOf } from "../weakening/code-line.ts";
import { asChange, partsOf, replaced, without } from "./changes.ts";
import type { Change, ChangedSource } from "./changes.ts";

/** The old source (empty if the file is new), which still loads if it loaded before. */
export function withWordsAlone(source: ChangedSource): string {
  const now = source.after.split("\n");
  const added = source.hunks.flatMap(({ after: { line, count } }) => now.slice(line - 1, line - 1 + count));
  return withWords(source.path, source.before, added);
}

/** The submitted source with new bodies emptied. Its names stay, so it may not load: half of a pair may be left. */
export function withNames(source: ChangedSource): string {
  const lines = source.after.split("\n");
  const changes = changesWith(source);
  const taken = changes.flatMap(({ line, lines: count }) => lines.slice(line - 1, line - 1 + count));
  return withWords(source.path, without(source, changes), taken);
}

/**
 * The submitted source with a meaningless comment after its first line (a shebang or a directive must stay first) and at its
 * end: a command that reads or hashes the text ends differently.
 */
export function withComment({ path, after }: Pick<ChangedSource, "path" | "after">): string {
  const comment = asComment(["-"], languageOf(path)).join(" ");
  if (comment === "" || /\.(?:vue|svelte|astro)$/.test(path)) return after;
  const [first = "", ...rest] = after.split("\n");
  const top = stays.test(first) ? [first, comment, ...rest] : [comment, first, ...rest];
  return `${top.join("\n").replace(/\n?$/, "\n")}${comment}\n`;
}

/** First lines that must stay first: a shebang, an encoding, a directive, a build constraint. */
const stays = /^(?:#!|#.*coding[:=]|\s*["']use \w+["']|<\?php|\/\/go:build|\uFEFF)/;

/** The changes of all hunks: a bracket or a list entry is no work by itself, but may belong to work. */
function changesWith({ path, before, after, hunks }: ChangedSource): Change[] {
  const [then, now] = [before.split("\n"), after.split("\n")];
  return hunks.flatMap(({ before: old, after: fresh }) => {
    if (old.count > 0) return [replaced(path, fresh, then.slice(old.line - 1, old.line - 1 + old.count))];
    const added = now.slice(fresh.line - 1, fresh.line - 1 + fresh.count);
    return partsOf(added, languageOf(path), { alone: true }).map((part) => asChange(path, fresh, part));
  });
}

function withWords(path: string, text: string, lines: readonly string[]): string {
  const comment = asComment(lines, languageOf(path));
  if (comment.length === 0) return text;
  return `${text === "" ? "" : text.replace(/\n?$/, "\n")}${comment.join("\n")}\n`;
}

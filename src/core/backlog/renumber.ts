/** A new id for an issue whose own is given twice: in its file, in its name, and where others name it. */
import { inspectFrontMatter } from "../text/front-matter.ts";

/** Keys under which one issue names another. */
const references = ["parent", "dependencies", "related", "tags"];

export type Renaming = { from: string; to: string };

/** The issue itself: its id, what it says of itself in tags, and the id before its heading. Every other byte stays. */
export function renumbered(text: string, ids: Renaming): string {
  const head = replaceUnder(["id", "tags"], text, ids);
  const { bodyStart } = inspectFrontMatter(head).front;
  const heading = new RegExp(`^(#[ \\t]+)${ids.from}(?!\\d)`, "m");
  return head.slice(0, bodyStart) + head.slice(bodyStart).replace(heading, `$1${ids.to}`);
}

/** Another issue, which names it in its front matter. */
export function redirected(text: string, ids: Renaming): string {
  return replaceUnder(references, text, ids);
}

/** The file's new path; a name that began with the id begins with the new one. */
export function renumberedPath(path: string, { from, to }: Renaming): string {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  return path.slice(0, cut) + (name.startsWith(from) ? to + name.slice(from.length) : name);
}

/** The line of the front matter on which an issue names `id`, if it does. */
export function lineNaming(text: string, id: string): number | undefined {
  const lines = text.split("\n");
  const changed = redirected(text, { from: id, to: "" }).split("\n");
  const at = lines.findIndex((line, index) => line !== changed[index]);
  return at === -1 ? undefined : at + 1;
}

function replaceUnder(keys: readonly string[], text: string, { from, to }: Renaming): string {
  const { front } = inspectFrontMatter(text);
  const name = new RegExp(`(?<![A-Za-z0-9-])${from}(?!\\d)`, "g");
  let key = "";
  const matter = front.matter.split("\n").map((line) => {
    key = /^["']?([\w-]+)["']?[ \t]*:/.exec(line)?.[1] ?? key;
    return keys.includes(key) ? line.replace(name, to) : line;
  });
  return text.slice(0, front.matterStart) + matter.join("\n") + text.slice(front.matterEnd);
}

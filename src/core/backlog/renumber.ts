/** Gives an issue a new id where two have the same one: in its file, in the file's name, and in the issues that refer to it. */
import { inspectFrontMatter } from "../text/front-matter.ts";

/** The front matter keys by which one issue refers to another. */
const references = ["parent", "dependencies", "related", "tags"];

export type Renaming = { from: string; to: string };

/** The issue's own file with the new id: in `id`, in tags, and in its heading. Every other byte stays. */
export function renumbered(text: string, ids: Renaming): string {
  const head = replaceUnder(["id", "tags"], text, ids);
  const { bodyStart } = inspectFrontMatter(head).front;
  const heading = new RegExp(`^(#[ \\t]+)${ids.from}(?!\\d)`, "m");
  return head.slice(0, bodyStart) + head.slice(bodyStart).replace(heading, `$1${ids.to}`);
}

/** The file of another issue, with its front matter pointing to the new id. */
export function redirected(text: string, ids: Renaming): string {
  return replaceUnder(references, text, ids);
}

/** The new path of the file; a name that begins with the old id begins with the new one. */
export function renumberedPath(path: string, { from, to }: Renaming): string {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  return path.slice(0, cut) + (name.startsWith(from) ? to + name.slice(from.length) : name);
}

/** The front matter line on which an issue refers to `id`; undefined if there is none. */
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

/** `npm run map`: writes the map of the source, made of the files' own first sentences, between two markers of README.md. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const begin = "<!-- map:begin (written by npm run map) -->";
const end = "<!-- map:end -->";

/** What a folder of src is, in the order of the map. */
const folders = [
  [".", "The command line and the library"],
  ["core", "Pure: no disk, no clock, no processes; decides everything"],
  ["agents", "The port to coding agents, one agent a file"],
  ["git", "Clones, snapshots, merges"],
  ["store", "The journal, the mailbox, the locks"],
  ["relay", "Joins the core to the edges"],
  ["views", "What a terminal shows"],
  ["probe", "The scripted models, and the real CLIs before them"],
  ["commands", "One verb a file"],
] as const;

/** The README with its map as the source is now. Throws where a file has no sentence or a folder is not known. */
export function withMap(readme: string): string {
  const [before, after] = [readme.indexOf(begin), readme.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`README.md has no ${begin} … ${end}`);
  return `${readme.slice(0, before + begin.length)}\n${map()}\n${readme.slice(after)}`;
}

function map(): string {
  const found = readdirSync(join(root, "src"), { withFileTypes: true });
  const unknown = found.filter(
    (entry) => entry.isDirectory() && !folders.some(([name]) => name === entry.name),
  );
  if (unknown.length > 0) throw new Error(`scripts/map.ts does not know src/${unknown[0]!.name}`);
  return folders
    .map(([name, words]) => `\n**src/${name === "." ? "" : name}** ${words}.\n\n${list(name)}\n`)
    .join("");
}

function list(folder: string): string {
  const names = readdirSync(join(root, "src", folder)).filter((name) => /(?<!\.d)\.ts$/.test(name));
  return names
    .sort()
    .map(
      (name) =>
        `- [\`${name}\`](${["src", folder, name].filter((part) => part !== ".").join("/")}) ${sentence(folder, name)}`,
    )
    .join("\n");
}

/** The first sentence of a file's first comment. */
function sentence(folder: string, name: string): string {
  const comment = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(
    readFileSync(join(root, "src", folder, name), "utf8"),
  )?.[1];
  const words =
    comment
      ?.replaceAll(/^\s*\*? ?/gm, "")
      .split("\n\n")[0]
      ?.replaceAll("\n", " ")
      .trim() ?? "";
  if (words === "") throw new Error(`src/${folder}/${name} does not open with a sentence`);
  return (/^.*?[.?!](?=\s|$)/.exec(words)?.[0] ?? words).replaceAll(/[<>]/g, (sign) => `\\${sign}`);
}

if (process.argv[1] === import.meta.filename) {
  const path = join(root, "README.md");
  writeFileSync(path, withMap(readFileSync(path, "utf8")));
}

/** `npm run map`: writes the map of the source, made of the files' own first sentences, between two markers of docs/architecture.md. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, posix, relative } from "node:path";

const root = join(import.meta.dirname, "..");
export const mapPage = "docs/architecture.md";
const begin = "<!-- map:begin (written by npm run map) -->";
const end = "<!-- map:end -->";

/** What a folder of src is, in the order of the map. */
const folders: readonly (readonly [string, string])[] = [
  ["", "The program, its verbs, and the library"],
  ["io", "The folder, environment and streams that a command is given"],
  ["core", "Pure: no disk, no clock, no processes; decides everything. Its rooms follow, from the ground up"],
  ["core/language", "The words of monoco: for people by a catalogue, for handoffs in two languages"],
  ["core/error", "What goes wrong, and how two failures are known to be the same"],
  [
    "core/reason",
    "why a relay does what it does: a rule with its values; sentences and settings are read off it",
  ],
  ["core/text", "Markdown, front matter, templates, diffs, and text that is safe to print"],
  ["core/issue", "An issue's document: its parts, its faults, its life"],
  ["core/weakening", "Where a diff asks less of the tests than before"],
  ["core/review", "Verdicts, their evidence, and what a submission touches"],
  ["core/review/verdict", "A verdict, weighed before it counts"],
  ["core/pulls", "A pull request on GitHub, and what it makes of its relay"],
  ["core/trial", "The tests of a submission, put to the test"],
  ["core/settings", "The settings: their shape, their sources, their errors"],
  ["core/exit", "How a session says that it is done"],
  ["core/journal", "The events of a relay, and the state that they add up to"],
  ["core/journal/events", "Each event: its schema, what it makes of a relay, and the line that tells of it"],
  ["core/relay", "What a relay does next, and why"],
  ["core/session", "What a session was, from what was seen of it"],
  ["core/handoff", "RALPH.md: written, read, checked"],
  ["core/prompt", "The prompt that a session starts with"],
  ["core/backlog", "The issues of a repository together"],
  ["core/exchange", "Work from other tools, and back to them"],
  ["core/tuning", "Other policies, tried on journals"],
  ["core/report", "A relay in words, for people"],
  ["core/report/decisions", "Each decision of a relay, with what would have changed it"],
  ["core/doctor", "What is wrong here, and how to fix it"],
  ["core/overview", "All relays and issues of a repository, as they concern a person"],
  ["core/hooks", "What monoco adds to people's own files, and takes out of them again"],
  ["agents", "The port to coding agents, and what its adapters share"],
  ["agents/claude", "Claude Code"],
  ["agents/codex", "Codex"],
  ["agents/gemini", "Gemini CLI"],
  ["agents/opencode", "OpenCode"],
  ["agents/network", "What a sandbox leaves of the network: the filtering proxy, and the way to it"],
  ["agents/acp", "Any agent that speaks the Agent Client Protocol"],
  ["agents/scripted", "The built-in agent that follows a script"],
  ["git", "Snapshots, merges, trees"],
  ["git/start", "How git is started: trusted, kept, and before it is needed"],
  ["git/clone", "The clones that agents work in: made, fetched from, made anew"],
  ["git/objects", "Objects, refs and an index, read and written without a git where all is plain"],
  ["git/killed", "What a git that was killed leaves behind"],
  ["git/github", "GitHub, through its own `gh`"],
  ["store", "The journal, the mailbox, the locks"],
  ["store/issues", "Issues that were read before"],
  ["relay", "Joins the core to the edges"],
  ["relay/proposal", "An issue for a text: proposed by an agent, in a clone that is thrown away"],
  ["relay/session", "One session, from its briefing to its handoff"],
  ["relay/review", "A submission under review"],
  ["relay/landing", "An approved submission on its way to the base"],
  ["relay/people", "What people say to a relay"],
  ["app", "What the commands and the library share"],
  ["app/queue", "What `monoco run` does next"],
  ["app/doctor", "What a diagnosis rests on, gathered, and what can be fixed without loss"],
  ["app/overview", "What a person is shown of all relays, and how they are told of it"],
  ["app/hooks", "A person's own agents: which files have the hand-over, and what installing makes of each"],
  ["views", "What a terminal shows"],
  ["views/zh", "The same in Chinese"],
  ["probe", "The scripted models, and the real CLIs before them"],
  ["hook", "What an agent's own hooks run: no package, no setting"],
  [
    "commands",
    "The commands: `verbs.ts` names each and the file that does its work (docs/commands.md); the rest is listed",
  ],
  ["commands/issue", "monoco issue"],
  ["commands/relay", "monoco relay"],
  ["commands/run", "monoco run, loop and demo"],
  ["commands/agent", "monoco agent"],
  ["commands/exchange", "monoco import and export"],
  ["commands/hook", "monoco hook"],
];

/** The page with its map as the source is now. Throws where a file has no sentence or a folder is not known. */
export function withMap(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`${mapPage} has no ${begin} … ${end}`);
  return `${page.slice(0, before + begin.length)}\n${map()}\n${page.slice(after)}`;
}

function map(): string {
  const found = readdirSync(join(root, "src"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(join(root, "src"), join(entry.parentPath, entry.name)));
  const unknown = found.find((folder) => !folders.some(([name]) => name === folder));
  if (unknown !== undefined) throw new Error(`scripts/map.ts does not know src/${unknown}`);
  return folders.map(([name, words]) => `\n**src/${name}** ${words}.\n\n${list(name)}\n`).join("");
}

/** Without the files that do the work of a command. */
function list(folder: string): string {
  const all = readdirSync(join(root, "src", folder)).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const names = all.filter((name) => !commandsIn(folder).includes(name));
  return names
    .sort()
    .map((name) => `- [\`${name}\`](${posix.join("../src", folder, name)}) ${sentence(folder, name)}`)
    .join("\n");
}

/** What the records of a folder load when a command is called. */
function commandsIn(folder: string): string[] {
  const records = join(root, "src", folder, "verbs.ts");
  if (!existsSync(records)) return [];
  return [...readFileSync(records, "utf8").matchAll(/import\("\.\/([^"/]+)"\)/g)].map(([, name]) => name!);
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
  const path = join(root, mapPage);
  writeFileSync(path, withMap(readFileSync(path, "utf8")));
}

/** `npm run reference`: writes docs/commands.md, docs/exit-codes.md and the tables of docs/settings.md from the records in the source. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagOf } from "../src/commands/verb.ts";
import type { Verb } from "../src/commands/verb.ts";
import { worstFirst } from "../src/commands/run/run.ts";
import { verbs } from "../src/commands/verbs.ts";
import { exitCodes, exitMeanings } from "../src/core/error/error.ts";
import type { ErrorKind } from "../src/core/error/error.ts";
import { agentSchema } from "../src/core/settings/agent-schema.ts";
import { inWords } from "../src/core/settings/change.ts";
import { allKeys, schemaAt } from "../src/core/settings/keys.ts";
import { abouts } from "../src/core/settings/setting.ts";
import { projectSchema, settingsSchema } from "../src/core/settings/settings.ts";
import { valueAt } from "../src/core/settings/values.ts";
import { root } from "./source.ts";

/** Each page by its path, as the source is now. */
export function pages(): Map<string, string> {
  return new Map([
    ["docs/commands.md", commandsPage()],
    ["docs/exit-codes.md", exitCodesPage()],
    ["docs/settings.md", withSettings(readFileSync(join(root, "docs/settings.md"), "utf8"))],
  ]);
}

type Named = { words: string; verb: Verb };

/** Every command with the words that call it. */
export const allVerbs: readonly Named[] = verbs.flatMap((one) =>
  "verbs" in one
    ? one.verbs.map((verb) => ({ words: `monoco ${one.name} ${verb.name}`, verb }))
    : [{ words: `monoco ${one.name}`, verb: one }],
);

function commandsPage(): string {
  const short = allVerbs.filter(({ verb }) => verb.short).map(({ verb }) => code(verb.name));
  const rows = allVerbs.map((named) => [
    `[${code(named.words)}](#${anchor(headingOf(named))})`,
    prose(named.verb.about),
  ]);
  return `# Commands

Written by \`npm run reference\` from \`src/commands/**/verbs.ts\`. \`--help\` after a command prints the same.

Parts in brackets are optional. An \`ID\` may be written in any case and without leading zeros (\`feat-1\`), and left out in a session, on a
branch \`monoco/ID\` and, where that can do no harm, where only one relay is open; \`monoco relay status\`,
\`monoco check\` and \`monoco issue lint\` work without one anywhere. These verbs work without the word \`relay\`: ${short.join(", ")}.

Any command may end with exit code 0 (done), ${exitCodes.input} (${exitMeanings.input}) or ${exitCodes.bug} (a bug in monoco). Further codes are listed
where they can occur: [exit codes](exit-codes.md).

${table(["command", "what it does"], rows)}
${allVerbs.map(section).join("\n")}`;
}

function headingOf({ words, verb }: Named): string {
  return [words, ...verb.args.map(([name]) => name)].join(" ");
}

/** As GitHub makes it of a heading. */
function anchor(heading: string): string {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, "");
  return letters.replaceAll(" ", "-");
}

function section(named: Named): string {
  const { verb } = named;
  const told = verb.args.flatMap(([name, about]) =>
    about === undefined ? [] : [[code(name), prose(about)] as const],
  );
  const parts = [
    `## ${code(headingOf(named))}`,
    sentence(verb.about),
    ...(told.length > 0 ? [table(["argument", "meaning"], told)] : []),
    ...(Object.keys(verb.options).length > 0 ? [optionTable(verb)] : []),
    ...(verb.ends.length > 0 ? [`Further exit codes: ${codesOf(verb.ends)}.`] : []),
    ["```sh", ...verb.examples, "```"].join("\n"),
  ];
  return `${parts.map((part) => part.trimEnd()).join("\n\n")}\n`;
}

function optionTable({ options }: Verb): string {
  const rows = Object.entries(options).map(([key, { about, unset, required }]) => {
    const value = typeof unset === "string" || typeof unset === "number" ? code(String(unset)) : "";
    return [code(flagOf(options, key)), required ? "required" : value, prose(about)];
  });
  return table(["option", "default", "meaning"], rows);
}

function codesOf(ends: readonly ErrorKind[]): string {
  return ends.map((kind) => `${exitCodes[kind]} (${code(kind)})`).join(", ");
}

const kinds = ["person", "input", "conflict", "agent", "later", "interrupted", "bug"] as const;

function exitCodesPage(): string {
  const rows = kinds.map((kind) => [
    String(exitCodes[kind]),
    code(kind),
    exitMeanings[kind],
    commandsEnding(kind),
  ]);
  return `# Exit codes

Written by \`npm run reference\` from \`src/core/error/error.ts\` and the commands' records. A program that uses monoco as a library finds the
kind in \`kind\` of a \`MonocoError\`.

${table(["code", "kind", "meaning", "commands"], [["0", "", "done", "any"], ...rows])}
A run of several issues ends with the worst of their codes, in this order: ${worstFirst.join(", ")}.
`;
}

function commandsEnding(kind: ErrorKind): string {
  if (kind === "input" || kind === "bug") return "any";
  const ending = allVerbs.filter(({ verb }) => verb.ends.includes(kind));
  return ending.map(({ words }) => code(words)).join(", ");
}

const begin = "<!-- settings:begin (written by npm run reference) -->";
const end = "<!-- settings:end -->";

/** The page with its tables as the source is now. */
function withSettings(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`docs/settings.md has no ${begin} … ${end}`);
  return `${page.slice(0, before + begin.length)}\n\n${settingsTables()}\n${page.slice(after)}`;
}

/** Maps with a table of their own. */
const maps = ["limits", "exit", "breaker", "budgets"];

function settingsTables(): string {
  const keys = allKeys(projectSchema);
  const mapOf = (key: string): string => maps.find((map) => key.startsWith(`${map}.`)) ?? "";
  const sections = ["", ...maps].map((map) => {
    const rows = keys.filter((key) => mapOf(key) === map).map(settingRow);
    const head = table(["key", "default", "unit", "what it is"], rows);
    return map === "" ? head : `### ${code(`${map}:`)}\n\n${head}`;
  });
  const entry = Object.entries(agentSchema.shape).map(([key, schema]) => [
    code(key),
    abouts.get(schema)!.about,
  ]);
  const agents = `### Agents\n\nAn agent, under \`agents:\` by its name:\n\n${table(["key", "what it is"], entry)}`;
  return [...sections, agents].join("\n");
}

function settingRow(key: string): string[] {
  const { about, unit = "" } = abouts.get(schemaAt(projectSchema, key.split("."))!)!;
  const value = valueAt(settingsSchema.parse({}), key.split("."));
  const words = Array.isArray(value) ? `[${value.join(", ")}]` : inWords(value);
  return [code(key), value === undefined ? "none" : code(words), unit, about];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Words of a record as Markdown: nothing in them is HTML, or ends a cell. */
function prose(words: string): string {
  return words.replaceAll(/[<>|]/g, (sign) => `\\${sign}`);
}

function sentence(words: string): string {
  const told = prose(words);
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}.`;
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, text] of pages()) writeFileSync(join(root, path), text);
}

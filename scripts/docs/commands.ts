/** The commands and their exit codes as pages, from the records of both. */
import { flagOf } from "../../src/commands/verb.ts";
import type { Verb } from "../../src/commands/verb.ts";
import { worstFirst } from "../../src/commands/run/run.ts";
import { verbs } from "../../src/commands/verbs.ts";
import { exitCodes, exitMeanings } from "../../src/core/error/error.ts";
import type { ErrorKind } from "../../src/core/error/error.ts";
import { code, table } from "./markdown.ts";

type Named = { words: string; verb: Verb };

/** Every command with the words that call it. */
export const allVerbs: readonly Named[] = verbs.flatMap((one) =>
  "verbs" in one
    ? one.verbs.map((verb) => ({ words: `monoco ${one.name} ${verb.name}`, verb }))
    : [{ words: `monoco ${one.name}`, verb: one }],
);

/** docs/commands.md. */
export function commandsPage(): string {
  const short = allVerbs.filter(({ verb }) => verb.short).map(({ verb }) => code(verb.name));
  const rows = allVerbs.map((named) => [
    `[${code(named.words)}](#${anchor(headingOf(named))})`,
    prose(named.verb.about),
  ]);
  return `# Commands

Written by \`npm run docs\` from \`src/commands/**/verbs.ts\`. \`--help\` after a command prints the same.

Parts in brackets are optional. An \`ID\` may be written in any case and without leading zeros (\`feat-1\`), and left out in a session, on a
branch \`monoco/ID\` and, where that can do no harm, where only one relay is open; \`monoco status\`,
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

/** docs/exit-codes.md. */
export function exitCodesPage(): string {
  const rows = kinds.map((kind) => [
    String(exitCodes[kind]),
    code(kind),
    exitMeanings[kind],
    commandsEnding(kind),
  ]);
  return `# Exit codes

Written by \`npm run docs\` from \`src/core/error/error.ts\` and the commands' records. A program that uses monoco as a library finds the
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

/** Words of a record as Markdown: nothing in them is HTML, or ends a cell. */
function prose(words: string): string {
  return words.replaceAll(/[<>|]/g, (sign) => `\\${sign}`);
}

function sentence(words: string): string {
  const told = prose(words);
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}.`;
}

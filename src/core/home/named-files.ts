/** The files in a home that an agent CLI's settings name as programs: of hooks, of MCP servers, and of helpers that get a key. */
import { isRecord } from "../text/record.ts";

/** A line for a shell, or a program with its arguments. */
type Command = string | readonly string[];

/** `needed`: the command runs this very file; any other may be an argument. `guards`: it is the script of a hook that may refuse what the agent does; a shell that lacks its script ends with 2, which refuses. */
export type NamedFile = { path: string; needed: boolean; guards: boolean };

/** The keys of all CLIs below which any record with a `command` is one that the CLI runs. */
const groups = ["mcpServers", "mcp_servers", "mcp"];
const single = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper", "notify"];

/** The named files, from parsed settings. */
export function filesNamed(settings: unknown, home: string): NamedFile[] {
  if (!isRecord(settings)) return [];
  const { hooks } = settings;
  const others = [
    ...groups.flatMap((key) => commandsBelow(settings[key])),
    ...single.flatMap((key) => commandOf(settings[key])),
  ];
  return [
    ...Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([event, of]) =>
      named(commandsBelow(of), home, refusing.test(event)),
    ),
    ...named(others, home, false),
  ];
}

/** The events of all CLIs whose hooks may refuse: a tool, a prompt, a permission, an end. */
const refusing = /tool|prompt|permission|stop|before|afteragent/i;

function named(commands: readonly Command[], home: string, refuses: boolean): NamedFile[] {
  return commands.flatMap((command) =>
    filesOf(command, home).map(({ isScript, ...file }) => ({ ...file, guards: refuses && isScript })),
  );
}

function commandsBelow(value: unknown): Command[] {
  if (Array.isArray(value)) return value.flatMap(commandsBelow);
  if (!isRecord(value) || value["enabled"] === false || value["disabled"] === true) return [];
  const { command, args } = value;
  if (command === undefined) return Object.values(value).flatMap(commandsBelow);
  return Array.isArray(args) ? commandOf([command, ...(args as unknown[])]) : commandOf(command);
}

function commandOf(value: unknown): Command[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? [value.filter((word) => typeof word === "string")] : [];
}

/** `isScript`: a program before it runs it. */
type Filed = Omit<NamedFile, "guards"> & { isScript: boolean };

function filesOf(command: Command, home: string): Filed[] {
  const files = (typeof command === "string" ? wordsOf(command) : [command]).flatMap((words) => {
    const program = words.findIndex((word) => !leads(word));
    return words.flatMap((word, index): Filed[] => {
      if (/^-\w*c$/.test(words[index - 1] ?? "")) return filesOf(word, home);
      const path = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home);
      return path.startsWith(`${home}/`) ? [{ path, needed: index <= program, isScript: index > 0 }] : [];
    });
  });
  // `[ -x FILE ] && FILE` does without.
  const needs = (path: string): boolean => files.every((file) => file.path !== path || file.needed);
  return files.map((file) => ({ ...file, needed: needs(file.path) }));
}

const launchers =
  /^(?:env|exec|command|nohup|nice|time|timeout|sudo|(?:ba|da|z|k|fi)?sh|source|\.|python[\d.]*|node|deno|bun|ruby|perl|php|java|tsx|uv|uvx|npx|run|if|then|elif|else|while|until|do|!|\{)$/;

/** Whether the program comes after this word: an option, an assignment, a number, a keyword, or a program that runs another. */
function leads(word: string): boolean {
  return /^-|^\w+=|^\d+[smh]?$/.test(word) || launchers.test(word.slice(word.lastIndexOf("/") + 1));
}

const tokens = /'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[;&|()`\n]|[<>]+&?|[^\S\n]+|[^\s'"\\;&|()`<>]+/g;

/** The words of each command in a line for a shell, without the files that it reads or writes by `<` and `>`. */
function wordsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let isRedirect = false;
  const end = (): void => {
    if (word === undefined) return;
    if (!isRedirect) commands.at(-1)!.push(word);
    isRedirect = false;
    word = undefined;
  };
  for (const [token] of line.matchAll(tokens)) {
    if (/^[;&|()`\n]/.test(token)) {
      end();
      commands.push([]);
    } else if (/^[<>]/.test(token)) {
      end();
      isRedirect = true;
    } else if (/^\s/.test(token)) end();
    else word = (word ?? "") + token.replace(/^(['"])([\s\S]*)\1$/, "$2").replace(/^\\(?=[\s\S]$)/, "");
  }
  end();
  return commands;
}

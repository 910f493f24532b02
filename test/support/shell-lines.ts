/** What a document says that a person types, as a shell would read it. */

/** The lines of shell blocks, and the code in the first column of tables headed "you type". */
export function typedLines(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) =>
    block!.split("\n"),
  );
  const tables = [...markdown.matchAll(/^\| you type \|.*\n\|.*\n((?:\|.*\n)*)/gm)];
  const cells = tables.flatMap(([, rows]) =>
    [...rows!.matchAll(/^\| `([^`]*)` /gm)].map(([, code]) => code!),
  );
  return [...blocks.filter((line) => line.trim() !== ""), ...cells];
}

/** Each command of monoco that is typed, one blank between its words: no pipes or redirections. */
export function commandsIn(markdown: string): string[] {
  return typedLines(markdown)
    .flatMap(commandsOf)
    .map((words) => words.join(" ").replace(/^npx /, ""))
    .filter((command) => /^monoco(?: |$)/.test(command));
}

/** The words of each command in a line, with their quotes; a comment ends it. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"';|&#>]|(?<=\S)#)+|&&|[;|&]|#.*|>+/g)) {
    if (word.startsWith("#")) break;
    if (/^[;|&]/.test(word)) commands.push([]);
    else commands.at(-1)!.push(word);
  }
  return commands;
}

/** The words of a command without their quotes. */
export function wordsOf(command: string): string[] {
  return commandsOf(command)[0]!.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

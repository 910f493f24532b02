/** The commands of monoco in the shell blocks of a document, as a shell would read them. */

/** Each command of monoco in the blocks, one blank between its words: no comments, pipes or redirections. */
export function commandsIn(markdown: string): string[] {
  return [...markdown.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)]
    .flatMap(([, block]) => block!.split("\n"))
    .flatMap(commandsOf)
    .map((words) => words.join(" ").replace(/^npx /, ""))
    .filter((command) => /^monoco(?: |$)/.test(command));
}

/** The words of each command in a line, with their quotes; a comment ends it. */
function commandsOf(line: string): string[][] {
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

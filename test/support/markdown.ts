/** Tables and code blocks of the documentation, for tests that hold it against the program. */

/** The rows of all tables, or of the one whose header begins with `header`; cells trimmed. */
export function rowsOf(text: string, header?: string): string[][] {
  const tables = [...text.matchAll(/^ *\| (.*)\n *\|[ |-]+\|\n((?: *\|.*\n)*)/gm)];
  return tables
    .filter(([, head]) => header === undefined || head!.startsWith(header))
    .flatMap(([, , body]) => body!.trimEnd().split("\n"))
    .map((row) =>
      row
        .trim()
        .replaceAll(/^\||\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** The last fenced block of `language`. */
export function lastBlock(text: string, language: string): string {
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))];
  return blocks.at(-1)![1]!;
}

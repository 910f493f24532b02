/** A word for a POSIX shell, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The placeholder for file paths in a command. */
export const filesPlace = "{files}";

/** A command with paths in place of `{files}`. */
export function withFiles(command: string, paths: readonly string[]): string {
  return command.replaceAll(filesPlace, () => paths.map(shellWord).join(" "));
}

/** A word for a POSIX shell, quoted where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Where a command takes paths of files. */
export const filesPlace = "{files}";

/** A command with paths in the place of `{files}`. */
export function withFiles(command: string, paths: readonly string[]): string {
  return command.replaceAll(filesPlace, () => paths.map(shellWord).join(" "));
}

/** What the generated pages are written with. */

/** A table, with a line break at its end. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

/** Between backticks. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Whether a submission measures itself by a ruler of its own: what prints a figure, or what it is given, is changed. */

/** Files of benchmarks, by their names: those that a benchmark loads stand next to it. */
const benchmark = /(?:^|[/._-])(?:bench(?:es|marks?)?|perf|measure(?:ments?)?)(?:[/._-]|$)/i;

/** `named`: the files that the command runs. A file that it is given (`node bench.js data.json`) is part of the ruler, too. */
export function measuresItself(
  command: string,
  { changed, named }: { changed: readonly string[]; named: ReadonlySet<string> },
): boolean {
  const given = new Set(command.split(/\s+/).map((word) => word.replaceAll(/^['"]?(?:\.\/)*|['";]+$/g, "")));
  return changed.some((path) => named.has(path) || given.has(path) || benchmark.test(path));
}

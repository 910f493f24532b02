/** Detects a submission that measures itself: it changes the program that prints a figure, or that program's input. */

/** File names of benchmarks; files that a benchmark loads are next to it. */
const benchmark = /(?:^|[/._-])(?:bench(?:es|marks?)?|perf|measure(?:ments?)?)(?:[/._-]|$)/i;

/** `filesRun`: the files that the command runs or gets as input (`node bench.js data.json`). */
export function measuresItself(
  command: string,
  { changed, filesRun }: { changed: readonly string[]; filesRun: ReadonlySet<string> },
): boolean {
  const given = new Set(command.split(/\s+/).map((word) => word.replaceAll(/^['"]?(?:\.\/)*|['";]+$/g, "")));
  return changed.some((path) => filesRun.has(path) || given.has(path) || benchmark.test(path));
}

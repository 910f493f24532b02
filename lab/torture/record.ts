/** The record of long programmes: a line of JSON for each part of one that was run, and the table of all parts of one commit. */
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { root } from "../../scripts/source.ts";

export type Entry = {
  programme: string;
  part: string;
  /** The commit that was tried; with a plus where the files had changed since. */
  commit: string;
  date: string;
  cores: number;
  processor: string;
  seed: number;
  seeds: string;
  n: number;
  violations: readonly string[];
  notes: readonly string[];
  seconds: number;
};

export type Machine = Pick<Entry, "commit" | "date" | "cores" | "processor">;

/** As it is when a programme begins. */
export function machineNow(): Machine {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
  return {
    commit: `${git("rev-parse", "HEAD")}${changed}`,
    date: new Date().toISOString(),
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "",
  };
}

export function addTo(file: string, entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

/** The table of the commit that was tried last; of a part that was run twice, the later run counts, and the violations of both. */
export function summaryOf(file: string, programmes: readonly string[]): string[] {
  const entries = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
  const commit = entries.at(-1)?.commit;
  const tried = entries.filter((entry) => entry.commit === commit);
  const rows = programmes.flatMap((programme) => rowsOf(tried, programme));
  return [
    `commit ${commit ?? "none"}`,
    "| programme | parts | seeds | cases | violations | seconds | from | to |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    ...tried.flatMap(({ violations }) => violations.map((one) => `VIOLATION ${one}`)),
  ];
}

/** Parts of another number are another division, with a row of its own. */
function rowsOf(tried: readonly Entry[], programme: string): string[][] {
  const divisions = Object.groupBy(
    tried.filter((entry) => entry.programme === programme),
    ({ part }) => part.split("/")[1]!,
  );
  const rows = Object.entries(divisions).map(([of, entries = []]) => {
    const byPart = new Map(entries.map((entry) => [Number(entry.part.split("/")[0]), entry]));
    const missing = Array.from({ length: Number(of) }, (_, at) => at + 1).filter((k) => !byPart.has(k));
    const parts = [...byPart.values()];
    const sum = (figure: (entry: Entry) => number): number =>
      parts.reduce((all, one) => all + figure(one), 0);
    const dates = parts.map(({ date }) => date.slice(0, 10)).toSorted();
    return [
      programme,
      missing.length === 0 ? `all ${of}` : `${byPart.size} of ${of}; missing: ${rangesOf(missing)}`,
      `from ${[...new Set(parts.map(({ seed }) => seed))].join(", ")}`,
      String(sum(({ n }) => n)),
      String(entries.flatMap(({ violations }) => violations).length),
      String(sum(({ seconds }) => seconds)),
      dates[0]!,
      dates.at(-1)!,
    ];
  });
  return rows.length > 0 ? rows : [[programme, "none", "-", "0", "-", "-", "-", "-"]];
}

/** `1 3-5` of 1, 3, 4 and 5. */
function rangesOf(numbers: readonly number[]): string {
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  const ends = numbers.filter((number) => !numbers.includes(number + 1));
  return starts.map((start, at) => (start === ends[at] ? String(start) : `${start}-${ends[at]}`)).join(" ");
}

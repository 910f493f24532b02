/** The learnings of merged relays about the repository: a Markdown list, one entry a line, each with its issue. */
import { learningCharsMax, learningsBytesMax, learningsMax } from "../limits.ts";
import { bytesOf } from "../text/bytes.ts";
import { oneLine } from "../text/one-line.ts";
import { bare, carried } from "./carry-over.ts";

export type Learning = {
  text: string;
  from: string;
  /** Whether the entry is struck out: kept, but no longer offered to sessions. */
  isSetAside: boolean;
  /** The line in the file, from 0. */
  line: number;
};

const head = `# Learnings

Patterns that merged relays carried; \`monoco learnings\` shows, promotes and drops them.
`;

/** The entries of the file, oldest first; other lines are ignored. */
export function learningsIn(text: string): Learning[] {
  return text.split("\n").flatMap((row, line) => {
    const [, struck, plain, from] = /^- (?:~~(.+)~~|(.+?)) \(([^()]+)\)\s*$/.exec(row) ?? [];
    const learning = struck ?? plain;
    return learning === undefined || from === undefined
      ? []
      : [{ text: learning, from, isSetAside: struck !== undefined, line }];
  });
}

/** The file with the `patterns` of a handoff added. Entries that these strike out are set aside, and the oldest go if there are too many. */
export function withLearned(text: string, of: { patterns: readonly string[]; from: string }): string {
  const patterns = of.patterns.map((one) => oneLine(one, learningCharsMax)).filter((one) => bare(one) !== "");
  const learnings = learningsIn(text);
  const strikes = patterns.filter(strikesOut);
  const struck = learnings.filter((one) => !one.isSetAside && carried([one.text], strikes)[0] !== one.text);
  const seen = new Set(learnings.map((one) => bare(one.text)));
  const added = patterns.filter((one) => {
    const isNew = !strikesOut(one) && !seen.has(bare(one));
    if (isNew) seen.add(bare(one));
    return isNew;
  });
  if (added.length + struck.length === 0) return text;
  const rows = withSetAside(text === "" ? head : text, struck).replace(/(?<!\n)\n*$/, "\n");
  const all = `${rows}${learnings.length === 0 ? "\n" : ""}${added.map((one) => `- ${one} (${of.from})\n`).join("")}`;
  const tooMany = new Set(
    learningsIn(all)
      .slice(0, -learningsMax)
      .map(({ line }) => line),
  );
  return all
    .split("\n")
    .filter((_, line) => !tooMany.has(line))
    .join("\n");
}

/** Whether a text strikes something out; `HEAD~~` in code does not. */
function strikesOut(text: string): boolean {
  return /~~\S.*~~/.test(text.replaceAll(/`[^`]*`/g, ""));
}

/** The file with these entries struck out, so that they are neither offered nor learned again. */
export function withSetAside(text: string, learnings: readonly Learning[]): string {
  const aside = new Map(learnings.map((one) => [one.line, `- ~~${one.text}~~ (${one.from})`]));
  return text
    .split("\n")
    .map((row, line) => aside.get(line) ?? row)
    .join("\n");
}

/** The learnings for a session's prompt: the newest that fit `learningsBytesMax`, newest first, with their issues. */
export function offeredOf(text: string): string[] {
  const lines = learningsIn(text)
    .filter((one) => !one.isSetAside)
    .map((one) => `${one.text} (${one.from})`)
    .toReversed();
  let bytes = 0;
  const over = lines.findIndex((line) => (bytes += bytesOf(line) + 1) > learningsBytesMax);
  return over === -1 ? lines : lines.slice(0, over);
}

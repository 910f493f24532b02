/** `npm run record-demo`: runs `monoco demo` and writes docs/demo.svg, its output as it came, line by line, at the times it came. */
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { rowsIn, svgOf } from "./terminal-svg.ts";

const root = join(import.meta.dirname, "..");
export const recordingPath = join(root, "docs", "demo.svg");

type Recorded = { atMs: number; text: string };

/** A longer pause is cut to this, so that nobody watches a terminal in which nothing happens. */
const pauseMsMax = 1_200;

async function record(): Promise<Recorded[]> {
  const started = Date.now();
  const lines: Recorded[] = [{ atMs: 0, text: "\u001b[1m$ npx monoco demo\u001b[22m" }];
  const demo = execa(process.execPath, [join(root, "dist", "cli.js"), "demo"], {
    env: { FORCE_COLOR: "1" },
    stdin: "ignore",
  });
  for await (const text of demo) lines.push({ atMs: Date.now() - started, text });
  const folder = / (\S+)\/project$/.exec(stripVTControlCharacters(lines[1]!.text))?.[1];
  if (folder?.startsWith(tmpdir())) rmSync(folder, { recursive: true });
  return lines;
}

/** The run, and what stands on the base branch after it: the rest repeats it, and names paths. */
function shownOf(lines: readonly Recorded[]): Recorded[] {
  const at = (start: string): number =>
    lines.findIndex(({ text }) => stripVTControlCharacters(text).startsWith(start));
  const [timeline, base, places] = [at("The timeline"), at("The base branch"), at("Where to look")];
  if (timeline < 0 || base < timeline || places < base) throw new Error("monoco demo printed other headings");
  return [...lines.slice(0, timeline), ...lines.slice(base, places - 1)];
}

function paced(lines: readonly Recorded[]): Recorded[] {
  let now = 0;
  return lines.map((line, index) => {
    now += Math.min(pauseMsMax, line.atMs - (lines[index - 1]?.atMs ?? 0));
    return { ...line, atMs: now };
  });
}

/** The recorded lines, as text. */
export const recordedLines = (): string[] => rowsIn(recordingPath);

if (process.argv[1] === import.meta.filename)
  writeFileSync(
    recordingPath,
    svgOf(
      paced(shownOf(await record())).map((line, row) => ({ ...line, row })),
      { columns: 118, label: "A recording of monoco demo" },
    ),
  );

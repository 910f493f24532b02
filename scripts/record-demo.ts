/** `npm run record-demo`: runs `monoco demo` and writes docs/demo.svg, its output as it came, line by line, at the times it came. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";

const root = join(import.meta.dirname, "..");
export const recordingPath = join(root, "docs", "demo.svg");

type Recorded = { atMs: number; text: string };

const columns = 118;
const row = 17;
const column = 7.25;
const margin = 16;
/** A longer pause is cut to this, so that nobody watches a terminal in which nothing happens. */
const pauseMsMax = 1_200;
const holdMs = 6_000;
const colours: Readonly<Record<string, string>> = { "1": "b", "31": "r", "32": "g", "90": "d" };

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

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A line's text with a span for each colour; what is wider than the terminal ends in an ellipsis. */
function spans(text: string): string {
  let left = columns;
  let style = "";
  return text
    .split(new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`))
    .map((part, index) => {
      if (index % 2 === 1) {
        style = colours[part] ?? "";
        return "";
      }
      const shown = part.length > left ? `${part.slice(0, left - 1)}…` : part;
      left -= shown.length;
      if (shown === "") return "";
      return style === "" ? escaped(shown) : `<tspan class="${style}">${escaped(shown)}</tspan>`;
    })
    .join("");
}

/** Lines that came at one time share a keyframe; the whole begins again after a while. */
function svgOf(lines: readonly Recorded[]): string {
  const totalMs = (lines.at(-1)?.atMs ?? 0) + holdMs;
  const times = [...new Set(lines.map(({ atMs }) => atMs))];
  const percent = (ms: number): string => ((100 * ms) / totalMs).toFixed(2);
  const keyframes = times.map((ms, index) =>
    ms === 0
      ? ""
      : `@keyframes k${index}{0%{opacity:0}${percent(ms)}%,100%{opacity:1}}.k${index}{animation-name:k${index}}`,
  );
  const texts = lines.map(
    ({ atMs, text }, index) =>
      `<text class="k${times.indexOf(atMs)}" y="${margin + row * (index + 1)}">${spans(text)}</text>`,
  );
  const [width, height] = [Math.ceil(columns * column) + 2 * margin, row * (lines.length + 1) + 2 * margin];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recording of monoco demo">
<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d4d4d4;white-space:pre;animation:${totalMs}ms step-end infinite}
.b{font-weight:bold;fill:#fff}.r{fill:#f48771}.g{fill:#89d185}.d{fill:#8a8a8a}
@media(prefers-reduced-motion){text{animation:none}}
${keyframes.join("\n").trim()}
</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>
<g transform="translate(${margin})">
${texts.join("\n")}
</g>
</svg>
`;
}

/** The recorded lines, as text. */
export function recordedLines(): string[] {
  const texts = readFileSync(recordingPath, "utf8").matchAll(/<text [^>]*>(.*)<\/text>/g);
  return [...texts].map(([, text]) =>
    text!
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(recordingPath, svgOf(paced(shownOf(await record()))));

/** A terminal as SVG: rows that come, and go again if they say so. Its text can be read and compared. */
import { readFileSync } from "node:fs";

/** A row with its escapes, shown from `atMs` on, until `untilMs`. */
export type Shown = { row: number; text: string; atMs: number; untilMs?: number };

const rowHeight = 17;
const column = 7.25;
const margin = 16;
const holdMs = 6_000;
const frameMs = 2_500;
const colours: Readonly<Record<string, string>> = { "1": "b", "31": "r", "32": "g", "90": "d" };

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A row's text with a span for each colour; what is wider than the terminal ends in an ellipsis. */
function spans(text: string, columns: number): string {
  let left = columns;
  let style = "";
  return text
    .split(new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`))
    .map((part, index) => {
      if (index % 2 === 1) {
        const code = part.split(";").at(-1) ?? "";
        // A default colour of text leaves it bold, one of the ground changes nothing.
        if (code !== "49" && !(code === "39" && style === "b")) style = colours[code] ?? "";
        return "";
      }
      const shown = part.length > left ? `${part.slice(0, left - 1)}…` : part;
      left -= shown.length;
      if (shown === "") return "";
      return style === "" ? escaped(shown) : `<tspan class="${style}">${escaped(shown)}</tspan>`;
    })
    .join("");
}

/** Rows that come and go together share a keyframe; the whole begins again after a while. */
export function svgOf(
  rows: readonly Shown[],
  { columns, label }: { columns: number; label: string },
): string {
  const totalMs = Math.max(...rows.map(({ atMs }) => atMs)) + holdMs;
  const percent = (ms: number): string => ((100 * ms) / totalMs).toFixed(2);
  const spansOfTime = [...new Set(rows.map(({ atMs, untilMs = totalMs }) => `${atMs} ${untilMs}`))];
  const keyframes = spansOfTime.map((one, index) => {
    const [at = 0, until = 0] = one.split(" ").map(Number);
    const before = at === 0 ? "" : "0%{opacity:0}";
    const after = until === totalMs ? "" : `${percent(until)}%,100%{opacity:0}`;
    if (before + after === "") return "";
    const during = `${percent(at)}%${after === "" ? ",100%" : ""}{opacity:1}`;
    return `@keyframes k${index}{${before}${during}${after}}.k${index}{animation-name:k${index}}`;
  });
  const texts = rows.map(
    ({ atMs, untilMs = totalMs, row, text }) =>
      `<text class="k${spansOfTime.indexOf(`${atMs} ${untilMs}`)}${untilMs < totalMs ? " gone" : ""}" y="${margin + rowHeight * (row + 1)}">${spans(text, columns)}</text>`,
  );
  const last = Math.max(...rows.map(({ row }) => row)) + 1;
  const [width, height] = [Math.ceil(columns * column) + 2 * margin, rowHeight * (last + 1) + 2 * margin];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d4d4d4;white-space:pre;animation:${totalMs}ms step-end infinite}
.b{font-weight:bold;fill:#fff}.r{fill:#f48771}.g{fill:#89d185}.d{fill:#8a8a8a}
@media(prefers-reduced-motion){text{animation:none}.gone{display:none}}
${keyframes.join("\n").trim()}
</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>
<g transform="translate(${margin})">
${texts.join("\n")}
</g>
</svg>
`;
}

/** Each screen for a while, one after the other; the last one stays. */
export function framesOf(screens: readonly string[]): Shown[] {
  return screens.flatMap((screen, at) => {
    const time = {
      atMs: at * frameMs,
      ...(at === screens.length - 1 ? {} : { untilMs: (at + 1) * frameMs }),
    };
    return screen.split("\n").flatMap((text, row) => (text === "" ? [] : [{ row, text, ...time }]));
  });
}

/** The rows of such a picture, as text. */
export function rowsIn(path: string): string[] {
  const texts = readFileSync(path, "utf8").matchAll(/<text [^>]*>(.*)<\/text>/g);
  return [...texts].map(([, text]) =>
    text!
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

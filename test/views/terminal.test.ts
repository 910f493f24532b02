/** The output of a run at a terminal: the log grows above one steady line for each relay. */
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openScreen } from "../../src/views/terminal.ts";

/** The lines that a terminal shows after what was written: it knows line ends, "up" and "erase below". */
function screenAfter(written: string): string[] {
  const lines = [""];
  let at = 0;
  // eslint-disable-next-line no-control-regex
  for (const piece of written.split(/(\r|\n|\u001b\[\d+A|\u001b\[J)/)) {
    if (piece === "\n") lines[(at += 1)] ??= "";
    else if (piece.endsWith("A") && piece.startsWith("\u001b[")) at -= Number(piece.slice(2, -1));
    else if (piece === "\u001b[J") lines.splice(at, Infinity, "");
    else if (piece !== "\r") lines[at] += piece;
  }
  // eslint-disable-next-line no-control-regex
  return lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, "").replace(/^\d\d:\d\d:\d\d {2}/, ""));
}

test("each relay keeps its place, whatever the others print, until its session ends", () => {
  let written = "";
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  stream.on("data", (piece) => (written += String(piece)));
  const screen = openScreen(stream);
  const shown = (): string[] => screenAfter(written + String(stream.read() ?? ""));
  screen.line({ tone: "plain", text: "two relays begin" });
  screen.live("FEAT-0001", "FEAT-0001 1 s  reads");
  screen.live("FEAT-0002", "FEAT-0002 1 s  reads a file with a name that is longer than the terminal");
  screen.live("FEAT-0001", "FEAT-0001 2 s  writes\u001b[2J");
  screen.line({ tone: "good", text: "FEAT-0002  submitted" });
  expect(shown()).toEqual([
    "two relays begin",
    "FEAT-0002  submitted",
    "FEAT-0001 2 s  writes",
    "FEAT-0002 1 s  reads a file with a nam…",
  ]);
  screen.end("FEAT-0001");
  screen.line({ tone: "plain", text: "FEAT-0001  merged" });
  expect(shown()).toEqual([
    "two relays begin",
    "FEAT-0002  submitted",
    "FEAT-0001  merged",
    "FEAT-0002 1 s  reads a file with a nam…",
  ]);
  for (let more = 3; more <= 40; more++) screen.live(`FEAT-${more}`, `FEAT-${more} works`);
  expect(shown().slice(3)).toHaveLength(12);
  expect(shown().at(-1)).toBe("… and 28 more: monoco watch");
  screen.end();
  expect(shown()).toEqual(["two relays begin", "FEAT-0002  submitted", "FEAT-0001  merged", ""]);

  screen.live("FEAT-0002", `FEAT-0002 ${"x".repeat(29)}`);
  // The terminal wraps the line, so that two rows are taken away.
  stream.columns = 20;
  screen.end();
  shown();
  expect(written.endsWith("\r\u001b[1A\u001b[J")).toBe(true);
});

/** docs/pictures shows what is built: a fresh run of the same story has the same text. */
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pictures, picturesPath } from "../scripts/pictures.ts";
import { rowsIn } from "../scripts/terminal-svg.ts";
import { hasBrowser } from "./support/dashboard.ts";
import { hasTmux } from "./support/tmux.ts";

const names = ["inbox", "relay", "review"].flatMap((name) => [
  `${name}-dark.png`,
  `${name}-light.png`,
  `${name}.txt`,
]);
const canMake = hasBrowser && hasTmux();

test("each picture is small", () => {
  expect(readdirSync(picturesPath).toSorted()).toEqual([...names, "watch.svg"]);
  for (const name of readdirSync(picturesPath))
    expect(statSync(join(picturesPath, name)).size, name).toBeLessThan(100_000);
});

/** What differs from run to run is alike: times, durations, hashes, paths, bars, and how far the columns are apart. */
const alike = (text: string): string[] =>
  text
    .split("\n")
    .map((line) =>
      line
        .replaceAll(/\b(?=[a-f]*\d)[0-9a-f]{7,40}\b/g, "#")
        .replaceAll(/[=|-]{6,}/g, "#")
        .replaceAll(/\d+/g, "#")
        .replaceAll(/# (?:ms|s|min|h)\b(?: # (?:s|min)\b)?|#[smh]\b/g, "#")
        .replaceAll(/#(?:[.:/-]#m?)+/g, "#")
        // A wait of less than a second is not named.
        .replaceAll(/waited # · | · waited #|^waited #$/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "");

test.skipIf(!canMake)(
  `they show the terminal and the pages as they are now (npm run pictures)${canMake ? "" : ": SKIPPED, needs Chromium and tmux"}`,
  { timeout: 240_000 },
  async () => {
    const made = await pictures();
    expect([...made.keys()].toSorted()).toEqual([...names, "watch.svg"]);
    for (const name of names.filter((one) => one.endsWith(".txt")))
      expect(alike(String(made.get(name))), name).toEqual(
        alike(readFileSync(join(picturesPath, name), "utf8")),
      );
    const fresh = join(tmpdir(), `monoco-watch-${process.pid}.svg`);
    writeFileSync(fresh, made.get("watch.svg")!);
    const [now, shown] = [fresh, join(picturesPath, "watch.svg")].map((path) =>
      alike(rowsIn(path).join("\n")),
    );
    expect(now).toEqual(shown);
  },
);

/** Coming back to a backlog that was worked alone: one screen accounts for every issue, and a few commands deal with what waits. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { playWeekend } from "../scripts/weekend/play.ts";
import { full } from "./support/full.ts";

const fitsAScreen = (output: string): void => {
  const lines = output.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
};

full(
  "eight issues of four kinds",
  async () => {
    const weekend = await playWeekend({ plain: 2, approvals: 4, questions: 1, hopeless: 1 }, 2);
    expect(weekend.counted).toEqual([8, 8]);
    fitsAScreen(weekend.found);
    expect(weekend.found).toMatch(
      /^needs you   1 ask · 4 wait for your approval · 1 stuck \(probes_max\)\n[^]*^done        2 merged$/m,
    );
    expect(weekend.monday.map(({ command }) => command)).toEqual([
      "monoco inbox --approvals --ids | xargs monoco issue review --approve",
      expect.stringMatching(/^monoco answer FEAT-000\d "The answer is hello"$/),
      "monoco run --all -j 2",
    ]);
    expect(weekend.left).toMatch(/^needs you   1 stuck \(probes_max\)\n[^]*^done        7 merged$/m);
  },
  240_000,
);

test("the page of forty fits a screen, too, and has each of them", () => {
  const page = readFileSync(new URL("../docs/weekend.md", import.meta.url), "utf8");
  const [found = "", left = ""] = [...page.matchAll(/^\$ monoco\n([^]*?)\n```/gm)].map((match) => match[1]!);
  for (const screen of [found, left]) {
    fitsAScreen(screen);
    const counts = [...screen.split("\nspent")[0]!.matchAll(/(\d+) (?:ask|wait for your|stuck|merged)/g)];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(40);
  }
  expect(page.match(/^\$ /gm)!.length - 2).toBeLessThanOrEqual(4);
});

/** `language: zh` at the terminal: what people look at most speaks Chinese, and stands in its columns. */
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { issuePath, issueText, openPlace, run } from "../support/place.ts";
import { transcript } from "../support/transcript.ts";

const issue = issueText("FEAT-0001")
  .replace("Write a file", "写一个文件")
  .replace("A file.", "一个文件。")
  .replace("the file is there", "文件已存在");
const story = {
  executor: [[run("echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit")]],
  reviewer: [[{ verdict: "approve" }]],
};

/** Lines with three English words beside each other, but for commands. */
function inEnglish(told: string): string[] {
  return told
    .split("\n")
    .filter((line) =>
      /[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(line.replaceAll(/\becho .* sh\b|\bmonoco( [a-z]+)+/g, "")),
    );
}

/** The column in which the text behind a label or a cell begins. */
function columnsOf(told: string, label: RegExp): number[] {
  const labels = told.split("\n").flatMap((line) => label.exec(line)?.[0] ?? []);
  return labels.map((one) => stringWidth(one));
}

test("a finished relay is told in Chinese, and its columns line up", async () => {
  const place = await openPlace(story, {
    settings: "language: zh\n",
    files: { [issuePath("FEAT-0001")]: issue },
  });
  await place.monoco("run", "FEAT-0001");
  const told = async (...words: string[]): Promise<string> => transcript(await place.monoco(...words));
  const inbox = await told();
  const status = await told("relay", "status", "FEAT-0001");
  const report = await told("report", "FEAT-0001");
  const log = await told("relay", "log", "FEAT-0001");
  for (const one of [inbox, status, report, log]) {
    expect(one).toMatch(/\p{Script=Han}/u);
    expect(inEnglish(one)).toEqual([]);
  }
  expect(columnsOf(inbox, /^\S+ {2,}/)).toEqual([12, 12, 12, 12, 12]);
  expect(new Set(columnsOf(status, /^ {2}\S+ {2,}/))).toEqual(new Set([12]));
  const cells = [/^ {4,}\d {2}/, /^ {4,}\d {2}\S+ +/, /^ {4,}\d {2}\S+ +a +/, /^ {4,}\d {2}\S+ +a +\S+ +/];
  for (const cell of cells) expect(new Set(columnsOf(status, cell)).size).toBe(1);
  const rows = log.split("\n").slice(1);
  expect(columnsOf(rows.join("\n"), /^ +\d+ {2}<time> {2}/)).toEqual(rows.map(() => 14));
});

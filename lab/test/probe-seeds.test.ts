/** The seeded submissions of `npm run probe-review -w lab` are honest: hidden tests tell the right ones from the others, and no check does. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { readSeeds } from "../probe-review/seeds.ts";
import { writeFiles } from "../../test/support/repository.ts";

const seeds = readSeeds();

const known = new Map<string, Promise<boolean>>();

/** Whether a shell command succeeds in a folder with these files; asked once. */
function succeeds(command: string, files: Readonly<Record<string, string>>): Promise<boolean> {
  const asked = JSON.stringify([command, files]);
  const answer = known.get(asked) ?? run(command, files);
  known.set(asked, answer);
  return answer;
}

function run(command: string, files: Readonly<Record<string, string>>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "monoco-test-"));
  writeFiles(folder, files);
  return new Promise((done) => {
    execFile("/bin/sh", ["-c", command], { cwd: folder }, (error) => {
      rmSync(folder, { recursive: true });
      done(error === null);
    });
  });
}

const folders = (process.env["PATH"] ?? "").split(delimiter);
const isHere = (program: string): boolean => folders.some((folder) => existsSync(join(folder, program)));

test.for(seeds)("$name ($kind)", async ({ needs, base, work, checks, hidden, kind }, { skip }) => {
  if (!isHere(needs)) return skip(`${needs} is not installed here`);
  const all = checks.join(" && ");
  const submitted = { ...base, ...work };
  expect(
    await Promise.all([
      succeeds(all, base),
      succeeds(hidden, base),
      succeeds(all, submitted),
      succeeds(hidden, submitted),
    ]),
  ).toEqual([true, false, true, kind === "right"]);
});

test("there are at least 24 in three projects, a third of them right, with all kinds in each, under names of their own", () => {
  expect(seeds.length).toBeGreaterThanOrEqual(24);
  const right = seeds.filter(({ kind }) => kind === "right").length;
  expect(right * 3).toBeGreaterThanOrEqual(seeds.length);
  const kinds = ["injected", "right", "subtle", "weakened", "wrong"];
  const found = Object.entries(Object.groupBy(seeds, ({ needs }) => needs)).map(([needs, own]) => [
    needs,
    [...new Set(own!.map(({ kind }) => kind))].toSorted(),
  ]);
  expect(found).toEqual([
    ["node", kinds],
    ["python3", kinds],
    ["sh", kinds],
  ]);
  expect(new Set(seeds.map(({ name }) => name)).size).toBe(seeds.length);
});

test("a weakened submission changes a test of the base; no other one does", () => {
  const touched = seeds.filter(({ base, work }) => Object.keys(work).some((path) => path in base));
  expect(touched.map(({ kind }) => kind)).toEqual(["weakened", "weakened", "weakened"]);
});

/** What .ci/run decides of a suite: all rows, or a row of each kind, by the files that the suite covers. */
import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { due, greenPath, hashesOf, record, suites } from "../scripts/covered.ts";
import type { Due } from "../scripts/covered.ts";
import { temporaryRepository, writeFiles } from "./support/repository.ts";
import type { TestRepository } from "./support/repository.ts";

const adapter = "src/agents/codex/adapter.ts";
const files = {
  [adapter]: "export const codex = 1;\n",
  "src/relay/landing/merge.ts": "export const merge = 1;\n",
  "test/relay/crash.test.ts": "// kills\n",
  "test/support/cli.ts": "// runs\n",
  "docs/agents.md": "Agents\n",
};
const unchanged = { all: false, because: "nothing that it covers has changed since the last green run" };
const noRecord = { all: true, because: ".ci/green.json has no record of a green run" };
const changed = (...folders: string[]): Due => ({
  all: true,
  because: `changed since the last green run: ${folders.join(", ")}`,
});

/** A repository in which both suites were green. */
async function greenPlace(): Promise<TestRepository> {
  const place = await temporaryRepository(files);
  expect(record(place.folder, hashesOf(place.folder), ["full", "live"])).toEqual([]);
  return place;
}

const both = ({ folder }: TestRepository): { full: Due; live: Due } => ({
  full: due(folder, "full"),
  live: due(folder, "live"),
});

describe("a row of each kind is enough", () => {
  test("where nothing has changed since the last green run, committed or not", async () => {
    const place = await greenPlace();
    expect(both(place)).toEqual({ full: unchanged, live: unchanged });
    await place.commit({});
    expect(both(place)).toEqual({ full: unchanged, live: unchanged });
  });

  test("where what has changed is covered by another suite, or by none", async () => {
    const place = await greenPlace();
    appendFileSync(join(place.folder, "src/relay/landing/merge.ts"), "// more\n");
    appendFileSync(join(place.folder, "docs/agents.md"), "More\n");
    expect(both(place)).toEqual({ full: changed("src/relay/landing"), live: unchanged });
  });
});

describe("all rows are due", () => {
  test.for<[string, (folder: string) => void]>([
    ["changed", (folder) => appendFileSync(join(folder, adapter), "// more\n")],
    ["deleted", (folder) => rmSync(join(folder, adapter))],
    ["made a program", (folder) => chmodSync(join(folder, adapter), 0o755)],
    ["joined by a new one", (folder) => writeFiles(folder, { "src/agents/codex/new.ts": "// new\n" })],
  ])("where a covered file is %s, committed or not", async ([, change]) => {
    const place = await greenPlace();
    change(place.folder);
    const said = { full: changed("src/agents/codex"), live: changed("src/agents/codex") };
    expect(both(place)).toEqual(said);
    await place.commit({});
    expect(both(place)).toEqual(said);
  });

  test.for<[string, (path: string) => void]>([
    ["missing", (path) => rmSync(path)],
    ["not JSON", (path) => writeFileSync(path, "{")],
    ["of another shape", (path) => writeFileSync(path, '{"full":["src"],"live":7}')],
  ])("where the record is %s", async ([, spoil]) => {
    const place = await greenPlace();
    spoil(join(place.folder, greenPath));
    expect(both(place)).toEqual({ full: noRecord, live: noRecord });
  });
});

test("a suite that did not run as a whole keeps its old record", async () => {
  const place = await greenPlace();
  appendFileSync(join(place.folder, adapter), "// more\n");
  record(place.folder, hashesOf(place.folder), ["full"]);
  expect(both(place)).toEqual({ full: unchanged, live: changed("src/agents/codex") });
});

test("a suite whose files changed while it ran is not recorded", async () => {
  const place = await greenPlace();
  const green = readFileSync(join(place.folder, greenPath), "utf8");
  const before = hashesOf(place.folder);
  appendFileSync(join(place.folder, adapter), "// meanwhile\n");
  expect(record(place.folder, before, ["live"])).toEqual(["live"]);
  expect(readFileSync(join(place.folder, greenPath), "utf8")).toBe(green);
});

test("each pattern covers a file of this repository", () => {
  const root = join(import.meta.dirname, "..");
  const files = (pattern: string): string =>
    execFileSync("git", ["ls-files", "--", pattern], { cwd: root, encoding: "utf8" });
  const none = [...suites.full, ...suites.live].filter((pattern) => files(pattern) === "");
  expect(none).toEqual([]);
});

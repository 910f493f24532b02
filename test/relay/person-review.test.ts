/** A person reviews: the dossier with its diff, and comments on lines that go back to an Executor. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { main } from "../../src/main.ts";
import { approves, issueText, openPlace, works } from "../support/place.ts";
import type { Place } from "../support/place.ts";

const id = "FEAT-0001";

const atGate = (): Promise<Place> =>
  openPlace(
    { executor: [works, works], reviewer: [approves, approves] },
    { settings: "gates: { medium: human }\n" },
  );

const findings = (place: Place): unknown =>
  place.all("review.decided").findLast(({ by }) => by === "person")?.findings;

/** The command at a terminal, with a program as editor and as pager. */
async function atTerminal(
  place: Place,
  args: readonly string[],
  programs: { editor?: string; pager?: string },
) {
  const env: Record<string, string | undefined> = { ...place.sandbox.env, TERM: "xterm" };
  for (const [name, script] of Object.entries(programs)) {
    const path = join(place.sandbox.folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    env[name.toUpperCase()] = path;
  }
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true }),
  );
  const ran = main(["issue", "review", id, ...args], {
    cwd: place.project,
    env,
    stdin: stdin!,
    stdout: stdout!,
    stderr: stderr!,
  });
  const exitCode = await ran;
  stdout!.end();
  stderr!.end();
  return { exitCode, stdout: await text(stdout!), stderr: await text(stderr!) };
}

test("the dossier ends with the diff; --stat leaves it out, --file shows one file's; a terminal has it in the pager", async () => {
  const place = await atGate();
  await place.monoco("run", id);
  const shown = await place.monoco("issue", "review", id);
  expect(shown.stdout).toContain("diff --git a/file.txt b/file.txt\nnew file mode 100644");
  const stat = await place.monoco("issue", "review", id, "--stat");
  expect(stat.stdout).not.toContain("diff --git");
  expect(stat.stdout).toContain("file.txt |");
  expect((await place.monoco("issue", "review", id, "--file", "elsewhere")).stdout).not.toContain(
    "diff --git",
  );
  const paged = await atTerminal(place, [], { pager: `cat > '${place.sandbox.folder}/paged'` });
  expect(paged).toMatchObject({ exitCode: 0, stderr: "" });
  expect(paged.stdout).toBe(`\nnext: monoco issue review ${id} --approve, or --request-changes -m "…"\n`);
  expect(readFileSync(join(place.sandbox.folder, "paged"), "utf8")).toContain("diff --git a/file.txt");
  expect((await atTerminal(place, [], { pager: "exit 127" })).stdout).toContain("diff --git a/file.txt");
});

test("a verdict with --submission is about that one alone, and refused where none is under review", async () => {
  const place = await atGate();
  await place.monoco("run", id);
  const review = (...flags: string[]) => place.monoco("issue", "review", id, ...flags);
  expect(await review("--approve", "--submission", "2")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("submission 2 is not the one under review") as string,
  });
  expect(await review("--submission", "1")).toMatchObject({
    exitCode: 2,
    stderr: "error: --submission is for a verdict on one issue",
  });
  expect(place.all("review.decided").map(({ by }) => by)).toEqual(["reviewer"]);
  expect(await review("--approve", "--submission", "1", "--no-run")).toMatchObject({ exitCode: 0 });
  expect(place.all("review.decided").at(-1)).toMatchObject({ by: "person", submission: 1 });
  place.write("issues/FEAT-0002-write.md", issueText("FEAT-0002"));
  expect(await place.monoco("issue", "review", "FEAT-0002", "--approve", "--submission", "1")).toMatchObject({
    exitCode: 2,
    stderr: "error: submission 1 is not the one under review",
  });
});

describe("comments", () => {
  test("given by -m name lines, and stand in the next Executor's prompt", async () => {
    const place = await atGate();
    await place.monoco("run", id);
    const ask = (...words: string[]) =>
      place.monoco("issue", "review", id, "--request-changes", ...words.flatMap((word) => ["-m", word]));
    for (const [words, error] of [
      ["file.txt:7: no such line", "file.txt has 1 lines, not 7"],
      ["src/no.ts:1: no such file", "no such file: src/no.ts"],
    ] as const)
      expect(await ask(words)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(error) as string,
      });
    expect(findings(place)).toBeUndefined();
    expect(await ask("file.txt:1: spell it out", "half past 10:30 is late")).toMatchObject({ exitCode: 0 });
    expect(findings(place)).toMatchObject([
      { id: "person-1-1", title: "spell it out", file: "file.txt", line: 1 },
      { id: "person-1-2", title: "half past 10:30 is late" },
    ]);
    await place.monoco("relay", "resume", id);
    const prompt = join(place.project, ".monoco/relays", id, "sessions/0003-executor/prompt.md");
    expect(readFileSync(prompt, "utf8")).toContain("(file.txt:1)");
  });

  test("written beneath the diff in an editor are findings; what was not sent is kept", async () => {
    const place = await atGate();
    await place.monoco("run", id);
    const relay = join(place.project, ".monoco/relays", id);
    const sheets = () => readdirSync(relay).filter((name) => name.startsWith("comments-"));
    const edit = (editor: string) => atTerminal(place, ["--edit"], { editor });
    expect(await edit("true")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no comment was written: nothing was sent") as string,
    });
    expect(sheets()).toEqual([]);
    const crashed = await edit(`sed -i '/1 +/a Spell it out.' "$1"; exit 3`);
    expect(crashed.stderr).toMatch(/the editor ended with 3; nothing was sent[^]*what you wrote is kept/);
    expect(sheets()).toEqual(["comments-1.txt"]);
    expect(findings(place)).toBeUndefined();
    expect(await edit(`echo 'And a test.' >> "$1"`)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(sheets()).toEqual([]);
    expect(findings(place)).toMatchObject([
      { id: "person-1", title: "Spell it out.", file: "file.txt", line: 1 },
    ]);
  });
});

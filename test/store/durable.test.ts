/** Files that are there or not there, never half: under a kill, on a full disk, while somebody reads. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeFolder, writeAtomically, writeDurably, writeNew } from "../../src/store/durable.ts";
import { temporaryFolder } from "../support/repository.ts";

const writers = { writeDurably, writeAtomically };

// TRAP 38
describe.for(["writeDurably", "writeAtomically"] as const)("%s", (name) => {
  test("writes the text, replaces what was there, and leaves nothing else behind", () => {
    const path = join(temporaryFolder(), "live.json");
    writers[name](path, "old, and longer");
    writers[name](path, "新");
    expect(readFileSync(path, "utf8")).toBe("新");
    expect(readdirSync(join(path, ".."))).toEqual(["live.json"]);
  });

  test("never shows a reader half a file, not even when the writer is killed", async () => {
    const path = join(temporaryFolder(), "live.json");
    const writer = spawn(process.execPath, [fixture("write-for-ever.ts"), name, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void writer.kill("SIGKILL"));
    await once(writer.stdout, "data");
    const seen = new Set(Array.from({ length: 100 }, () => isWhole(readFileSync(path, "utf8"))));
    const gone = once(writer, "exit");
    writer.kill("SIGKILL");
    await gone;
    expect([...seen, isWhole(readFileSync(path, "utf8"))]).toEqual([true, true]);
  });

  test("keeps the old file, whole, where the disk has room for a part of the new one", async () => {
    const path = join(temporaryFolder(), "live.json");
    writeFileSync(path, "old");
    const shell = ["-c", 'ulimit -f 16 && exec "$@"', "sh"];
    const { stdout } = await execa("/bin/sh", [
      ...shell,
      process.execPath,
      fixture("full-disk.ts"),
      name,
      path,
    ]);
    expect(stdout).toMatch(/^failed: EFBIG/);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(join(path, ".."))).toEqual(["live.json"]);
  });
});

test("writeDurably makes the folders that are missing", () => {
  const path = join(temporaryFolder(), "a", "b", "c.json");
  writeDurably(path, "here");
  expect(existsSync(path)).toBe(true);
});

test("writeNew replaces nothing, and leaves nothing else behind", () => {
  const path = join(temporaryFolder(), "issue.md");
  writeNew(path, "first");
  expect(() => writeNew(path, "second")).toThrow(expect.objectContaining({ code: "EEXIST", path }));
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(join(path, ".."))).toEqual(["issue.md"]);
});

test("makeFolder takes a path from here, and a folder that is there", () => {
  const folder = join(temporaryFolder(), "a", "b");
  makeFolder(relative(process.cwd(), folder));
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test.for([0o600, 0o664, 0o755])("writeDurably keeps the mode %o of the file", (mode) => {
  const path = join(temporaryFolder(), "issue.md");
  writeFileSync(path, "old");
  chmodSync(path, mode);
  writeDurably(path, "new");
  expect(statSync(path).mode & 0o777).toBe(mode);
});

/** What write-for-ever writes: a million times the same letter. */
function isWhole(text: string): boolean {
  return text.length === 1_000_000 && text === text[0]!.repeat(1_000_000);
}

function fixture(name: string): string {
  return join(import.meta.dirname, "../fixtures", name);
}

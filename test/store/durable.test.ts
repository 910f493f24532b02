/** Files that are there or not there, never half: under a kill, on a full disk, while somebody reads. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { callsIn, straceWorks, traced } from "../support/strace.ts";
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

const strace = straceWorks();
if (!strace) console.warn("SKIPPED: strace is missing, or may not trace here");

describe.skipIf(!strace)("writeNew, where the file system has no hard links", { timeout: 60_000 }, () => {
  const text = "whole, 整".repeat(1_000);
  const fresh = (): string => {
    const path = join(temporaryFolder(), "issues", "issue.md");
    mkdirSync(dirname(path));
    return path;
  };
  const logOf = (path: string): string => readFileSync(`${dirname(path)}.log`, "utf8");
  /** What it says, under a strace that refuses each link, and that does `also`; `path` is the PATH. */
  const tried = async (path: string, { also = [] as string[], programs = "" } = {}): Promise<string> => {
    const rules = [`trace=${traced}`, "inject=?link,?linkat:error=EPERM", ...also].flatMap((rule) => [
      "-e",
      rule,
    ]);
    const program = [process.execPath, fixture("write-new.ts"), path, text];
    const env = { PATH: `${programs}${delimiter}${process.env["PATH"]}` };
    const strace = ["-f", "-y", "-o", `${dirname(path)}.log`, ...rules];
    return (await execa("strace", [...strace, ...program], { reject: false, env })).stdout;
  };

  test("writes the whole file, and leaves nothing else behind", async () => {
    const path = fresh();
    expect(await tried(path)).toBe("written");
    expect(logOf(path)).toMatch(/link.*INJECTED/);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(dirname(path))).toEqual(["issue.md"]);
  });

  test.for<[string, (path: string) => void]>([
    ["a file", (path) => writeFileSync(path, "old")],
    ["a folder", (path) => mkdirSync(path)],
    [
      "a link that leads to a folder",
      (path) => {
        mkdirSync(join(dirname(path), "..", "elsewhere"));
        symlinkSync("../elsewhere", path);
      },
    ],
    ["a link that leads nowhere", (path) => symlinkSync("gone", path)],
  ])("replaces nothing: %s", async ([, make]) => {
    const path = fresh();
    make(path);
    const { ino } = lstatSync(path);
    expect(await tried(path)).toBe("failed: EEXIST");
    expect(lstatSync(path).ino).toBe(ino);
    expect(readdirSync(dirname(path), { recursive: true })).toEqual(["issue.md"]);
  });

  test("replaces nothing that somebody makes after it has looked", async () => {
    const path = fresh();
    const programs = temporaryFolder();
    const late = `#!/bin/sh\necho theirs > '${path}'\nPATH="\${PATH#*:}" exec mv "$@"\n`;
    writeFileSync(join(programs, "mv"), late, { mode: 0o755 });
    expect(await tried(path, { programs })).toBe("failed: EEXIST");
    expect(readFileSync(path, "utf8")).toBe("theirs\n");
    expect(readdirSync(dirname(path))).toEqual(["issue.md"]);
  });

  test("leaves it whole or not there, wherever it is killed", async () => {
    const learnt = fresh();
    await tried(learnt);
    const calls = callsIn(logOf(learnt), { folder: dirname(learnt), stage: "", owner: "runner" });
    const left: (string | undefined)[] = [];
    for (const { call, nth } of calls) {
      const path = fresh();
      await tried(path, { also: [`inject=${call}:signal=SIGKILL:when=${nth}`] });
      expect(logOf(path)).toContain("killed by SIGKILL");
      left.push(existsSync(path) ? readFileSync(path, "utf8") : undefined);
    }
    expect(new Set(left)).toEqual(new Set([undefined, text]));
  });
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

test.skipIf(!strace)(
  "writeDurably leaves a new file with its mode or none, wherever it is killed",
  { timeout: 60_000 },
  async () => {
    const written = async (...rules: string[]): Promise<{ path: string; log: string }> => {
      const path = join(temporaryFolder(), "programs", "run");
      mkdirSync(dirname(path));
      const log = `${dirname(path)}.log`;
      const program = [process.execPath, fixture("write-program.ts"), path];
      const traces = [`trace=${traced}`, ...rules].flatMap((rule) => ["-e", rule]);
      await execa("strace", ["-f", "-y", "-o", log, ...traces, ...program], { reject: false });
      return { path, log: readFileSync(log, "utf8") };
    };
    const learnt = await written();
    const calls = callsIn(learnt.log, { folder: dirname(learnt.path), stage: "", owner: "runner" });
    const left: (number | undefined)[] = [];
    for (const { call, nth } of calls) {
      const { path, log } = await written(`inject=${call}:signal=SIGKILL:when=${nth}`);
      expect(log).toContain("killed by SIGKILL");
      left.push(existsSync(path) ? statSync(path).mode & 0o777 : undefined);
    }
    expect(new Set(left)).toEqual(new Set([undefined, 0o755]));
  },
);

/** What write-for-ever writes: a million times the same letter. */
function isWhole(text: string): boolean {
  return text.length === 1_000_000 && text === text[0]!.repeat(1_000_000);
}

function fixture(name: string): string {
  return join(import.meta.dirname, "../fixtures", name);
}

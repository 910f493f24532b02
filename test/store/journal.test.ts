/** The journal: append-only, chained, one writer; what a crash, a flipped bit or a newer monoco leaves in it. */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { errorOf } from "../support/error-of.ts";
import { lineOf } from "../../src/store/chain.ts";
import { openJournal, readJournal } from "../../src/store/journal.ts";
import type { NewEvent } from "../../src/store/journal.ts";
import { temporaryFolder } from "../support/repository.ts";
import { runs } from "../support/runs.ts";

describe("appending", () => {
  test("puts each event on a line of its own, numbered, with its hash and that of the line before", () => {
    const path = newPath();
    const journal = openJournal(path);
    const first = journal.append(0, note("one"), 1_000);
    const second = journal.append(1, { ...note("two"), messageId: "message-1" }, 2_000);
    journal.close();
    expect(first).toEqual({ v: 1, seq: 1, prev: "", atMs: 1_000, ...note("one") });
    expect(second).toEqual({
      v: 1,
      seq: 2,
      prev: hashOf(lineOf(JSON.stringify(first))),
      atMs: 2_000,
      messageId: "message-1",
      ...note("two"),
    });
    expect(readFileSync(path, "utf8")).toBe(
      `${lineOf(JSON.stringify(first))}\n${lineOf(JSON.stringify(second))}\n`,
    );
    expect(journal.events()).toEqual([first, second]);
    expect(journal.head()).toBe(hashOf(lineOf(JSON.stringify(second))));
  });

  test("goes on where the journal was closed", () => {
    const path = journalOf("one", "two");
    const journal = openJournal(path);
    journal.append(2, note("three"), 3);
    journal.close();
    expect(notes(path)).toEqual(["one", "two", "three"]);
  });

  test("any text comes back as it was written", () => {
    const path = newPath();
    const journal = openJournal(path);
    assert(
      property(string({ unit: "binary", minLength: 1 }), (text) => {
        journal.append(journal.events().length, note(text), 1);
      }),
      { numRuns: runs(50) },
    );
    journal.append(journal.events().length, note("\ud800 \u2028 \r\n \0 \ufeff"), 1);
    journal.close();
    expect(readJournal(path)).toEqual(journal.events());
  });

  test("an event that the schema does not know is not written", () => {
    const path = journalOf("one");
    const before = readFileSync(path);
    const journal = openJournal(path);
    expect(() => journal.append(1, note("two"), -1)).toThrow(/atMs|>=0/);
    expect(readFileSync(path)).toEqual(before);
    journal.close();
  });

  test("a disk that is full is told with a hint, and all that was acknowledged is there afterwards", async () => {
    const path = newPath();
    const program = join(import.meta.dirname, "../fixtures/full-disk.ts");
    const shell = 'ulimit -f 16 && exec "$@"';
    const { stdout } = await execa("/bin/sh", [
      "-c",
      shell,
      "sh",
      process.execPath,
      program,
      "journal",
      path,
    ]);
    const said = stdout.split("\n");
    expect(said.at(-1)).toMatch(/^failed: .*journal.jsonl could not be written: EFBIG/);
    const acknowledged = said.filter((line) => line === "acknowledged").length;
    expect(acknowledged).toBeGreaterThan(2);
    const journal = openJournal(path);
    expect(journal.events()).toHaveLength(acknowledged);
    journal.append(acknowledged, note("and on"), 1);
    journal.close();
    expect(readJournal(path)).toHaveLength(acknowledged + 1);
  });
});

describe("compare-and-append", () => {
  test.for<[string, number]>([
    ["an event that the writer has not seen", 1],
    ["an event that is not there", 3],
  ])("refuses to append after %s", ([, after]) => {
    const path = journalOf("one", "two");
    const before = readFileSync(path);
    const journal = openJournal(path);
    expect(errorOf(() => journal.append(after, note("three"), 1))).toEqual({
      kind: "conflict",
      message: `${path} moved on: expected ${after} events, found 2 in ${before.length} bytes`,
      hint: "another run holds this relay; see `monoco status`",
    });
    expect(readFileSync(path)).toEqual(before);
    journal.close();
  });

  test("refuses when somebody else wrote to the file in the meantime", () => {
    const path = journalOf("one");
    const journal = openJournal(path);
    const other = openJournal(path);
    other.append(1, note("theirs"), 1);
    expect(errorOf(() => journal.append(1, note("ours"), 1))).toMatchObject({ kind: "conflict" });
    expect(notes(path)).toEqual(["one", "theirs"]);
    journal.close();
    other.close();
  });

  test("and what was written is not taken for true unseen: it has to go, or to be taken for true", () => {
    const path = journalOf("one");
    const { size } = statSync(path);
    const journal = openJournal(path);
    const other = openJournal(path);
    other.append(1, note("theirs"), 1);
    expect(() => journal.append(1, note("ours"), 1)).toThrow(/moved on/);
    journal.close();
    other.close();
    const refused = errorOf(() => openJournal(path));
    expect(refused).toMatchObject({
      kind: "person",
      message: `${path}: what follows its first ${size} bytes was written by somebody else than its runner, while that was at work`,
    });
    const whole = readFileSync(path);
    const [, takeOut] = /take it out: (.*?); or take/.exec(refused.hint)!;
    execFileSync("/bin/sh", ["-c", takeOut!]);
    expect(notes(path)).toEqual(["one"]);
    openJournal(path).close();
    // The note has gone with it: lines that are appended now are the runner's.
    writeFileSync(path, whole);
    openJournal(path).close();
  });

  test("refuses when the file got shorter", () => {
    const path = journalOf("one", "two");
    const journal = openJournal(path);
    writeFileSync(path, linesOf(path)[0]!);
    expect(errorOf(() => journal.append(2, note("three"), 1))).toMatchObject({ kind: "conflict" });
    journal.close();
  });
});

describe("a torn last line", () => {
  test("is one that has a single byte in its first sector of the disk, where that one is zero; elsewhere the line was changed", () => {
    const path = journalOf("one");
    const first = statSync(path).size;
    const journal = openJournal(path);
    const empty = lineOf(JSON.stringify(journal.append(1, note("e"), 1_000))).length;
    journal.close();
    const pad = 2 * 512 - 1 - ((first + empty + 1) % 512);
    for (const [more, torn] of [
      [0, true],
      [1, false],
    ] as const) {
      writeFileSync(path, readFileSync(path).subarray(0, first));
      const padded = openJournal(path);
      padded.append(1, note("e".repeat(1 + pad + more)), 1_000);
      const start = statSync(path).size;
      padded.append(2, note("three"), 1_000);
      padded.close();
      writeFileSync(path, readFileSync(path).fill(0, start, start + 1));
      if (torn) expect(readJournal(path)).toHaveLength(2);
      else expect(errorOf(() => readJournal(path)).message).toMatch(/:3: .*the line was changed/);
    }
  });

  // TRAP 38, TRAP 55
  test("is passed over by a reader, which leaves it alone, wherever it was torn", () => {
    const path = journalOf("one", "two", "drei — 三");
    const whole = readFileSync(path);
    for (const torn of tornAt(whole)) {
      writeFileSync(path, torn);
      expect(notes(path)).toEqual(["one", "two"]);
      expect(readFileSync(path)).toEqual(torn);
    }
  });

  test("is cut by the next writer, which goes on from the line before", () => {
    const path = journalOf("one", "two", "drei — 三");
    const whole = readFileSync(path);
    for (const torn of tornAt(whole)) {
      writeFileSync(path, torn);
      const kept = Buffer.byteLength(linesOf(path).slice(0, 2).join(""));
      const journal = openJournal(path);
      expect(journal.cutBytes).toBe(torn.length - kept);
      journal.append(2, note("again"), 3);
      journal.close();
      expect(notes(path)).toEqual(["one", "two", "again"]);
    }
  });
});

test("any number of its first lines is a journal that goes on", () => {
  const path = journalOf("one", "two", "three", "four");
  const lines = linesOf(path);
  for (let kept = 0; kept <= lines.length; kept++) {
    writeFileSync(path, lines.slice(0, kept).join(""));
    const journal = openJournal(path);
    journal.append(kept, note("next"), 1);
    journal.close();
    expect(notes(path)).toEqual([...["one", "two", "three", "four"].slice(0, kept), "next"]);
  }
});

test("no file is an empty journal, and reading does not make one", () => {
  const path = newPath();
  expect(readJournal(path)).toEqual([]);
  expect(() => readFileSync(path)).toThrow(/ENOENT/);
});

describe("a damaged journal", () => {
  test.for([1, 2, 3])("is refused where a bit of line %i of 3 is flipped, and the line is named", (line) => {
    const path = journalOf("one", "two", "three");
    const whole = readFileSync(path);
    const lines = linesOf(path);
    const from = lines.slice(0, line - 1).join("").length;
    // The last line end may be torn off: without it nothing was acknowledged.
    const to = from + lines[line - 1]!.length - 1;
    for (let at = from; at < to; at++) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(path, changed);
      expect(errorOf(() => openJournal(path)).message, `byte ${at}`).toContain(`journal.jsonl:${line}: `);
      expect(readFileSync(path)).toEqual(changed);
    }
  });

  test.for(["one", "two", "three"])(
    "is found by its writer before it matters, also in its last line: %s",
    (line) => {
      const path = journalOf("one", "two");
      const journal = openJournal(path);
      journal.append(2, note("three"), 3);
      const text = readFileSync(path, "utf8");
      expect(journal.verify().toString()).toBe(text);
      const cut = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
      const changed = text.replace(line, line.toUpperCase());
      const at = text.slice(0, text.indexOf(line)).split("\n").length;
      for (const [other, number] of [
        [changed, at],
        [cut, 3],
        ["", 1],
        [`${text}{}\n`, 4],
      ] as const) {
        writeFileSync(path, other);
        expect(errorOf(() => journal.verify()).message).toContain(
          `:${number}: the journal is damaged: the line was changed`,
        );
      }
      journal.close();
    },
  );

  test("says how to go on, without the line that was changed", () => {
    const path = journalOf("one", "two", "three");
    writeFileSync(path, readFileSync(path, "utf8").replace("two", "TWO"));
    expect(errorOf(() => readJournal(path))).toEqual({
      kind: "input",
      message: `${path}:2: the journal is damaged: the line was changed`,
      hint: "restore it from a backup, or from its copy (git rev-list --objects --no-object-names --filter=object:type=blob --filter-provided-objects refs/monoco/relay/journal | xargs -n 1 git cat-file blob), or keep the first 1 lines: monoco goes on from any prefix",
    });
  });

  test.for<[string, (lines: string[]) => string[], RegExp]>([
    [
      "a line was written anew with its own hash",
      ([a = "", b = "", c = ""]) => [
        a,
        `${lineOf(b.replace("two", "TWO").replace(/,"sum":.*\n/, "}"))}\n`,
        c,
      ],
      /:2: .*the line was changed, or its hash in line 3 was/,
    ],
    ["a line is missing", ([a = "", , c = ""]) => [a, c], /:2: .*the line is number 3/],
    ["a line is there twice", ([a = "", b = "", c = ""]) => [a, b, b, c], /:3: .*the line is number 2/],
    ["lines changed places", ([a = "", b = "", c = ""]) => [a, c, b], /:2: .*the line is number 3/],
    ["a line is empty", ([a = "", b = ""]) => [a, "\n", b], /:2: .*the line is not JSON/],
    ["a line is null", ([a = "", b = ""]) => [a, "null\n", b], /:2: .*the line is not an event/],
    ["a line is a list", ([a = ""]) => [a, "[]\n"], /:2: .*the line is not an event/],
    ["a line is a number", ([a = ""]) => [a, "1\n"], /:2: .*the line is not an event/],
    ["half a line is followed by others", ([a = "", b = "", c = ""]) => [a, `${b.slice(0, 9)}\n`, c], /:2: /],
  ])("is refused where %s", ([, damage, expected]) => {
    const path = journalOf("one", "two", "three");
    writeFileSync(path, damage(linesOf(path)).join(""));
    expect(errorOf(() => readJournal(path))).toMatchObject({
      kind: "input",
      message: expect.stringMatching(expected),
      hint: expect.stringContaining("restore it from a backup"),
    });
  });
});

test.for<[string, (path: string) => void]>([
  ["a folder", (path) => mkdirSync(path, { recursive: true })],
  [
    "a link to nothing",
    (path) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync("elsewhere", path);
    },
  ],
])("%s in a journal's place is refused, and nothing is made through it", ([, put]) => {
  const path = newPath();
  put(path);
  for (const open of [readJournal, openJournal])
    expect(errorOf(() => open(path))).toEqual({
      kind: "input",
      message: `${path}: expected the journal to be a regular file`,
      hint: expect.stringMatching(/^move it away, then restore it from a backup, or from its copy /),
    });
  expect(existsSync(join(dirname(path), "elsewhere"))).toBe(false);
});

describe("an event of a newer monoco", () => {
  test.for<[string, (line: string) => string]>([
    ["of a type that is not known", (line) => line.replace("note.said", "note.sung")],
    ["of another version", (line) => line.replace('"v":1', '"v":2')],
  ])("%s is refused with a hint, by writers too, and nothing is cut", ([, change]) => {
    for (const line of [1, 2]) {
      const path = journalOf("one", "two", "three");
      const lines = linesOf(path);
      lines[line] = change(lines[line]!);
      writeFileSync(path, lines.join(""));
      const before = readFileSync(path);
      for (const open of [readJournal, openJournal]) {
        expect(errorOf(() => open(path))).toEqual({
          kind: "input",
          message: expect.stringContaining(`${path}:${line + 1}: an event of a newer monoco (note.`),
          hint: "use the monoco that wrote it, or a newer one; nothing was changed",
        });
      }
      expect(readFileSync(path)).toEqual(before);
    }
  });
});

function newPath(): string {
  return join(temporaryFolder(), "relay", "journal.jsonl");
}

function journalOf(...texts: string[]): string {
  const path = newPath();
  const journal = openJournal(path);
  for (const [index, text] of texts.entries()) journal.append(index, note(text), index);
  journal.close();
  return path;
}

function note(text: string): NewEvent {
  return { type: "note.said", by: "person", text };
}

function notes(path: string): string[] {
  return readJournal(path).map((event) => (event.type === "note.said" ? event.text : event.type));
}

/** The last line cut at each of its bytes, without a line end and (where it is half a line) with one, and with zeros up to there. */
function tornAt(whole: Buffer): Buffer[] {
  const start = whole.lastIndexOf(10, whole.length - 2) + 1;
  const torn: Buffer[] = [];
  for (let end = start; end < whole.length; end++) {
    torn.push(whole.subarray(0, end));
    if (end < whole.length - 1) torn.push(Buffer.concat([whole.subarray(0, end), Buffer.from("\n")]));
    if (end > start + 1) torn.push(Buffer.from(whole).fill(0, start, end));
  }
  return torn;
}

/** With their line ends. */
function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split(/(?<=\n)/);
}

function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

/** The mailbox: anybody drops, the runner takes; whatever an agent puts there instead of a message does no harm. */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { messageBytesMax } from "../../src/core/limits.ts";
import { outboxMessageSchema } from "../../src/core/session/message.ts";
import { dropMessage, openMailbox, readMailbox } from "../../src/store/mailbox.ts";
import { temporaryFolder } from "../support/repository.ts";

const handoff = { id: "12345678", atMs: 1, type: "handoff" };

test("messages come oldest first, those of one millisecond too, and lie there until they are taken", () => {
  const folder = newFolder();
  const minutes = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const each of minutes) dropMessage(folder, { type: "extend", minutes: each, because: "tests" });
  for (const _ of [1, 2]) expect(read(folder).messages.map((told) => told["minutes"])).toEqual(minutes);
  for (const { take } of readMailbox(folder, outboxMessageSchema)) take();
  expect(readdirSync(folder)).toEqual([]);
});

test("a message carries an id and the time when it was dropped", () => {
  const folder = newFolder();
  const before = Date.now();
  dropMessage(folder, { type: "handoff" });
  expect(read(folder).messages).toEqual([
    { type: "handoff", id: expect.stringMatching(/^[0-9a-f-]{36}$/), atMs: expect.any(Number) },
  ]);
  expect(read(folder).messages[0]?.["atMs"]).toBeGreaterThanOrEqual(before);
});

test("a message that lies there twice is handed over twice with one id, by which the relay drops the second", () => {
  const folder = newFolder({ "1.json": JSON.stringify(handoff), "2.json": JSON.stringify(handoff) });
  expect(read(folder).messages).toEqual([handoff, handoff]);
});

test("a mailbox is opened while a process puts a file in its place again and again", async () => {
  const folder = join(newFolder(), "inbox");
  const vandal = execa(
    "/bin/sh",
    ["-c", 'while :; do rm -rf "$1"; echo no > "$1"; done 2> /dev/null', "sh", folder],
    {
      forceKillAfterDelay: false,
      reject: false,
    },
  );
  onTestFinished(async () => {
    vandal.kill("SIGKILL");
    await vandal;
  });
  await expect.poll(() => existsSync(folder)).toBe(true);
  for (let times = 0; times < 5_000; times += 1) expect(() => openMailbox(folder)).not.toThrow();
});

test("what has another name is no message and is left alone", () => {
  const folder = newFolder({ ".1-2.tmp": "{", "notes.txt": "hello", "1.json.rejected": "{" });
  expect(read(folder)).toEqual({ messages: [], rejected: [] });
  expect(readdirSync(folder).sort()).toEqual([".1-2.tmp", "1.json.rejected", "notes.txt"]);
});

test("no folder is an empty mailbox", () => {
  expect(read(join(newFolder(), "missing"))).toEqual({ messages: [], rejected: [] });
});

describe("what is no message", () => {
  const large = JSON.stringify({ ...handoff, padding: "x".repeat(messageBytesMax) });

  test.for<[string, (path: string) => void, string]>([
    ["a link", (path) => symlinkSync("/etc/hostname", path), "not a regular file"],
    ["a link that leads nowhere", (path) => symlinkSync("/nowhere", path), "not a regular file"],
    ["a folder", (path) => mkdirSync(join(path, "inside"), { recursive: true }), "not a regular file"],
    // A reader that opened it would wait for ever.
    ["a fifo", (path) => void execaSync("mkfifo", [path]), "not a regular file"],
    [
      "a file that is too large",
      (path) => writeFileSync(path, large),
      `larger than ${messageBytesMax} bytes`,
    ],
    ["an empty file", (path) => writeFileSync(path, ""), "not JSON"],
    ["half a message", (path) => writeFileSync(path, JSON.stringify(handoff).slice(0, 9)), "not JSON"],
    ["bytes", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0])), "not JSON"],
    ["null", (path) => writeFileSync(path, "null"), "Invalid input: expected object, received null"],
    [
      "a type that nobody knows",
      (path) => writeFileSync(path, message({ type: "approve" })),
      "Invalid discriminator value",
    ],
    ["an id that is too short", (path) => writeFileSync(path, message({ id: "1" })), "Too small"],
  ])("%s is set aside and told, and the others are read", ([, plant, why]) => {
    const folder = newFolder({ "1.json": JSON.stringify(handoff), "3.json": JSON.stringify(handoff) });
    plant(join(folder, "2.json"));
    expect(read(folder)).toEqual({
      messages: [handoff, handoff],
      rejected: [["2.json", expect.stringContaining(why)]],
    });
    expect(readdirSync(folder).sort()).toEqual(["1.json", "2.json.rejected", "3.json"]);
    expect(read(folder).rejected).toEqual([]);
  });

  test.for<[string, string, Record<string, string>]>([
    ["with a folder in its place", "1.json", { "1.json.rejected/inside": "" }],
    ["with a name that has no room for an ending", `${"x".repeat(250)}.json`, {}],
  ])("is set aside under another name: %s", ([, name, files]) => {
    const folder = newFolder({ ...files, [name]: "not a message" });
    expect(read(folder).rejected).toEqual([[name, "not JSON"]]);
    expect(read(folder).rejected).toEqual([]);
    const aside = readdirSync(folder).filter((entry) => /^[0-9a-f-]{36}\.rejected$/.test(entry));
    expect(aside.map((entry) => readFileSync(join(folder, entry), "utf8"))).toEqual(["not a message"]);
  });
});

describe("in the mailbox's own place", () => {
  test("a file is an empty mailbox", () => {
    const folder = newFolder({ outbox: "I am a file" });
    expect(read(join(folder, "outbox"))).toEqual({ messages: [], rejected: [] });
  });

  test("a link is an empty mailbox: nothing is renamed where it leads", () => {
    const person = newFolder({ "package.json": "{}" });
    const outbox = join(newFolder(), "outbox");
    symlinkSync(person, outbox);
    expect(read(outbox)).toEqual({ messages: [], rejected: [] });
    expect(readdirSync(person)).toEqual(["package.json"]);
  });
});

test.for<[string, (path: string) => void]>([
  ["a file", (path) => writeFileSync(path, "no")],
  ["a link", (path) => symlinkSync(temporaryFolder(), path)],
  ["a link to nowhere", (path) => symlinkSync("/nowhere", path)],
])("%s in its place is set aside where a mailbox is opened, or something dropped", ([, plant]) => {
  const folder = newFolder();
  plant(join(folder, "opened"));
  plant(join(folder, "dropped"));
  openMailbox(join(folder, "opened"));
  dropMessage(join(folder, "dropped"), { type: "handoff" });
  expect(read(join(folder, "opened")).messages).toEqual([]);
  expect(read(join(folder, "dropped")).messages).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(["dropped", "dropped.rejected", "opened", "opened.rejected"]);
});

test("a message that is gone, or became a folder, can still be taken", () => {
  const folder = newFolder({ "1.json": JSON.stringify(handoff), "2.json": JSON.stringify(handoff) });
  const letters = readMailbox(folder, outboxMessageSchema);
  execaSync("/bin/sh", ["-c", "rm 1.json 2.json && mkdir -p 2.json/inside"], { cwd: folder });
  for (const { take } of letters) take();
  expect(readdirSync(folder)).toEqual([]);
});

function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function message(change: object): string {
  return JSON.stringify({ ...handoff, ...change });
}

function read(folder: string) {
  const rejected: [name: string, why: string][] = [];
  const letters = readMailbox(folder, outboxMessageSchema, (name, why) => rejected.push([name, why]));
  return { messages: letters.map(({ message }) => message as Record<string, unknown>), rejected };
}

/** What people keep as a text file, and what may lie in its place: each is refused with the reason and a remedy, and none holds a reader up. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execaSync } from "execa";
import { describe, expect, test } from "vitest";
import { documentBytesMax } from "../../src/core/limits.ts";
import { inspectDocument, readDocument } from "../../src/store/document.ts";
import { readInside } from "../../src/relay/read-inside.ts";
import { errorOf } from "../support/error-of.ts";
import { temporaryFolder } from "../support/repository.ts";

type Spoiled = [what: string, put: (path: string) => unknown];

const notText = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 10]);
const folder: Spoiled = ["a folder", (path) => mkdirSync(path)];
const linkToNothing: Spoiled = ["a link to nothing", (path) => symlinkSync("nowhere", path)];
const linkToItself: Spoiled = ["a link to itself", (path) => symlinkSync(path, path)];
const large: Spoiled = ["too large", (path) => writeFileSync(path, "#".repeat(documentBytesMax + 1))];
const fifo: Spoiled = ["a fifo", (path) => execaSync("mkfifo", [path])];
const notReadable: Spoiled = [
  "not to be read",
  (path) => {
    writeFileSync(path, "text");
    chmodSync(path, 0);
  },
];
/** Root may read everything. */
const ofOwners = process.getuid?.() === 0 ? [] : [notReadable];

const moveAway = "move it away, or put a text file in its place";
const asUtf8 = "save it as UTF-8 (iconv converts it)";

describe("a document", () => {
  test.for<[...Spoiled, says: string, hint: string, line?: number]>([
    [...folder, ": it is a folder", moveAway],
    [...linkToNothing, ": it is a link to nothing", moveAway],
    [...linkToItself, ": a link leads to itself (ELOOP, open)", "remove the link"],
    [...large, `: it is larger than ${documentBytesMax} bytes`, moveAway],
    [...fifo, ": expected a regular file", moveAway],
    ["binary", (path) => writeFileSync(path, notText), ":1: bytes that are not UTF-8", asUtf8],
    [
      "in another encoding",
      (path) => writeFileSync(path, Buffer.concat([Buffer.from("# one\n# two\n# "), notText])),
      ":3: bytes that are not UTF-8",
      asUtf8,
      3,
    ],
    [
      "not there",
      () => undefined,
      ": no such file or folder",
      "check the path; if it was removed, restore it, then run the same command again",
    ],
    ...ofOwners.map((row): [...Spoiled, string, string] => [
      ...row,
      ": permission denied (EACCES, open)",
      "give yourself the right to it (ls -l shows who has it), then run the same command again",
    ]),
  ])("that is %s is refused, and named where several are looked at", ([, put, says, hint, line = 1]) => {
    const path = join(temporaryFolder(), "document.md");
    put(path);
    expect(errorOf(() => readDocument(path))).toEqual({ kind: "input", message: `${path}${says}`, hint });
    const message = says.replace(/^.*?: /, "");
    expect(inspectDocument(path)).toEqual({ fault: { line, message, hint } });
  });

  test("that a link leads to is read", () => {
    const path = join(temporaryFolder(), "document.md");
    writeFileSync(`${path}.real`, "文\r\n");
    symlinkSync(`${path}.real`, path);
    expect(readDocument(path)).toBe("文\r\n");
  });
});

describe("a file of an agent's folder", () => {
  test.for<Spoiled>([
    folder,
    linkToNothing,
    linkToItself,
    large,
    fifo,
    ["a link to somebody's file", (path) => symlinkSync("/etc/passwd", path)],
    [
      "in a folder that is a link to elsewhere",
      (path) => {
        const elsewhere = temporaryFolder();
        writeFileSync(join(elsewhere, "document.md"), "text");
        execaSync("rmdir", [dirname(path)]);
        symlinkSync(elsewhere, dirname(path));
      },
    ],
    ["not there", () => undefined],
    ...ofOwners,
  ])("that is %s is no file", ([, put]) => {
    const root = temporaryFolder();
    mkdirSync(join(root, "sub"));
    put(join(root, "sub/document.md"));
    expect(readInside(root, "sub/document.md", documentBytesMax)).toBeUndefined();
  });
});

import { expect, test } from "vitest";
import { errorSignature } from "../../../src/core/error/error-signature.ts";
import { cpuMs } from "../support/cpu.ts";

// TRAP 19: a filter that takes the whole line away makes all errors one, or none
test.for<[string, string, string]>([
  ["numbers", "expected 3, found 41.5", "expected 12, found 7"],
  ["times", "failed after 12 ms", "failed after 3.5 s"],
  ["paths", "no such file: /tmp/x/a.ts", "no such file: ../b/c.ts"],
  ["Windows paths", "no such file: C:\\a\\b.ts", "no such file: D:\\c.ts"],
  ["addresses and hashes", "at 0xdeadbeef in 3f2a9c1d44", "at 0x1 in 0011223344aabb"],
  ["ids of requests", "refused: req_92c177a23a08408994cc4765", "refused: req_011CSHoEeqs5C35K2UUqR7Fy"],
  ["ids of sessions", "f10bfe3c-77e5-4a58-99eb-110d251ac284", "a6c1e0bc-beef-4cab-8dad-5e10c9243194"],
  ["colours and spacing", "\u001B[31mError:\u001B[0m  bad\n thing", "error: bad thing"],
])("%s do not tell two errors apart", ([, one, other]) => {
  expect(errorSignature(one)).toBe(errorSignature(other));
  expect(errorSignature(one)).not.toBe("");
});

test.for([
  ["TypeError: x is not a function", "TypeError: y is not a function"],
  ["a is missing", "a is broken"],
  ["no such table: app_migrations_old", "no such table: app_migrations_new"],
  ["feedface is a word of more than seven letters", "deadline is a word too"],
])("%s is not the error %s", ([one, other]) => {
  expect(errorSignature(one!)).not.toBe(errorSignature(other!));
});

test("only the end of a long text counts, and a megabyte costs nothing", () => {
  const log = "x/".repeat(500_000);
  const before = cpuMs();
  expect(errorSignature(`${log} the cause`)).toContain("the cause");
  expect(cpuMs() - before).toBeLessThan(200);
});

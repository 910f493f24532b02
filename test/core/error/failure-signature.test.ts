/** One failure, one signature: judged by what test runners, compilers and linters printed in public bug reports. */
import { describe, expect, test } from "vitest";
import { failureSignature } from "../../../src/core/error/failure-signature.ts";
import { cpuMs } from "../support/cpu.ts";
import { outputs } from "../support/failing-outputs.ts";

/** The same failure once more: at another time, in other folders and processes, at other addresses, slower. */
function anotherRun(output: string): string {
  return output
    .replace(
      /(?<![\w.-])\/(?:home|Users|tmp|src|builddir|toolchain|opt|builds)\/[\w.-]+/g,
      "/tmp/run-7f3a/work",
    )
    .replace(/[A-Z]:\\[\w.-]+/g, "D:\\agent\\_work")
    .replace(/0x[0-9a-f]+/g, (hex) => `0x${"c0ffee12".slice(0, Math.max(1, hex.length - 2))}`)
    .replace(/\b\d\d:\d\d:\d\d\b/g, "23:59:58")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "2027-02-28")
    .replace(/\b\d+(?:\.\d+)?( ?)(ms|s|sec|seconds)\b/g, "91.7$1$2")
    .replace(/goroutine \d+/g, "goroutine 4711");
}

describe.each(outputs)("$name", ({ name, output }) => {
  test("has one signature in two runs", () => {
    expect(failureSignature(output)).not.toBe("");
    expect(failureSignature(anotherRun(output))).toBe(failureSignature(output));
  });

  test("has it with colours, with the lines of a log numbered, and after a long log that passed", () => {
    const coloured = output.replace(/^(\S)/gm, "\u001B[31m$1").replace(/$/gm, "\u001B[39m");
    expect(failureSignature(coloured)).toBe(failureSignature(output));
    expect(failureSignature("ok\n".repeat(5_000) + output)).toBe(failureSignature(output));
  });

  test("is no other failure", () => {
    const same = outputs.filter((one) => failureSignature(one.output) === failureSignature(output));
    expect(same.map((one) => one.name)).toEqual([name]);
  });
});

test("tests that run side by side and end in another order make no other failure", () => {
  const one = "FAIL a.test.ts\nError: a is missing\n";
  const other = "FAIL b.test.ts\nError: b is missing\n";
  expect(failureSignature(one + other)).toBe(failureSignature(other + one));
  expect(failureSignature(one)).not.toBe(failureSignature(one + other));
});

test("hosts that a failure names tell it from another", () => {
  const refused = (host: string): string => failureSignature(`error: http://${host}:80 refused`);
  expect(refused("alpha")).not.toBe(refused("beta"));
});

test("an output in which no line tells of a failure is known by its end", () => {
  expect(failureSignature("Building 3 of 7\nnothing to do in /tmp/a1")).toBe(
    "building <n> of <n> nothing to do in <path>",
  );
});

test("a log of four megabytes costs nothing", () => {
  const before = cpuMs();
  failureSignature("error: a/b/c.ts 12:1 ".repeat(200_000));
  expect(cpuMs() - before).toBeLessThan(500);
});
